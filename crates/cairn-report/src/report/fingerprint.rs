//! Fingerprints of findings, which stay the same when unrelated code changes.
//!
//! A fingerprint covers the check, the file, the function and the text of the lines that the finding is about, without line numbers. Two
//! findings that agree in all of these get different numbers, in the order of their locations.

use std::collections::HashMap;

use super::{Finding, Place};

/// Sets the fingerprints of all findings. `line` returns the text of a line of a file.
pub(super) fn set(findings: &mut [Finding], line: impl Fn(&Place) -> Option<String>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let order = {
        let mut order: Vec<usize> = (0..findings.len()).collect();
        order.sort_by_key(|&index| {
            let place = findings[index].place.as_ref();
            place.and_then(Place::position).map(|(file, line, column)| (file.to_owned(), line, column))
        });
        order
    };
    for index in order {
        let finding = &findings[index];
        let mut hash = Hash::default();
        hash.add(&finding.check);
        let history = finding.history.iter().filter_map(|event| Some((event.what.as_str(), event.place.as_ref()?)));
        for (what, place) in finding.place.iter().map(|place| ("", place)).chain(history) {
            hash.add(what);
            hash.add(place.file.as_deref().unwrap_or(""));
            hash.add(&place.function);
            // Indentation and spacing are no change of the code.
            let text = line(place).unwrap_or_default();
            hash.add(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        let base = hash.finish();
        let count = seen.entry(base.clone()).or_default();
        *count += 1;
        findings[index].fingerprint = format!("{base}:{count}");
    }
}

/// The hash FNV-1a with 64 bits: a fingerprint must not depend on the version of a library, and nobody gains from a collision.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_definition() {
        let of = |text: &str| {
            let mut hash = Hash::default();
            hash.add(text);
            hash.finish()
        };
        assert_ne!(of("a"), of("b"));
        // The hash of one zero byte: the offset basis times the prime.
        assert_eq!(of(""), "af63bd4c8601b7df");
    }
}
