//! Lines that start with `#`, and the operators `_Pragma` and `__pragma`.

use super::{Lexer, line_end};

/// The state of `#pragma pack`.
#[derive(Debug, Default)]
pub struct Packs {
    /// The index of the first affected token, and the alignment in force.
    pub changes: Vec<(u32, u64)>,
    stack: Vec<(Option<String>, u64)>,
    current: u64,
}

impl Packs {
    /// Applies the arguments of `pack(…)`; returns whether they are well-formed.
    fn apply(&mut self, arguments: &str, token: usize) -> bool {
        let mut words = arguments.split(',').map(str::trim);
        let mut value = None;
        let mut name = None;
        let first = words.next().unwrap_or("");
        let mut rest = words.peekable();
        let number = |word: &str| word.parse().ok().filter(|n| matches!(n, 0 | 1 | 2 | 4 | 8 | 16));
        match first {
            "push" | "pop" => {
                if let Some(&word) = rest.peek()
                    && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                {
                    name = Some(word.to_owned());
                    rest.next();
                }
                if let Some(word) = rest.next() {
                    let Some(n) = number(word) else { return false };
                    value = Some(n);
                }
                if rest.next().is_some() {
                    return false;
                }
                if first == "push" {
                    self.stack.push((name, self.current));
                } else {
                    match name {
                        None => {
                            if let Some((_, old)) = self.stack.pop() {
                                self.current = old;
                            }
                        }
                        Some(name) => {
                            if let Some(at) = self.stack.iter().rposition(|(n, _)| n.as_ref() == Some(&name)) {
                                self.current = self.stack[at].1;
                                self.stack.truncate(at);
                            }
                        }
                    }
                }
                self.current = value.unwrap_or(self.current);
            }
            "" => self.current = 0,
            word => {
                let (Some(n), None) = (number(word), rest.next()) else { return false };
                self.current = n;
            }
        }
        self.changes.push((token as u32, self.current));
        true
    }
}

impl Lexer<'_> {
    /// Lexes `#` or `%:`, which starts a directive if it is the first token of its line.
    #[cold]
    pub(super) fn directive_or_stray(&mut self, start: usize, len: usize) {
        let before = self.text[..start].trim_end_matches([' ', '\t', '\r', '\x0b', '\x0c']);
        if !(before.is_empty() || before.ends_with('\n') || before == "\u{feff}") {
            self.at = start + len;
            return self.error(start, self.at, "unexpected character '#'");
        }
        let end = line_end(self.bytes, start);
        self.at = end;
        let text = self.text;
        let line = text[start + len..end].trim();
        let word_len = line.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(line.len());
        let (word, rest) = line.split_at(word_len);
        match word {
            "" | "line" | "ident" | "sccs" => {}
            "pragma" => self.pragma(rest, start, end),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => {
                // Such lines usually come in numbers. Report only the first one, without other errors.
                self.unpreprocessed = true;
                self.at = self.bytes.len();
                let shown = start + len + text[start + len..end].trim_end().len();
                let message = format!("unexpected directive '#{word}' in preprocessed text");
                self.diagnostics.truncate(self.first_diagnostic);
                self.error(start, shown, message);
            }
        }
    }

    /// Interprets the text after the word `pragma`.
    fn pragma(&mut self, text: &str, start: usize, end: usize) {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("pack") {
            let rest = rest.trim();
            if let Some(arguments) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
                if !self.packs.apply(arguments.0.trim(), self.tokens.len()) {
                    self.warn_pragma(start, end, "malformed '#pragma pack' has no effect");
                }
            } else if rest.is_empty() || rest.starts_with('(') {
                self.warn_pragma(start, end, "malformed '#pragma pack' has no effect");
            }
        } else {
            // These change layouts and the meaning of names.
            let name = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("");
            if ["scalar_storage_order", "ms_struct", "weak", "redefine_extname"].contains(&name) {
                self.error(start, end, format!("'#pragma {name}' is not supported"));
            }
        }
    }

    fn warn_pragma(&mut self, start: usize, end: usize, message: &str) {
        self.error(start, end, message);
        if let Some(last) = self.diagnostics.last_mut() {
            last.severity = cairn_ir::diagnostic::Severity::Warning;
        }
    }

    /// Lexes `_Pragma("…")` or `__pragma(…)` after its first word.
    #[cold]
    pub(super) fn pragma_operator(&mut self, start: usize) {
        let text = self.text;
        let rest = &text[self.at..];
        let inner_at = self.at + (rest.len() - rest.trim_start().len());
        // The operator stands for one line, so limit the search for the closing parenthesis.
        let inner = &self.bytes[inner_at..];
        let Some(len) = balanced(&inner[..inner.len().min(1024)]) else {
            return self.error(
                start,
                self.at,
                format!("expected '(' and a closing ')' after '{}'", &text[start..self.at]),
            );
        };
        self.at = inner_at + len;
        let inner = text[inner_at + 1..self.at - 1].trim();
        let quoted = inner.strip_prefix('L').unwrap_or(inner);
        match quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')) {
            Some(quoted) => {
                let plain = quoted.replace("\\\"", "\"").replace("\\\\", "\\");
                self.pragma(&plain, start, self.at);
            }
            None => self.pragma(inner, start, self.at),
        }
    }
}

/// Returns the length of a parenthesised text. Parentheses inside strings do not count.
fn balanced(bytes: &[u8]) -> Option<usize> {
    if bytes.first() != Some(&b'(') {
        return None;
    }
    let mut depth = 0usize;
    let mut quoted = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => at += 1,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
