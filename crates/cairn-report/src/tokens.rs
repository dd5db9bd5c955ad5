//! The tokens of C text, for reports that search for a statement, a call or the body of a function.

/// Returns whether a character can be part of a name or a number.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// An iterator over the tokens of C text, exact enough to find statements: names and numbers, literals, single characters.
/// Comments and preprocessor directives are skipped.
pub(crate) struct Tokens<'a> {
    /// The text.
    pub(crate) text: &'a str,
    /// The offset of the next token.
    pub(crate) at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        loop {
            let rest = self.text.get(self.at..)?;
            let first = rest.chars().next()?;
            let length = if first.is_whitespace() {
                first.len_utf8()
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.get(2..).and_then(|r| r.find("*/")).map_or(rest.len(), |end| end + 4)
            } else if first == '#' && self.begins_line() {
                directive_length(rest)
            } else {
                let length = match first {
                    '"' | '\'' => literal_length(rest, first),
                    c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                    c => c.len_utf8(),
                };
                let start = self.at;
                self.at += length;
                return Some((start, &rest[..length]));
            };
            self.at += length;
        }
    }
}

impl Tokens<'_> {
    fn begins_line(&self) -> bool {
        self.text[..self.at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n')
    }
}

/// Returns the length of a directive, which continues after a backslash at the end of a line.
fn directive_length(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    end
}

fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
