//! Initial values that repeat themselves, as `"\01\00\00\00" x 1000`: a range initialiser may cover the whole address space, and
//! its text should not.

/// Initial values of fewer bytes are written out.
const LARGE: usize = 1024;

/// The lengths of patterns that are looked for: those of elements.
const LENGTHS: [usize; 11] = [1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64];

/// So many bytes have to be spared by a pattern.
const WORTH: usize = 64;

/// Splits bytes into patterns with the number of times that they occur in a row. All of them together are the bytes.
pub(super) fn runs(bytes: &[u8]) -> Vec<(&[u8], usize)> {
    if bytes.len() < LARGE {
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

/// The shortest pattern that the bytes begin with and that repeats itself often enough: its length, and how often.
fn pattern(bytes: &[u8]) -> Option<(usize, usize)> {
    LENGTHS.into_iter().find_map(|length| {
        // Most places are told apart from a pattern by one comparison.
        if bytes.len() < length + WORTH || bytes[..WORTH] != bytes[length..length + WORTH] {
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
    fn runs_are_the_bytes_again() {
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
