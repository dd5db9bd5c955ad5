//! Positions: lines and characters from 1 in reports, lines and UTF-16 units from 0 in the protocol; URIs and paths.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::{Position, Range, Uri};

/// Returns the range of the word at a line and a character of a text, both from 1.
pub(super) fn range(text: &str, line: u32, column: u32) -> Range {
    let index = line.saturating_sub(1);
    let content = text.lines().nth(index as usize).unwrap_or("");
    let characters: Vec<char> = content.chars().collect();
    let start = (column.saturating_sub(1) as usize).min(characters.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = start;
    while end < characters.len() && is_word(characters[end]) {
        end += 1;
    }
    if end == start {
        end = (start + 1).min(characters.len().max(start));
    }
    let units = |count: usize| characters[..count.min(characters.len())].iter().map(|c| c.len_utf16() as u32).sum();
    Range {
        start: Position { line: index, character: units(start) },
        end: Position { line: index, character: units(end) },
    }
}

/// Returns the word at a position of a text.
pub(super) fn word(text: &str, position: Position) -> Option<String> {
    let content = text.lines().nth(position.line as usize)?;
    let mut units = 0;
    let characters: Vec<char> = content.chars().collect();
    let at = characters.iter().position(|c| {
        units += c.len_utf16() as u32;
        units > position.character
    });
    let at = at.unwrap_or(characters.len());
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let start = characters[..at].iter().rposition(|c| !is_word(c)).map_or(0, |before| before + 1);
    let end = characters[at..].iter().position(|c| !is_word(c)).map_or(characters.len(), |length| at + length);
    let word: String = characters[start..end].iter().collect();
    (!word.is_empty()).then_some(word)
}

/// Returns the path of a `file:` URI.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let encoded = uri.as_str().strip_prefix("file://")?;
    let encoded = encoded.strip_prefix("localhost").unwrap_or(encoded);
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // On Windows, the path of `file:///C:/a.c` begins with the drive.
    let path = match path.as_bytes() {
        [b'/', _, b':', ..] if cfg!(windows) => path[1..].to_owned(),
        _ => path,
    };
    Some(PathBuf::from(path))
}

/// Returns the `file:` URI of an absolute path.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    if cfg!(windows) {
        text.push('/');
    }
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            b'\\' if cfg!(windows) => text.push('/'),
            b':' if cfg!(windows) => text.push(':'),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf_16_units() {
        let text = "int x;\n  \u{1f600}node->next;\n";
        let found = range(text, 2, 4);
        assert_eq!((found.start.character, found.end.character), (4, 8));
        assert_eq!(range(text, 9, 9).start, Position { line: 8, character: 0 });
        assert_eq!(word(text, Position { line: 1, character: 5 }).as_deref(), Some("node"));
        assert_eq!(word(text, Position { line: 1, character: 12 }).as_deref(), Some("next"));
        assert_eq!(word(text, Position { line: 7, character: 0 }), None);
    }

    #[test]
    #[cfg(unix)]
    fn paths_survive_the_way_to_a_uri_and_back() {
        for path in ["/tmp/a b/ä#%.c", "/x.c"] {
            let uri = uri_of(Path::new(path)).expect("the path is text");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
    }
}
