//! The lexer for SMT-LIB text.

use super::{Place, ReadError};

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Open,
    Close,
    /// A symbol without the quoting bars; keywords keep their colon.
    Symbol(String),
    /// Decimal digits.
    Numeral(String),
    /// A string literal, a decimal or a bit-vector constant; valid tokens that no formula uses.
    Literal(String),
}

/// Splits a text into tokens with their positions.
pub(super) fn tokens(text: &str) -> Result<Vec<(Place, Token)>, ReadError> {
    let mut lexer = Lexer { rest: text.chars().peekable(), place: Place { line: 1, column: 1 } };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    place: Place,
}

impl Lexer<'_> {
    fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
        Some(c)
    }

    fn token(&mut self) -> Result<Option<(Place, Token)>, ReadError> {
        loop {
            match self.rest.peek() {
                None => return Ok(None),
                Some(';') => {
                    while self.rest.peek().is_some_and(|&c| c != '\n') {
                        self.bump();
                    }
                }
                Some(c) if c.is_whitespace() || *c == '\u{feff}' => {
                    self.bump();
                }
                Some(_) => break,
            }
        }
        let place = self.place;
        let token = match self.bump() {
            None => return Ok(None),
            Some('(') => Token::Open,
            Some(')') => Token::Close,
            Some('|') => Token::Symbol(self.until('|', place, "a `|` that ends the quoted symbol")?),
            Some('"') => {
                let mut literal = self.until('"', place, "a `\"` that ends the string")?;
                while self.rest.peek() == Some(&'"') {
                    self.bump();
                    literal.push('"');
                    literal.push_str(&self.until('"', place, "a `\"` that ends the string")?);
                }
                Token::Literal(literal)
            }
            Some(first) => self.word(first, place)?,
        };
        Ok(Some((place, token)))
    }

    fn until(&mut self, end: char, place: Place, expected: &str) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.bump() {
                None => {
                    return Err(ReadError { place, message: format!("the text ends before {expected}") });
                }
                Some(c) if c == end => return Ok(text),
                Some(c) => text.push(c),
            }
        }
    }

    fn word(&mut self, first: char, place: Place) -> Result<Token, ReadError> {
        let in_symbol = |c: char| c.is_alphanumeric() || "~!@$%^&*_-+=<>.?/:#'".contains(c);
        if !in_symbol(first) {
            let message =
                format!("the character {first:?} can't be here: expected a symbol, a number or a parenthesis");
            return Err(ReadError { place, message });
        }
        let mut word = String::from(first);
        while let Some(&c) = self.rest.peek() {
            if !in_symbol(c) {
                break;
            }
            word.push(c);
            self.bump();
        }
        if word.chars().all(|c| c.is_ascii_digit()) {
            return Ok(Token::Numeral(word));
        }
        if first.is_ascii_digit() || first == '#' {
            return Ok(Token::Literal(word));
        }
        Ok(Token::Symbol(word))
    }
}
