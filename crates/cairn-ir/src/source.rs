//! Where things come from: texts, byte spans in them, and the places in the user's files that those spans stand for.
//!
//! The front-end works with [`Span`]s (two global byte offsets, cheap to copy); the IR keeps [`Loc`]s (file, line,
//! column as the user knows them), so that it can be printed, read back and reported without the source text.
//! Line markers (`# 12 "list.c" 2`) in preprocessed text are honoured here and nowhere else.

use std::fmt;

use crate::ids;

/// An index into [`crate::Program::files`] and [`SourceMap::files`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// A place in the user's sources; line and column count from 1. Line 0 means "no place" (made by the tool itself).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Loc {
    /// The file, as named by the nearest line marker.
    pub file: FileId,
    /// The line, from 1; 0 for no place.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

impl Loc {
    /// No place at all.
    pub const NONE: Loc = Loc { file: FileId(0), line: 0, column: 0 };

    /// Whether this is a place in a source file.
    pub fn is_some(self) -> bool {
        self.line != 0
    }
}

/// A half-open range of global byte offsets: all texts of a [`SourceMap`] lie one after another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A line marker: from `offset` on, lines are numbered from `line` in `file`.
#[derive(Clone, Copy, Debug)]
struct Marker {
    /// Local byte offset of the start of the line after the marker.
    offset: u32,
    /// Index into the text's line table of that line.
    text_line: u32,
    /// The number that line has in `file`.
    line: u32,
    file: FileId,
}

/// One text handed to the lexer: a preprocessed translation unit or a library model.
#[derive(Debug)]
pub struct SourceText {
    /// The name it was given on the command line.
    pub name: String,
    /// Its first byte's global offset.
    pub base: u32,
    /// The text itself.
    pub text: String,
    /// Local offsets of line starts.
    line_starts: Vec<u32>,
    markers: Vec<Marker>,
}

/// All texts of one run, and the names of all files that they and their line markers mention.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// The texts in the order of their global offsets.
    pub texts: Vec<SourceText>,
    /// File names; a [`FileId`] indexes this.
    pub files: Vec<String>,
    by_name: rustc_hash::FxHashMap<String, FileId>,
}

impl SourceMap {
    /// Adds a text and returns its index in [`SourceMap::texts`], or `None` when the texts together exceed 4 GiB.
    pub fn add(&mut self, name: &str, text: String) -> Option<usize> {
        let base = self.texts.last().map_or(0, |t| t.base + t.text.len() as u32 + 1);
        let end = u64::from(base) + text.len() as u64 + 1;
        if end > u64::from(u32::MAX) {
            return None;
        }
        let file = self.file(name);
        let mut line_starts = vec![0];
        let mut markers = vec![Marker { offset: 0, text_line: 0, line: 1, file }];
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let next = memchr_newline(bytes, at);
            if matches!(bytes[at], b'#' | b' ' | b'\t')
                && let Some((line, name)) = parse_marker(&text[at..next])
            {
                let file = match name {
                    Some(name) => self.file(&name),
                    None => markers.last().map_or(file, |m| m.file),
                };
                let offset = (next + 1).min(bytes.len()) as u32;
                markers.push(Marker { offset, text_line: line_starts.len() as u32, line, file });
            }
            at = next + 1;
            if at <= bytes.len() {
                line_starts.push(at as u32);
            }
        }
        self.texts.push(SourceText { name: name.to_owned(), base, text, line_starts, markers });
        Some(self.texts.len() - 1)
    }

    /// The id of a file name, new or known.
    pub fn file(&mut self, name: &str) -> FileId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// The text that holds a global offset.
    pub fn text_at(&self, offset: u32) -> Option<&SourceText> {
        let index = self.texts.partition_point(|t| t.base <= offset);
        index.checked_sub(1).map(|i| &self.texts[i])
    }

    /// The place that a global offset stands for, line markers taken into account.
    pub fn locate(&self, offset: u32) -> Loc {
        let Some(text) = self.text_at(offset) else { return Loc::NONE };
        let local = offset - text.base;
        let line = text.line_starts.partition_point(|&s| s <= local) - 1;
        let marker = text.markers[text.markers.partition_point(|m| m.offset <= local) - 1];
        Loc {
            file: marker.file,
            line: marker.line.saturating_add(line as u32 - marker.text_line),
            column: local - text.line_starts[line] + 1,
        }
    }

    /// The whole line of text (without its newline) that holds a global offset.
    pub fn line_text(&self, offset: u32) -> &str {
        let Some(text) = self.text_at(offset) else { return "" };
        let local = offset - text.base;
        let line = text.line_starts.partition_point(|&s| s <= local) - 1;
        let start = text.line_starts[line] as usize;
        let end = memchr_newline(text.text.as_bytes(), start);
        &text.text[start..end]
    }

    /// What the texts have for a line of a file, found by the line markers. The preprocessor splits lines at some macros; a line
    /// of a header may be in several texts. Each different piece is given once, blank ones are not.
    pub fn pieces_of_line(&self, file: &str, line: u32) -> Vec<&str> {
        let mut pieces = Vec::new();
        let Some(&file) = self.by_name.get(file) else { return pieces };
        for text in &self.texts {
            for (i, marker) in text.markers.iter().enumerate() {
                let Some(ahead) = line.checked_sub(marker.line) else { continue };
                let index = marker.text_line as usize + ahead as usize;
                // The next marker itself stands on the line before the one it numbers.
                let limit = text
                    .markers
                    .get(i + 1)
                    .map_or(text.line_starts.len(), |m| (m.text_line as usize).saturating_sub(1));
                if marker.file != file || index >= limit {
                    continue;
                }
                let start = text.line_starts[index] as usize;
                let piece = &text.text[start..memchr_newline(text.text.as_bytes(), start)];
                if !piece.trim().is_empty() && !pieces.contains(&piece) {
                    pieces.push(piece);
                }
            }
        }
        pieces
    }

    /// The name of a file.
    pub fn file_name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("<unknown>", String::as_str)
    }
}

/// Finds places one after another. It remembers the line of the last answer, and most questions are about the same line or
/// one soon after it, so that lowering does not pay for a search at every instruction.
#[derive(Debug)]
pub struct Locator<'a> {
    sources: &'a SourceMap,
    /// The text of the last answer.
    text: Option<&'a SourceText>,
    /// Global offsets of the last answer's line and of the line after it.
    line: (u32, u32),
    /// The place of the first byte of that line.
    start: Loc,
    /// Its index in the text's line table.
    index: usize,
    /// The index of the marker that holds there.
    marker: usize,
}

impl<'a> Locator<'a> {
    /// A locator that has not answered yet.
    pub fn new(sources: &'a SourceMap) -> Self {
        Self { sources, text: None, line: (0, 0), start: Loc::NONE, index: 0, marker: 0 }
    }

    /// The same as [`SourceMap::locate`].
    pub fn locate(&mut self, offset: u32) -> Loc {
        if offset < self.line.0 || offset >= self.line.1 {
            self.find(offset);
        }
        if self.text.is_none() {
            return Loc::NONE;
        }
        Loc { column: offset - self.line.0 + 1, ..self.start }
    }

    fn find(&mut self, offset: u32) {
        // A step of a few lines is the common case; everything else is searched for.
        const NEAR: usize = 8;
        let near = self.text.filter(|t| {
            let ahead = t.line_starts.get(self.index + NEAR).map(|&s| t.base + s);
            offset >= self.line.1 && ahead.is_some_and(|ahead| offset < ahead)
        });
        let text = match near {
            Some(text) => text,
            None => {
                let Some(text) = self.sources.text_at(offset) else {
                    (self.text, self.line) = (None, (0, 0));
                    return;
                };
                let local = offset - text.base;
                self.index = text.line_starts.partition_point(|&s| s <= local) - 1;
                self.marker = text.markers.partition_point(|m| m.offset <= local) - 1;
                text
            }
        };
        let local = offset - text.base;
        while text.line_starts.get(self.index + 1).is_some_and(|&s| s <= local) {
            self.index += 1;
        }
        while text.markers.get(self.marker + 1).is_some_and(|m| m.offset <= local) {
            self.marker += 1;
        }
        let marker = text.markers[self.marker];
        let first = text.line_starts[self.index];
        let next = text.line_starts.get(self.index + 1).map_or(u32::MAX, |&s| text.base + s);
        // The byte between two texts belongs to the first of them.
        let end = self.sources.texts.get(self.sources.texts.partition_point(|t| t.base <= offset));
        self.text = Some(text);
        self.line = (text.base + first, next.min(end.map_or(u32::MAX, |t| t.base)));
        self.start = Loc { file: marker.file, line: marker.line + (self.index as u32 - marker.text_line), column: 1 };
    }
}

fn memchr_newline(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |p| from + p)
}

/// Reads `# 12 "file.c" 1 3` or `#line 12 "file.c"`; `None` when the line is something else.
fn parse_marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start();
    let Some(quoted) = rest.strip_prefix('"') else { return Some((number, None)) };
    let mut name = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some((number, Some(name))),
            '\\' => name.push(chars.next()?),
            c => name.push(c),
        }
    }
    None
}

/// A function and a place in it, as shown in stack traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackPlace {
    /// The function.
    pub function: ids::FuncId,
    /// Where in it.
    pub loc: Loc,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_agrees_with_the_search() {
        let mut sources = SourceMap::default();
        sources.add("a.c", "int a;\n# 7 \"b.h\" 1\nint b;\nint c;\n# 3 \"a.c\" 2\n\n\nint d;".to_owned());
        sources.add("z.c", "x\ny\n".repeat(40));
        let end = sources.texts[1].base + sources.texts[1].text.len() as u32;
        for step in [1, 2, 3, 7, 29] {
            let mut locator = Locator::new(&sources);
            let mut offset = 0;
            for _ in 0..400 {
                assert_eq!(locator.locate(offset), sources.locate(offset), "at {offset}");
                offset = (offset + step) % end;
            }
        }
        let mut locator = Locator::new(&sources);
        for offset in (0..end).rev() {
            assert_eq!(locator.locate(offset), sources.locate(offset), "at {offset}");
        }
        assert_eq!(Locator::new(&SourceMap::default()).locate(5), Loc::NONE);
    }
}
