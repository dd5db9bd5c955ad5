//! The lexer: splits a text into tokens.
//!
//! The lexer works on bytes and never fails: it reports and skips everything that is not C. It only delimits literals;
//! the parser calls [`number`] and [`string`] to evaluate them. The source map has already interpreted line markers, so
//! the lexer skips them. Of all pragmas only `pack` has a meaning. Its values are recorded beside the tokens.
//!
//! [`keywords`] holds the keyword tables, `ident` identifiers beyond ASCII, `directive` lines that start with `#`, and
//! `splice` line continuations.

pub mod keywords;
pub mod number;
pub mod string;

mod directive;
mod ident;
mod splice;
mod token;

use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::source::Span;

use crate::symbol::Interner;
pub use token::{Token, TokenKind};

/// The tokens of a text.
#[derive(Debug)]
pub struct Tokens {
    /// The tokens, ending in [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// The changes of `#pragma pack`: the index of the first affected token, and the alignment in force (0 for none).
    pub packs: Vec<(u32, u64)>,
    /// Whether the text contains line continuations, which may also occur inside the text of a token.
    pub spliced: bool,
    /// Whether the text contains directives that a preprocessor must handle first. Parsing it is then pointless.
    pub unpreprocessed: bool,
}

/// Splits a text whose first byte has the global offset `base` into tokens.
pub fn lex(text: &str, base: u32, interner: &mut Interner, diagnostics: &mut Vec<Diagnostic>) -> Tokens {
    let joined = splice::join(text);
    let (text, splices) = match &joined {
        Some((text, splices)) => (text.as_str(), splices.as_slice()),
        None => (text, [].as_slice()),
    };
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        base,
        splices,
        tokens: Vec::with_capacity(text.len() / 5 + 1),
        packs: directive::Packs::default(),
        unpreprocessed: false,
        first_diagnostic: diagnostics.len(),
        interner,
        diagnostics,
    };
    lexer.run();
    let Lexer { mut tokens, packs, unpreprocessed, .. } = lexer;
    for token in &mut tokens {
        if !splices.is_empty() {
            token.start = splice::original(splices, token.start);
            token.end = splice::original_end(splices, token.end);
        }
        token.start += base;
        token.end += base;
    }
    Tokens { tokens, packs: packs.changes, spliced: !splices.is_empty(), unpreprocessed }
}

/// Returns the text of a token without its line continuations, if it contains any.
pub fn unspliced(text: &str) -> Option<String> {
    splice::join(text).map(|(joined, _)| joined)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// The offset of the next byte.
    at: usize,
    base: u32,
    splices: &'a [splice::Splice],
    tokens: Vec<Token>,
    packs: directive::Packs,
    unpreprocessed: bool,
    /// The number of diagnostics before this text.
    first_diagnostic: usize,
    interner: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    /// Returns the byte `ahead` of the current position, or 0 past the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn push(&mut self, kind: TokenKind, start: usize, payload: u32) {
        self.tokens.push(Token { start: start as u32, end: self.at as u32, payload, kind });
    }

    fn error(&mut self, start: usize, end: usize, message: impl Into<String>) {
        let start = splice::original(self.splices, start as u32);
        let end = splice::original_end(self.splices, end as u32);
        let span = Span::new(self.base + start, self.base + end);
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.at = 3;
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    while self.peek(0) == b' ' {
                        self.at += 1;
                    }
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(start),
                b'0'..=b'9' => self.number(start),
                b'.' if self.peek(1).is_ascii_digit() => self.number(start),
                b'"' | b'\'' => self.quoted(start, byte),
                b'/' if self.peek(1) == b'/' => self.at = line_end(self.bytes, self.at),
                b'/' if self.peek(1) == b'*' => self.block_comment(start),
                b'#' => self.directive_or_stray(start, 1),
                b'%' if self.peek(1) == b':' => self.directive_or_stray(start, 2),
                b'\\' | 0x80.. => self.unusual_word(start),
                _ => match punctuator(byte, self.peek(1), self.peek(2)) {
                    Some((kind, len)) => {
                        self.at += len;
                        self.push(kind, start, 0);
                    }
                    None => {
                        self.at += 1;
                        self.error(start, self.at, format!("unexpected character {}", describe_byte(byte)));
                    }
                },
            }
        }
        self.at = self.bytes.len();
        self.push(TokenKind::Eof, self.at, 0);
    }

    /// Lexes an identifier, a keyword or a literal with a prefix.
    #[inline]
    fn word(&mut self, start: usize) {
        let rest = &self.bytes[start..];
        let len = rest.iter().position(|&b| !ident::CONTINUES[b as usize]).unwrap_or(rest.len());
        self.at = start + len;
        match rest.get(len) {
            Some(b'\\' | 0x80..) => return self.unusual_word(start),
            Some(&quote @ (b'"' | b'\'')) if matches!(&rest[..len], b"L" | b"u" | b"U" | b"u8") => {
                return self.quoted(start, quote);
            }
            Some(b'"') if matches!(&rest[..len], b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                return self.raw_string(start);
            }
            _ => {}
        }
        let symbol = self.interner.intern(&self.text[start..self.at]);
        let kind = keywords::kind(symbol);
        if kind == TokenKind::Pragma {
            return self.pragma_operator(start);
        }
        self.push(kind, start, symbol.0);
    }

    /// Lexes a preprocessing number. Its value is computed later.
    fn number(&mut self, start: usize) {
        self.at += 1;
        loop {
            let byte = self.peek(0);
            if ident::CONTINUES[byte as usize] {
                self.at += 1;
                // After the letter of an exponent, a sign belongs to the number.
                if matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(self.peek(0), b'+' | b'-') {
                    self.at += 1;
                }
            } else if byte == b'.' || byte == b'\'' && ident::CONTINUES[self.peek(1) as usize] {
                self.at += 1;
            } else {
                break;
            }
        }
        self.push(TokenKind::Number, start, 0);
    }

    /// Lexes a character constant or string whose opening quote is the next byte.
    fn quoted(&mut self, start: usize, quote: u8) {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(&byte) if byte == quote => {
                    self.at += 1;
                    break self.push_quoted(start, quote, 0);
                }
                Some(b'\\') if self.peek(1) != b'\n' && self.at + 1 < self.bytes.len() => self.at += 2,
                Some(b'\n') | None => {
                    self.at = self.at.min(self.bytes.len());
                    let message = format!("missing terminating '{}' character", char::from(quote));
                    self.error(start, start + 1, message);
                    break self.push_quoted(start, quote, 1);
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Lexes `R"delimiter(…)delimiter"`, a multi-line string without escapes, whose opening quote is the next byte.
    fn raw_string(&mut self, start: usize) {
        let body = self.at + 1;
        let rest = &self.bytes[body..];
        let delimiter = rest.iter().take(17).position(|&b| b == b'(');
        let delimiter = delimiter.filter(|&n| !rest[..n].iter().any(|b| b" )\\\t\n\"".contains(b)));
        let Some(len) = delimiter else {
            self.error(start, self.at + 1, "invalid raw string delimiter");
            return self.quoted(start, b'"');
        };
        let close = [b")", &rest[..len], b"\""].concat();
        match rest.windows(close.len()).position(|window| window == close) {
            Some(at) => {
                self.at = body + at + close.len();
                // A line continuation would be part of the string, but it was already removed.
                let original = |at: usize| splice::original(self.splices, at as u32) as usize;
                if original(self.at) - original(start) != self.at - start {
                    self.error(start, body, "line continuation in a raw string is not supported");
                }
                self.push_quoted(start, b'"', 0);
            }
            None => {
                self.at = self.bytes.len();
                self.error(start, body, "unterminated raw string");
                self.push_quoted(start, b'"', 1);
            }
        }
    }

    fn push_quoted(&mut self, start: usize, quote: u8, reported: u32) {
        let kind = if quote == b'"' { TokenKind::String } else { TokenKind::CharConstant };
        self.push(kind, start, reported);
    }

    fn block_comment(&mut self, start: usize) {
        let body = &self.bytes[start + 2..];
        let mut from = 0;
        loop {
            match body[from..].iter().position(|&b| b == b'/') {
                Some(p) if from + p > 0 && body[from + p - 1] == b'*' => {
                    self.at = start + 2 + from + p + 1;
                    return;
                }
                Some(p) => from += p + 1,
                None => {
                    self.at = self.bytes.len();
                    return self.error(start, start + 2, "unterminated /* comment");
                }
            }
        }
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |p| from + p)
}

fn describe_byte(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("'{}'", char::from(byte)) } else { format!("<U+{byte:04X}>") }
}

/// Returns the punctuator that starts with these bytes, and its length.
#[inline]
fn punctuator(first: u8, second: u8, third: u8) -> Option<(TokenKind, usize)> {
    use TokenKind::*;
    Some(match (first, second, third) {
        (b'(', ..) => (LParen, 1),
        (b')', ..) => (RParen, 1),
        (b'[', ..) => (LBracket, 1),
        (b']', ..) => (RBracket, 1),
        (b'{', ..) => (LBrace, 1),
        (b'}', ..) => (RBrace, 1),
        (b';', ..) => (Semi, 1),
        (b',', ..) => (Comma, 1),
        (b':', b'>', _) => (RBracket, 2),
        (b':', ..) => (Colon, 1),
        (b'?', ..) => (Question, 1),
        (b'~', ..) => (Tilde, 1),
        (b'.', b'.', b'.') => (Ellipsis, 3),
        (b'.', ..) => (Dot, 1),
        (b'-', b'>', _) => (Arrow, 2),
        (b'-', b'-', _) => (MinusMinus, 2),
        (b'-', b'=', _) => (MinusEq, 2),
        (b'-', ..) => (Minus, 1),
        (b'+', b'+', _) => (PlusPlus, 2),
        (b'+', b'=', _) => (PlusEq, 2),
        (b'+', ..) => (Plus, 1),
        (b'*', b'=', _) => (StarEq, 2),
        (b'*', ..) => (Star, 1),
        (b'/', b'=', _) => (SlashEq, 2),
        (b'/', ..) => (Slash, 1),
        (b'%', b'=', _) => (PercentEq, 2),
        (b'%', b'>', _) => (RBrace, 2),
        (b'%', ..) => (Percent, 1),
        (b'&', b'&', _) => (AmpAmp, 2),
        (b'&', b'=', _) => (AmpEq, 2),
        (b'&', ..) => (Amp, 1),
        (b'|', b'|', _) => (PipePipe, 2),
        (b'|', b'=', _) => (PipeEq, 2),
        (b'|', ..) => (Pipe, 1),
        (b'^', b'=', _) => (CaretEq, 2),
        (b'^', ..) => (Caret, 1),
        (b'!', b'=', _) => (BangEq, 2),
        (b'!', ..) => (Bang, 1),
        (b'=', b'=', _) => (EqEq, 2),
        (b'=', ..) => (Eq, 1),
        (b'<', b'<', b'=') => (LtLtEq, 3),
        (b'<', b'<', _) => (LtLt, 2),
        (b'<', b'=', _) => (LtEq, 2),
        (b'<', b':', _) => (LBracket, 2),
        (b'<', b'%', _) => (LBrace, 2),
        (b'<', ..) => (Lt, 1),
        (b'>', b'>', b'=') => (GtGtEq, 3),
        (b'>', b'>', _) => (GtGt, 2),
        (b'>', b'=', _) => (GtEq, 2),
        (b'>', ..) => (Gt, 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
