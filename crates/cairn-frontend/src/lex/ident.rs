//! Identifiers beyond ASCII: UTF-8 letters and universal character names (`\u00e9`).

use super::{Lexer, TokenKind, keywords};

/// Whether a byte can continue an identifier.
pub const CONTINUES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' || byte as u8 == b'$';
        byte += 1;
    }
    table
};

/// The characters that C11 permits in identifiers (annex D), as inclusive ranges.
const ALLOWED: &[(u32, u32)] = &[
    (0xa8, 0xa8),
    (0xaa, 0xaa),
    (0xad, 0xad),
    (0xaf, 0xaf),
    (0xb2, 0xb5),
    (0xb7, 0xba),
    (0xbc, 0xbe),
    (0xc0, 0xd6),
    (0xd8, 0xf6),
    (0xf8, 0xff),
    (0x100, 0x167f),
    (0x1681, 0x180d),
    (0x180f, 0x1fff),
    (0x200b, 0x200d),
    (0x202a, 0x202e),
    (0x203f, 0x2040),
    (0x2054, 0x2054),
    (0x2060, 0x218f),
    (0x2460, 0x24ff),
    (0x2776, 0x2793),
    (0x2c00, 0x2dff),
    (0x2e80, 0x2fff),
    (0x3004, 0x3007),
    (0x3021, 0x302f),
    (0x3031, 0xd7ff),
    (0xf900, 0xfd3d),
    (0xfd40, 0xfdcf),
    (0xfdf0, 0xfe44),
    (0xfe47, 0xfefe),
    (0xff00, 0xfffd),
    (0x10000, 0x1fffd),
    (0x20000, 0x2fffd),
    (0x30000, 0x3fffd),
    (0xe0000, 0xefffd),
];

fn allowed(c: char) -> bool {
    let c = c as u32;
    let index = ALLOWED.partition_point(|&(first, _)| first <= c);
    index.checked_sub(1).is_some_and(|i| c <= ALLOWED[i].1)
}

impl Lexer<'_> {
    /// Lexes an identifier that may contain non-ASCII characters, or reports a stray character.
    #[cold]
    pub(super) fn unusual_word(&mut self, start: usize) {
        self.at = start;
        let mut name = String::new();
        while let Some((c, len)) = self.name_char() {
            name.push(c);
            self.at += len;
        }
        if name.is_empty() {
            let c = self.text[start..].chars().next().unwrap_or('\u{fffd}');
            self.at = start + c.len_utf8();
            let shown = if c.is_ascii() { format!("'{c}'") } else { format!("<U+{:04X}>", c as u32) };
            return self.error(start, self.at, format!("unexpected character {shown}"));
        }
        let symbol = self.interner.intern(&name);
        let kind = match keywords::kind(symbol) {
            TokenKind::Pragma => TokenKind::Ident,
            kind => kind,
        };
        self.push(kind, start, symbol.0);
    }

    /// Returns the next character of an identifier and the length of its spelling in bytes.
    fn name_char(&self) -> Option<(char, usize)> {
        let rest = &self.text[self.at..];
        let c = rest.chars().next()?;
        if c.is_ascii() && CONTINUES[c as usize] || allowed(c) {
            return Some((c, c.len_utf8()));
        }
        let digits = match rest.as_bytes() {
            [b'\\', b'u', ..] => 4,
            [b'\\', b'U', ..] => 8,
            _ => return None,
        };
        let value = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
        let c = char::from_u32(value)?;
        allowed(c).then_some((c, 2 + digits))
    }
}
