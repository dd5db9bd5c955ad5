//! Line continuations: a backslash at the end of a line, which is removed before tokenisation.
//!
//! Most texts contain none. Other texts are copied without them, and a table maps offsets back to the original.

/// From offset `joined` of the joined text on, `removed` bytes of the original are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splice {
    joined: u32,
    removed: u32,
}

/// Returns the text with continued lines joined, or `None` if there is nothing to join.
pub fn join(text: &str) -> Option<(String, Vec<Splice>)> {
    let bytes = text.as_bytes();
    let mut joined = String::new();
    let mut splices = Vec::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(p) = bytes[from..].iter().position(|&b| b == b'\\') {
        let at = from + p;
        match continuation(&bytes[at + 1..]) {
            Some(len) => {
                joined.push_str(&text[copied..at]);
                copied = at + 1 + len;
                splices.push(Splice { joined: joined.len() as u32, removed: (copied - joined.len()) as u32 });
                from = copied;
            }
            None => from = at + 1,
        }
    }
    if splices.is_empty() {
        return None;
    }
    joined.push_str(&text[copied..]);
    Some((joined, splices))
}

/// Returns the length of a continuation after its backslash: blanks, which gcc permits, and the newline.
fn continuation(rest: &[u8]) -> Option<usize> {
    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
    (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 1)
}

/// Maps an offset in the joined text to the original text.
pub fn original(splices: &[Splice], at: u32) -> u32 {
    let index = splices.partition_point(|s| s.joined <= at);
    at + index.checked_sub(1).map_or(0, |i| splices[i].removed)
}

/// Maps an end offset in the joined text to the original text, where it stays before a splice.
pub fn original_end(splices: &[Splice], at: u32) -> u32 {
    let index = splices.partition_point(|s| s.joined < at);
    at + index.checked_sub(1).map_or(0, |i| splices[i].removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_offsets_map_back() {
        let text = "ab\\\ncd \\x e\\ \r\nf";
        let Some((joined, splices)) = join(text) else { panic!("there is something to join") };
        assert_eq!(joined, "abcd \\x ef");
        for (at, c) in joined.char_indices() {
            let original = original(&splices, at as u32) as usize;
            assert_eq!(text[original..].chars().next(), Some(c));
        }
        assert_eq!(original_end(&splices, 2), 2);
        assert_eq!(join("a\\b\n"), None);
    }
}
