//! Compact printing of repetitive initial values, as `"\01\00\00\00" x 1000`.
//!
//! A range initialiser may cover the whole address space. Its text should stay small.

use crate::limits::{LARGE_VALUE, MIN_SAVED_BYTES, PATTERN_LENGTHS};

/// Splits bytes into patterns, each with its number of consecutive occurrences. Their concatenation equals the input.
pub(super) fn runs(bytes: &[u8]) -> Vec<(&[u8], usize)> {
    if bytes.len() < LARGE_VALUE {
        return vec![(bytes, 1)];
    }
    let mut out = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while at < bytes.len() {
        match pattern(&bytes[at..]) {
            Some((length, times)) => {
                if plain < at {
                    out.push((&bytes[plain..at], 1));
                }
                out.push((&bytes[at..at + length], times));
                at += length * times;
                plain = at;
            }
            None => at += 1,
        }
    }
    if plain < bytes.len() {
        out.push((&bytes[plain..], 1));
    }
    out
}

/// Returns the shortest pattern at the start of `bytes` that repeats often enough: its length and its repetitions.
fn pattern(bytes: &[u8]) -> Option<(usize, usize)> {
    PATTERN_LENGTHS.into_iter().find_map(|length| {
        // This comparison rejects most positions.
        if bytes.len() < length + MIN_SAVED_BYTES || bytes[..MIN_SAVED_BYTES] != bytes[length..length + MIN_SAVED_BYTES]
        {
            return None;
        }
        let same = bytes.iter().zip(&bytes[length..]).take_while(|(a, b)| a == b).count();
        Some((length, same / length + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], parts: usize) {
        let runs = runs(bytes);
        assert_eq!(runs.len(), parts);
        let again: Vec<u8> = runs.iter().flat_map(|(pattern, times)| pattern.repeat(*times)).collect();
        assert_eq!(again, bytes);
    }

    #[test]
    fn runs_concatenate_to_the_bytes() {
        check(b"abc", 1);
        check(&[1, 0, 0, 0].repeat(1000), 1);
        let mut mixed = b"begin".to_vec();
        mixed.extend([7u8; 3000]);
        mixed.extend(b"middle");
        mixed.extend([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].repeat(300));
        mixed.extend([1, 2, 3]);
        check(&mixed, 5);
        let numbers: Vec<u8> = (0..2000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        check(&numbers, 1);
    }
}
