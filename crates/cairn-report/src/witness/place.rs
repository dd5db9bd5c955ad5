//! The locations of witnesses: lines and columns of the task's file on disk.
//!
//! Locations of the IR follow line markers and count columns after preprocessing. This module maps them back to the file, and
//! to the characters that the formats ask for: the first one of a statement, the closing parenthesis of a call.

use cairn_ir::Loc;
use cairn_ir::source::SourceMap;

use crate::Texts;
use crate::excerpt::place_in_original;
use crate::tokens::{Tokens, is_word};

/// A character of a file; line and column count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A call in the text.
pub(super) struct CallText {
    pub(super) name: String,
    /// Its closing parenthesis.
    pub(super) end: Place,
}

/// A loop in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LoopText {
    /// Its keyword.
    pub(super) place: Place,
    /// The variables that its head declares, which are not in scope at its keyword.
    pub(super) declared: Vec<String>,
}

/// The text of the task's file, with the effect of its line markers.
pub(super) struct InputText {
    name: String,
    text: String,
    /// The start of each line, and the file and line number that its line marker gives.
    lines: Vec<(usize, String, u32)>,
}

impl InputText {
    pub(super) fn new(name: &str, texts: Texts<'_>) -> InputText {
        let text = (texts.read)(name).map_or_else(String::new, |text| text.as_ref().to_owned());
        let mut sources = SourceMap::default();
        let mut lines = Vec::new();
        if !text.is_empty() && sources.add(name, text.clone()).is_some() {
            let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
            for start in starts {
                let loc = sources.locate(start as u32);
                lines.push((start, sources.file_name(loc.file).to_owned(), loc.line));
            }
        }
        InputText { name: name.to_owned(), text, lines }
    }

    /// Returns the offset of a location, or `None` when it is in another file.
    fn offset(&self, loc: Loc, file: &str, texts: Texts<'_>) -> Option<usize> {
        let column = loc.column.saturating_sub(1) as usize;
        let candidates: Vec<usize> =
            self.lines.iter().filter(|(_, f, line)| *line == loc.line && f == file).map(|l| l.0).collect();
        let line_at = |start: usize| self.text[start..].split('\n').next().unwrap_or("");
        let begins_token = |line: &str| {
            let head = line.get(..column).unwrap_or("");
            let rest = line.get(column..).unwrap_or("");
            let inside = head.ends_with(is_word) && rest.starts_with(is_word);
            !(rest.is_empty() || rest.starts_with(char::is_whitespace) || inside)
        };
        // The preprocessor may spread one line over several, each with columns of its own.
        let start = match candidates.as_slice() {
            [] => return None,
            [only] => *only,
            [first, ..] => candidates.iter().copied().find(|&start| begins_token(line_at(start))).unwrap_or(*first),
        };
        let line = line_at(start);
        let pieces = texts.sources.map_or_else(Vec::new, |sources| sources.pieces_of_line(file, loc.line));
        if pieces.iter().any(|piece| piece.trim_end() == line.trim_end()) {
            return line.is_char_boundary(column).then_some(start + column);
        }
        Some(start + place_in_original(line, &pieces, column).start)
    }

    fn place(&self, offset: usize) -> Place {
        let index = self.lines.partition_point(|line| line.0 <= offset).saturating_sub(1);
        let start = self.lines.get(index).map_or(0, |line| line.0);
        let column = self.text.get(start..offset).map_or(0, |head| head.chars().count());
        Place { file: self.name.clone(), line: index as u32 + 1, column: column as u32 + 1 }
    }

    /// Returns the first character of the statement or full expression at a location, or the location itself when it is in
    /// another file.
    pub(super) fn statement(&self, loc: Loc, file: &str, texts: Texts<'_>) -> Place {
        match self.offset(loc, file, texts) {
            Some(offset) => self.place(statement_start(&self.text, offset)),
            None if loc.is_some() => Place { file: file.to_owned(), line: loc.line, column: loc.column },
            None => Place { file: self.name.clone(), line: 1, column: 1 },
        }
    }

    /// Returns the `while` or `for` loop whose keyword is at a location. A `do` loop has no head before its body.
    pub(super) fn loop_at(&self, loc: Loc, file: &str, texts: Texts<'_>) -> Option<LoopText> {
        let offset = self.offset(loc, file, texts)?;
        let mut tokens = Tokens { text: &self.text, at: offset };
        let (at, keyword) = tokens.next()?;
        if at != offset || !matches!(keyword, "while" | "for") {
            return None;
        }
        let mut declared = Vec::new();
        if keyword == "for" {
            tokens.next().filter(|(_, open)| *open == "(")?;
            let first: Vec<&str> = tokens.map(|(_, token)| token).take_while(|token| *token != ";").collect();
            // `int i = 0` and `struct node *p = list` declare something, `i = 0` and `f(x)` do not.
            let word = |token: Option<&&str>| token.is_some_and(|token| token.starts_with(is_word));
            if word(first.first()) && (word(first.get(1)) || first.get(1) == Some(&"*")) {
                declared = first.iter().filter(|token| word(Some(token))).map(|token| (*token).to_owned()).collect();
            }
        }
        Some(LoopText { place: self.place(offset), declared })
    }

    /// Returns the call by name that begins at a location.
    pub(super) fn call(&self, loc: Loc, file: &str, texts: Texts<'_>) -> Option<CallText> {
        let offset = self.offset(loc, file, texts)?;
        let mut tokens = Tokens { text: &self.text, at: offset };
        let (_, name) = tokens.next()?;
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        if tokens.next()?.1 != "(" {
            return None;
        }
        let mut depth = 1u32;
        for (at, token) in tokens {
            match token {
                "(" => depth += 1,
                ")" => depth -= 1,
                ";" | "{" | "}" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(CallText { name: name.to_owned(), end: self.place(at) });
            }
        }
        None
    }
}

/// The construct that an open bracket belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    /// The head of `if`, `while`, `switch` or `for`, which holds one full expression (`for`: three).
    Head,
    /// The braces of a block.
    Block,
    /// A bracket inside an expression.
    Inner,
}

/// Returns the start of the statement or full expression at an offset.
///
/// The scan begins at the start of the text, because only then comments, literals and loop heads can be told apart.
fn statement_start(text: &str, offset: usize) -> usize {
    let mut open: Vec<Open> = Vec::new();
    let mut start = None;
    let mut previous = "";
    let mut questions = 0u32;
    let mut restarted = true;
    for (at, token) in (Tokens { text, at: 0 }) {
        if at > offset {
            break;
        }
        if restarted {
            (start, restarted, questions) = (Some(at), false, 0);
        }
        let outside = open.last().is_none_or(|open| *open != Open::Inner);
        match token {
            "(" if matches!(previous, "if" | "while" | "switch" | "for") => {
                open.push(Open::Head);
                restarted = true;
            }
            "(" | "[" => open.push(Open::Inner),
            "{" if previous == "(" || (outside && previous != "=") => {
                open.push(Open::Block);
                restarted = true;
            }
            "{" => open.push(Open::Inner),
            ")" | "]" | "}" => restarted = open.pop().is_some_and(|open| open != Open::Inner),
            ";" => restarted = true,
            "else" | "do" => restarted = true,
            "?" => questions += 1,
            ":" if outside && questions > 0 => questions -= 1,
            // The statement begins after its label.
            ":" if outside => restarted = true,
            _ => {}
        }
        previous = token;
    }
    start.unwrap_or(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn begins(text: &str, at: &str, expected: &str) {
        let offset = text.find(at).expect("the place is in the text");
        let start = statement_start(text, offset);
        assert!(text[start..].starts_with(expected), "{}", &text[start..]);
    }

    #[test]
    fn statements_begin_after_the_previous_one() {
        begins("void f(void) { a(); b = *p; }", "p;", "b = ");
        begins("void f(void) { return *p; }", "p;", "return");
        begins("void f(void) { if (c) *p = 1; else q[1] = 2; }", "p =", "*p");
        begins("void f(void) { if (c) *p = 1; else q[1] = 2; }", "[1]", "q[");
        begins("void f(void) { if (c && *p) x(); }", "*p", "c &&");
        begins("void f(void) { for (i = 0; i < *p; i++) x(); }", "*p", "i <");
        begins("void f(void) { for (i = 0; i < 1; i += p->n) x(); }", "p->", "i +=");
        begins("void f(void) { do x = *p; while (y); }", "*p", "x =");
        begins("void f(void) { switch (x) { case 1: *p = 1; } }", "p =", "*p");
        begins("void f(void) { again: x = c ? *p : *q; }", "*q", "x =");
        begins("void f(void) { int a[] = {1, *p}; }", "*p", "int a");
        begins("void f(void) {\n  /* ; */ x = g(\"};\", ';',\n    *p);\n}", "*p", "x =");
        begins("#define X(a) { a; \\\n  }\nvoid f(void) { *p = 1; }", "p =", "*p");
    }

    #[test]
    fn loops_are_found_by_their_keyword() {
        let text = "void f(void) {\n  while (x) y();\n  for (int i = n; i; i--) z();\n  for (i = 0; ; ) ;\n  do x(); while (y);\n}";
        let texts = Texts { sources: None, read: &|_: &str| Some(text.into()) };
        let input = InputText::new("a.c", texts);
        let found = |line, column| {
            let loc = Loc { file: cairn_ir::FileId(0), line, column };
            input.loop_at(loc, "a.c", texts).map(|found| (found.place.line, found.place.column, found.declared))
        };
        assert_eq!(found(2, 3), Some((2, 3, Vec::new())));
        assert_eq!(found(3, 3), Some((3, 3, ["int", "i", "n"].map(str::to_owned).to_vec())));
        assert_eq!(found(4, 3), Some((4, 3, Vec::new())));
        assert_eq!(found(5, 3), None);
        assert_eq!(found(2, 10), None);
    }

    #[test]
    fn unfinished_text_is_accepted() {
        for text in ["", "\"", "'\\", "/*", "#", ")]}", "if(", "é", "# \\"] {
            statement_start(text, text.len());
        }
        assert_eq!(statement_start("", 7), 7);
    }
}
