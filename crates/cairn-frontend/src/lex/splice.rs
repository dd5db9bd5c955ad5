//! Backslashes at line ends: they and the newline vanish before anything else is looked at. Most texts have none; those
//! that have are copied without them, and a table leads the offsets back.

/// From `joined` on in the joined text, `removed` bytes of the original are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splice {
    joined: u32,
    removed: u32,
}

/// The text with its continued lines joined, or `None` when there is nothing to join.
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

/// How long the rest of a continuation after its backslash is: blanks, as gcc allows them, and the newline.
fn continuation(rest: &[u8]) -> Option<usize> {
    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
    (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 1)
}

/// The offset in the original text of an offset in the joined one.
pub fn original(splices: &[Splice], at: u32) -> u32 {
    let index = splices.partition_point(|s| s.joined <= at);
    at + index.checked_sub(1).map_or(0, |i| splices[i].removed)
}

/// The same for the end of something: it lies before a splice, not behind it.
pub fn original_end(splices: &[Splice], at: u32) -> u32 {
    let index = splices.partition_point(|s| s.joined < at);
    at + index.checked_sub(1).map_or(0, |i| splices[i].removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_and_leads_back() {
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
