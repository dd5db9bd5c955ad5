//! The source line under a message, with a part of it marked.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Origin, Snippet};
use cairn_ir::Loc;
use cairn_ir::source::{SourceMap, Span};

use crate::tokens::is_word;
use crate::{Texts, printable};

/// One line of a file with a part of it marked.
pub(crate) struct Excerpt {
    pub(crate) file: String,
    pub(crate) line: u32,
    /// The column in the preprocessed text, for locations without a text.
    pub(crate) column: u32,
    /// The line and the marked bytes in it, or `None` when the text is not available.
    pub(crate) text: Option<(String, Range<usize>)>,
}

impl Excerpt {
    /// Returns the excerpt for a span of the front-end, or `None` when the span is in no text.
    pub(crate) fn of_span(span: Span, sources: &SourceMap, texts: Texts<'_>) -> Option<Excerpt> {
        let loc = sources.locate(span.start);
        if !loc.is_some() {
            return None;
        }
        let file = sources.file_name(loc.file).to_owned();
        let expanded = sources.line_text(span.start);
        let start = floor_boundary(expanded, loc.column.saturating_sub(1) as usize);
        let length = span.end.saturating_sub(span.start) as usize;
        let end = ceil_boundary(expanded, start.saturating_add(length).min(expanded.len()));
        let marked = expanded.get(start..end).unwrap_or("").trim_end();
        let text = match original_line(&file, loc.line, texts) {
            Some(line) if line.trim_end() == expanded.trim_end() => (line, start..start + marked.len()),
            Some(line) => match find_word(&line, marked, start) {
                Some(at) => (line, at..at + marked.len()),
                None => (expanded.to_owned(), start..start + marked.len()),
            },
            None => (expanded.to_owned(), start..start + marked.len()),
        };
        Some(Excerpt { file, line: loc.line, column: loc.column, text: Some(text) })
    }

    /// Returns the excerpt for a location of the IR with its token marked, or `None` for [`Loc::NONE`].
    pub(crate) fn of_loc(loc: Loc, file: &str, texts: Texts<'_>) -> Option<Excerpt> {
        if !loc.is_some() {
            return None;
        }
        let column = loc.column.saturating_sub(1) as usize;
        let pieces = texts.sources.map_or_else(Vec::new, |sources| sources.pieces_of_line(file, loc.line));
        let text = match original_line(file, loc.line, texts) {
            Some(line) => {
                let range = place_in_original(&line, &pieces, column);
                Some((line, range))
            }
            None => {
                let piece = pieces.iter().find(|piece| piece.len() > column).or(pieces.first());
                piece.map(|piece| ((*piece).to_owned(), token_at(piece, column)))
            }
        };
        Some(Excerpt { file: file.to_owned(), line: loc.line, column: loc.column, text })
    }

    /// Returns the column of the marked part, in characters from 1.
    pub(crate) fn shown_column(&self) -> usize {
        match &self.text {
            Some((line, range)) => line[..range.start].chars().count() + 1,
            None => self.column as usize,
        }
    }

    /// Returns `file:line:column`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}:{}", printable(&self.file), self.line, self.shown_column())
    }

    /// Draws the line with an underline and a label, or only the location when there is no text.
    pub(crate) fn element(&self, kind: AnnotationKind, label: &str) -> Element<'static> {
        let path = printable(&self.file);
        match &self.text {
            Some((line, range)) => {
                let mut annotation: Annotation<'static> = kind.span(range.clone());
                if !label.is_empty() {
                    annotation = annotation.label(printable(label));
                }
                Snippet::source(line.clone()).line_start(self.line as usize).path(path).annotation(annotation).into()
            }
            None => Origin::path(path).line(self.line as usize).char_column(self.column as usize).into(),
        }
    }
}

fn original_line(file: &str, line: u32, texts: Texts<'_>) -> Option<String> {
    let text = (texts.read)(file)?;
    text.split('\n').nth(line.checked_sub(1)? as usize).map(|l| l.trim_end_matches('\r').to_owned())
}

pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

pub(crate) fn ceil_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Finds `word` as a token of its own in a line: the occurrence nearest to `near`.
fn find_word(line: &str, word: &str, near: usize) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    let stands_alone = |at: usize| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joins = |edge: Option<char>, inner: Option<char>| edge.is_some_and(is_word) && inner.is_some_and(is_word);
        !joins(before, word.chars().next()) && !joins(after, word.chars().next_back())
    };
    line.match_indices(word).map(|(at, _)| at).filter(|&at| stands_alone(at)).min_by_key(|&at| at.abs_diff(near))
}

/// Maps a column of the preprocessed text to the user's line.
///
/// Where the preprocessed pieces differ from the line, the token is searched for. A token that a macro made is marked at the
/// macro.
pub(crate) fn place_in_original(line: &str, pieces: &[&str], column: usize) -> Range<usize> {
    if pieces.iter().all(|piece| piece.trim_end() == line.trim_end()) {
        return token_at(line, column);
    }
    let mut candidates = pieces.iter().filter_map(|piece| {
        let starts = piece.get(column..).is_some_and(|rest| !rest.starts_with(char::is_whitespace));
        let inside =
            piece.get(..column).is_some_and(|head| head.ends_with(is_word)) && piece[column..].starts_with(is_word);
        (starts && !inside).then(|| &piece[token_at(piece, column)])
    });
    let found = candidates.next().filter(|first| candidates.all(|other| other == *first));
    if let Some(word) = found
        && let Some(at) = find_word(line, word, column)
    {
        return at..at + word.len();
    }
    macro_in(line, pieces).unwrap_or_else(|| token_at(line, column))
}

/// Returns the first name in the line that the preprocessor replaced.
fn macro_in(line: &str, pieces: &[&str]) -> Option<Range<usize>> {
    let code = line.split("//").next().unwrap_or("").split("/*").next().unwrap_or("");
    let mut at = 0;
    while at < code.len() {
        let range = token_at(code, at);
        if range.end <= at {
            break;
        }
        let word = &code[range.clone()];
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_name && !pieces.iter().any(|piece| find_word(piece, word, 0).is_some()) {
            return Some(range);
        }
        at = range.end;
    }
    None
}

/// Returns the bytes of the token at or after a column, or of the last token when the line is shorter.
fn token_at(line: &str, column: usize) -> Range<usize> {
    let trimmed = line.trim_end();
    let mut start = floor_boundary(trimmed, column);
    start += trimmed[start..].len() - trimmed[start..].trim_start().len();
    if start == trimmed.len() {
        start = trimmed.char_indices().next_back().map_or(0, |(at, _)| at);
    }
    let rest = &trimmed[start..];
    let word: usize = rest.chars().take_while(|&c| is_word(c)).map(char::len_utf8).sum();
    let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
    start..start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_at_and_after_a_column() {
        assert_eq!(token_at("  next->value = 1;", 2), 2..6);
        assert_eq!(token_at("  next->value = 1;", 0), 2..6);
        assert_eq!(token_at("  next->value = 1;", 6), 6..7);
        assert_eq!(token_at("  x;  ", 99), 3..4);
        assert_eq!(token_at("", 5), 0..0);
        assert_eq!(token_at("é = ü;", 1), 0..2);
    }

    #[test]
    fn tokens_of_a_macro_are_marked_at_the_macro() {
        let line = "  assert(pop() == popped++); // popped";
        let pieces = ["  ((void) sizeof ((", "  pop() == popped++", "  ) ; else __assert_fail ("];
        // Column 11 begins a token of the second and of the third piece.
        assert_eq!(place_in_original(line, &pieces, 11), 2..8);
        assert_eq!(place_in_original("  a[SIZE] = b; // c", &["  a[10] = b; "], 10), 12..13);
        assert_eq!(place_in_original("  a = b;", &["  a = b;"], 6), 6..7);
        assert_eq!(place_in_original("  a = b;", &[], 6), 6..7);
        assert_eq!(place_in_original("", &["x"], 0), 0..0);
    }

    #[test]
    fn the_nearest_whole_word_is_found() {
        assert_eq!(find_word("int pint = p + p;", "p", 0), Some(11));
        assert_eq!(find_word("int pint = p + p;", "p", 99), Some(15));
        assert_eq!(find_word("int pint;", "p", 0), None);
        assert_eq!(find_word("a -> b", "->", 0), Some(2));
        assert_eq!(find_word("a", "", 0), None);
    }
}
