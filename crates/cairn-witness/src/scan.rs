//! Tokens of C text, and the extents of statements, calls and conditions in it.
//!
//! This is no parser: brackets and a few keywords are enough to find where a statement ends.

/// Statements inside statements without braces. More than these are not found, so that the stack suffices.
const MAX_NESTING: usize = 200;

/// A token: its bytes in the text and its location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The line and the column that a witness names.
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The line that reports name: it follows line markers.
    pub(crate) reported: u32,
}

/// The tokens of a text.
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t str,
    pub(crate) tokens: Vec<Token>,
}

/// Which lines of a text a witness names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// Those of the text itself: the program was preprocessed already.
    Physical,
    /// Those that line markers say: the text comes from a preprocessor.
    Marked,
}

/// A range of bytes.
pub(crate) type Span = (usize, usize);

impl<'t> Scan<'t> {
    /// Splits a text into tokens. With line markers, tokens of other files than `name` are left out.
    pub(crate) fn new(text: &'t str, lines: Lines, name: &str) -> Self {
        let mut tokens = Vec::new();
        let (mut reported, mut is_here) = (1_u32, true);
        let mut offset = 0;
        let mut in_comment = false;
        for (physical, line) in text.split_inclusive('\n').enumerate() {
            let marker = if in_comment { None } else { line_marker(line) };
            if let Some((next, file)) = marker {
                reported = next;
                is_here = lines == Lines::Physical || same_file(file, name);
            } else {
                let number = if lines == Lines::Physical { physical as u32 + 1 } else { reported };
                let keep = is_here && !line.trim_start().starts_with('#');
                in_comment = tokens_of_line(line, in_comment, |start, end, column| {
                    if keep {
                        let (start, end) = (offset + start, offset + end);
                        tokens.push(Token { start, end, line: number, column, reported });
                    }
                });
                reported += 1;
            }
            offset += line.len();
        }
        Self { text, tokens }
    }

    pub(crate) fn word(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| &self.text[token.start..token.end])
    }

    /// Returns the token at a location; without a column, the first one of the line.
    pub(crate) fn at(&self, line: u32, column: Option<u32>) -> Option<usize> {
        let first = self.tokens.partition_point(|token| token.line < line);
        let on_line = |index: &usize| self.tokens[*index].line == line;
        (first..self.tokens.len())
            .take_while(on_line)
            .find(|&index| column.is_none_or(|column| self.tokens[index].column == column))
    }

    /// Returns the index after the bracket that closes the one at an index.
    fn after_bracket(&self, open: usize) -> Option<usize> {
        let mut depth = 0_i32;
        for index in open..self.tokens.len() {
            match self.word(index) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the index after a statement.
    pub(crate) fn after_statement(&self, start: usize) -> Option<usize> {
        self.after_nested(start, 0)
    }

    /// Returns the index after a statement that is a part of `depth` others.
    fn after_nested(&self, start: usize, depth: usize) -> Option<usize> {
        if depth == MAX_NESTING {
            return None;
        }
        let mut at = start;
        loop {
            match self.word(at) {
                "{" => return self.after_bracket(at),
                "while" | "for" | "switch" => at = self.after_bracket(at + 1)?,
                "if" => {
                    let end = self.after_nested(self.after_bracket(at + 1)?, depth + 1)?;
                    if self.word(end) != "else" {
                        return Some(end);
                    }
                    at = end + 1;
                }
                "do" => {
                    let body = self.after_nested(at + 1, depth + 1)?;
                    (self.word(body) == "while").then_some(())?;
                    return Some(self.after_bracket(body + 1)? + 1);
                }
                _ => return self.after_semicolon(at),
            }
        }
    }

    /// Returns the index after the semicolon that ends a statement.
    fn after_semicolon(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match self.word(at) {
                ";" => return Some(at + 1),
                "(" | "[" | "{" => at = self.after_bracket(at)?,
                "" | ")" | "]" | "}" => return None,
                _ => at += 1,
            }
        }
    }

    /// Returns whether the statement at an index is the body of another one, without braces.
    pub(crate) fn is_bare_body(&self, index: usize) -> bool {
        index > 0 && matches!(self.word(index - 1), ")" | "else" | "do")
    }

    /// Returns the span of the call whose closing parenthesis is at an index.
    pub(crate) fn call_ending_at(&self, close: usize) -> Option<Span> {
        if self.word(close) != ")" {
            return None;
        }
        let mut depth = 0_i32;
        let mut at = close;
        loop {
            match self.word(at) {
                ")" => depth += 1,
                "(" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            at = at.checked_sub(1)?;
        }
        let name = at.checked_sub(1)?;
        let is_name = self.word(name).starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_keyword = matches!(self.word(name), "if" | "while" | "for" | "switch" | "sizeof" | "return");
        (is_name && !is_keyword).then(|| (self.tokens[name].start, self.tokens[close].end))
    }

    /// Returns the span of the condition of a branch or loop, without its parentheses. It is empty in `for (;;)`.
    pub(crate) fn condition_of(&self, keyword: usize) -> Option<Span> {
        let open = keyword + 1;
        let close = self.after_bracket(open)?.checked_sub(1)?;
        match self.word(keyword) {
            "if" | "while" | "switch" => Some((self.tokens[open].end, self.tokens[close].start)),
            "for" => {
                let mut semicolons = Vec::new();
                let mut at = open + 1;
                while at < close {
                    match self.word(at) {
                        ";" => semicolons.push(at),
                        "(" | "[" | "{" => {
                            at = self.after_bracket(at)?;
                            continue;
                        }
                        _ => {}
                    }
                    at += 1;
                }
                let &[first, second] = &semicolons[..] else { return None };
                Some((self.tokens[first].end, self.tokens[second].start))
            }
            _ => None,
        }
    }
}

/// Reads `# 12 "file"` and `#line 12 "file"`.
fn line_marker(line: &str) -> Option<(u32, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let file = rest[digits..].trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
    Some((number, file.unwrap_or("")))
}

/// Returns whether two names are of the same file. Witnesses name files in many ways; the last part is what they agree on.
pub(crate) fn same_file(one: &str, other: &str) -> bool {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    one.is_empty() || last(one) == last(other)
}

/// Calls `each` with the offsets and the column of each token of a line. Returns whether a comment goes on in the next line.
fn tokens_of_line(line: &str, mut in_comment: bool, mut each: impl FnMut(usize, usize, u32)) -> bool {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if in_comment {
            match line[at..].find("*/") {
                Some(end) => at += end + 2,
                None => return true,
            }
            in_comment = false;
            continue;
        }
        let rest = &line[at..];
        let c = bytes[at];
        if rest.starts_with("/*") {
            in_comment = true;
            at += 2;
            continue;
        }
        if rest.starts_with("//") {
            return false;
        }
        let length = match c {
            _ if c.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'"' | b'\'' => literal(&bytes[at..]),
            _ if c.is_ascii_alphanumeric() || c == b'_' => {
                rest.bytes().take_while(|&c| c.is_ascii_alphanumeric() || c == b'_').count()
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        each(at, at + length, at as u32 + 1);
        at += length;
    }
    in_comment
}

/// Returns the length of a string or character literal.
fn literal(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    // A backslash at the end of the line escapes nothing.
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Scan<'_> {
        Scan::new(text, Lines::Physical, "a.c")
    }

    fn statement(text: &str) -> &str {
        let scan = scan(text);
        let end = scan.after_statement(0).expect("a statement");
        &text[..scan.tokens[end - 1].end]
    }

    #[test]
    fn statements_end_where_c_says() {
        assert_eq!(statement("a = f(1; 2); b;"), "a = f(1; 2);");
        assert_eq!(statement("if (a) b; else if (c) d; else { e; } f;"), "if (a) b; else if (c) d; else { e; }");
        assert_eq!(statement("while (a) if (b) c; d;"), "while (a) if (b) c;");
        assert_eq!(statement("do { a; } while (b); c;"), "do { a; } while (b);");
        assert_eq!(statement("x = ';' + \";\\\"\" /* ; */ + 1; y;"), "x = ';' + \";\\\"\" /* ; */ + 1;");
        assert!(scan("if (a) b").after_statement(0).is_none());
        assert!(scan("}").after_statement(0).is_none());
    }

    #[test]
    fn calls_and_conditions_are_found() {
        let text = "x = f(g(1), 2) + 1; for (int i = 0; i < h(3); i++) ;";
        let scan = scan(text);
        let close = scan.at(1, Some(14)).expect("the parenthesis");
        let (start, end) = scan.call_ending_at(close).expect("a call");
        assert_eq!(&text[start..end], "f(g(1), 2)");
        let keyword = (0..scan.tokens.len()).find(|&index| scan.word(index) == "for").expect("a loop");
        let (start, end) = scan.condition_of(keyword).expect("a condition");
        assert_eq!(text[start..end].trim(), "i < h(3)");
    }

    #[test]
    fn markers_change_the_lines_of_reports_only() {
        let text = "# 5 \"a.c\"\nint x;\n# 1 \"other.h\"\nint y;\n# 7 \"a.c\"\nint z;\n";
        let physical = Scan::new(text, Lines::Physical, "a.i");
        assert_eq!(physical.at(6, None).map(|index| physical.tokens[index].reported), Some(7));
        let marked = Scan::new(text, Lines::Marked, "dir/a.c");
        assert_eq!(marked.at(7, Some(5)).map(|index| marked.word(index)), Some("z"));
        assert!(marked.at(1, None).is_none(), "the header is another file");
    }
}
