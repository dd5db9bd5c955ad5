//! The tokeniser: a position in the text and the primitive parsers.

use super::{ParseError, Result};

/// A position in the text.
///
/// Words and numbers are consumed and returned; punctuation is matched against an expected spelling.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// The start of the last word, for error messages.
    word_start: usize,
}

/// A saved position, for errors about the text that follows it.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, line_start: 0, word_start: 0 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') if self.rest().starts_with(b"//") => {
                    self.at += self.rest().iter().position(|&b| b == b'\n').unwrap_or(self.rest().len());
                }
                _ => return,
            }
        }
    }

    pub(super) fn skip_blank_lines(&mut self) {
        self.skip_space();
        while self.byte() == Some(b'\n') {
            self.newline();
            self.skip_space();
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    /// Returns whether the whole text has been consumed.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn end_of_line(&mut self) -> Result<()> {
        self.skip_space();
        match self.byte() {
            None => Ok(()),
            Some(b'\n') => {
                self.newline();
                Ok(())
            }
            Some(_) => self.fail("the end of the line"),
        }
    }

    /// Returns whether only a location can follow on this line.
    pub(super) fn at_place_or_end(&mut self) -> bool {
        self.skip_space();
        matches!(self.byte(), None | Some(b'\n' | b'@'))
    }

    pub(super) fn mark(&mut self) -> Mark {
        self.skip_space();
        Mark(self.at)
    }

    /// Returns the error that `expected` is missing here.
    pub(super) fn fail<T>(&mut self, expected: &str) -> Result<T> {
        self.skip_space();
        self.fail_at(Mark(self.at), expected)
    }

    /// Returns the error that the last word is not `expected`.
    pub(super) fn fail_at_word<T>(&self, expected: &str) -> Result<T> {
        self.fail_at(Mark(self.word_start), expected)
    }

    /// Returns the error that `expected` is missing at an earlier position on this line.
    pub(super) fn fail_at<T>(&self, mark: Mark, expected: &str) -> Result<T> {
        let rest = self.text.as_bytes().get(mark.0..).unwrap_or_default();
        let found = match rest.first() {
            None => "the end of the text".to_owned(),
            Some(b'\n') => "the end of the line".to_owned(),
            Some(first) => {
                let word = rest.iter().take_while(|b| is_word(**b)).count();
                let length = match word {
                    0 if first.is_ascii() => 1,
                    0 => self.text.get(mark.0..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8),
                    word => word.min(40),
                };
                format!("`{}`", String::from_utf8_lossy(&rest[..length.min(rest.len())]))
            }
        };
        Err(self.error(mark, format!("expected {expected}, found {found}")))
    }

    fn error(&self, mark: Mark, message: String) -> ParseError {
        let column = mark.0.saturating_sub(self.line_start) + 1;
        ParseError { line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX), message }
    }

    /// Consumes the longest sequence of letters, digits and underscores, which may be empty.
    pub(super) fn word(&mut self) -> &'a str {
        self.run(is_word)
    }

    /// Consumes a word that may contain dashes, such as the name of a check.
    pub(super) fn dashed_word(&mut self) -> &'a str {
        self.run(|b| is_word(b) || b == b'-')
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        self.skip_space();
        self.word_start = self.at;
        let length = self.rest().iter().take_while(|&&b| belongs(b)).count();
        self.at += length;
        // All bytes of a word are ASCII, so the slice lies on character boundaries.
        self.text.get(self.word_start..self.at).unwrap_or("")
    }

    /// Consumes `word` if it is the next word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let found =
            self.rest().starts_with(word.as_bytes()) && !self.rest().get(word.len()).is_some_and(|&b| is_word(b));
        if found {
            self.at += word.len();
        }
        found
    }

    pub(super) fn keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { self.fail(&format!("`{word}`")) }
    }

    /// Consumes the punctuation if it is next.
    pub(super) fn eat(&mut self, punctuation: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(punctuation.as_bytes());
        if found {
            self.at += punctuation.len();
        }
        found
    }

    pub(super) fn expect(&mut self, punctuation: &str) -> Result<()> {
        if self.eat(punctuation) { Ok(()) } else { self.fail(&format!("`{punctuation}`")) }
    }

    /// Like [`Cursor::expect`], with an error message that lists all alternatives.
    pub(super) fn expect_one_of(&mut self, punctuation: &str, expected: &str) -> Result<()> {
        if self.eat(punctuation) { Ok(()) } else { self.fail(expected) }
    }

    fn digits(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes().get(from..).unwrap_or_default();
        bytes.iter().take_while(|b| b.is_ascii_digit()).count()
    }

    /// Parses the text from `start` up to the current position as a number.
    fn parsed<T: std::str::FromStr>(&self, start: usize, expected: &str) -> Result<T> {
        match self.text.get(start..self.at).and_then(|t| t.parse().ok()) {
            Some(value) => Ok(value),
            None => self.fail_at(Mark(start), expected),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        self.unsigned("a number below 2^64")
    }

    pub(super) fn number_u32(&mut self) -> Result<u32> {
        self.unsigned("a number below 2^32")
    }

    pub(super) fn number_u8(&mut self) -> Result<u8> {
        self.unsigned("a number below 256")
    }

    fn unsigned<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T> {
        self.skip_space();
        let start = self.at;
        self.at += self.digits(start);
        self.parsed(start, expected)
    }

    /// Returns whether a number, possibly with a sign, is next.
    pub(super) fn at_integer(&mut self) -> bool {
        self.skip_space();
        let sign = usize::from(self.byte() == Some(b'-'));
        self.digits(self.at + sign) > 0
    }

    pub(super) fn integer(&mut self) -> Result<i64> {
        self.skip_space();
        let start = self.at;
        let sign = usize::from(self.byte() == Some(b'-'));
        self.at += sign + self.digits(start + sign);
        self.parsed(start, "an integer of 64 bits")
    }

    /// Parses `+8` or `-8` directly after the last token; returns 0 if there is none.
    pub(super) fn offset(&mut self) -> Result<i64> {
        if !matches!(self.byte(), Some(b'+' | b'-')) {
            return Ok(0);
        }
        let start = self.at;
        self.at += 1 + self.digits(start + 1);
        self.parsed(start, "an offset of 64 bits")
    }

    pub(super) fn hexadecimal(&mut self) -> Result<u128> {
        let start = self.mark();
        let value = self.word().strip_prefix("0x").filter(|t| !t.starts_with('+'));
        match value.and_then(|t| u128::from_str_radix(t, 16).ok()) {
            Some(value) => Ok(value),
            None => self.fail_at(start, "a hexadecimal number of 128 bits"),
        }
    }

    /// Consumes an id with the given prefix (`v3`) if it is next.
    pub(super) fn eat_id(&mut self, prefix: char) -> Option<u32> {
        self.skip_space();
        self.word_start = self.at;
        if self.byte() != Some(prefix as u8) {
            return None;
        }
        let end = self.at + 1 + self.digits(self.at + 1);
        if self.text.as_bytes().get(end).is_some_and(|&b| is_word(b)) {
            return None;
        }
        let id = self.text.get(self.at + 1..end)?.parse().ok()?;
        self.at = end;
        Some(id)
    }

    pub(super) fn id(&mut self, prefix: char, expected: &str) -> Result<u32> {
        match self.eat_id(prefix) {
            Some(id) => Ok(id),
            None => self.fail(expected),
        }
    }

    /// Consumes the id of the next entry of a table that has `length` entries.
    pub(super) fn next_id(&mut self, prefix: char, length: usize) -> Result<()> {
        if self.eat_id(prefix).is_some_and(|id| id as usize == length) {
            return Ok(());
        }
        self.fail_at_word(&format!("{prefix}{length}"))
    }

    /// Returns whether a string follows on this line.
    pub(super) fn at_string(&mut self) -> bool {
        self.skip_space();
        self.byte() == Some(b'"')
    }

    /// Parses a string in quotes.
    pub(super) fn string(&mut self) -> Result<Vec<u8>> {
        self.expect_one_of("\"", "a string in quotes")?;
        let mut bytes = Vec::new();
        loop {
            match self.byte() {
                None | Some(b'\n') => return self.fail("`\"`"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(bytes);
                }
                Some(b'\\') => {
                    let digit = |at: usize| self.text.as_bytes().get(at).and_then(|&b| char::from(b).to_digit(16));
                    let (Some(high), Some(low)) = (digit(self.at + 1), digit(self.at + 2)) else {
                        return self.fail("two hexadecimal digits after `\\`");
                    };
                    bytes.push((high * 16 + low) as u8);
                    self.at += 3;
                }
                Some(byte) => {
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    /// Parses a string in UTF-8.
    pub(super) fn text(&mut self) -> Result<String> {
        let start = self.mark();
        String::from_utf8(self.string()?).or_else(|_| self.fail_at(start, "a string in UTF-8"))
    }

    /// Parses a string in UTF-8, if present.
    pub(super) fn optional_text(&mut self) -> Result<Option<Box<str>>> {
        self.skip_space();
        if self.byte() == Some(b'"') { self.text().map(|t| Some(t.into())) } else { Ok(None) }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
