//! Reads and writes files. Text reaches the front-end as valid UTF-8, whatever the bytes of the file are.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::limits::MAX_SOURCE;

/// A file with the copy that its text is read from.
static UNSAVED: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();

/// Lets the text of a file be read from a copy, because an editor has changed it without saving.
pub(crate) fn set_unsaved(file: &Path, copy: &Path) {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let _ = UNSAVED.set((file, copy.to_path_buf()));
}

/// Returns the copy that the text of a file is read from, if there is one.
pub(crate) fn unsaved(path: &Path) -> Option<&'static Path> {
    let (file, copy) = UNSAVED.get()?;
    (path == file || path.canonicalize().is_ok_and(|path| path == *file)).then_some(copy)
}

/// Describes an I/O error as part of a message: "no such file or directory".
pub(crate) fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Reads a file, or standard input for `-`. The error is a message that names the file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    read_bytes(path).map_err(|error| format!("cannot read '{}': {}", path.display(), describe(&error)))
}

/// Writes a file. The error is a message that names it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write '{}': {}", path.display(), describe(&error)))
}

/// Returns the bytes of a file, or of standard input for `-`, if they are not more than [`MAX_SOURCE`].
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return read_limited(io::stdin().lock(), 0);
    }
    let file = fs::File::open(unsaved(path).unwrap_or(path))?;
    let size = file.metadata()?.len();
    read_limited(file, size)
}

fn read_limited(source: impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(MAX_SOURCE)).unwrap_or(0));
    if size <= MAX_SOURCE {
        // Devices and pipes do not tell their size.
        source.take(MAX_SOURCE + 1).read_to_end(&mut bytes)?;
    }
    if size.max(bytes.len() as u64) > MAX_SOURCE {
        return Err(io::Error::other(format!("larger than {} MiB", MAX_SOURCE >> 20)));
    }
    Ok(bytes)
}

/// Decodes C text. Bytes that are not UTF-8 become octal escapes in string and character literals, where they keep their
/// meaning, and question marks elsewhere (in comments).
pub(crate) fn c_text(bytes: Vec<u8>) -> String {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => escaped(error.as_bytes()),
    };
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 64);
    let mut context = Context::Code;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            context = context.after(c);
            out.push(c);
        }
        for &byte in chunk.invalid() {
            match context {
                Context::Literal { .. } => out.push_str(&format!("\\{byte:03o}")),
                _ => out.push('?'),
            }
            context = context.after('?');
        }
    }
    out
}

/// The lexical context of a byte of C text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    Code,
    Slash,
    Literal { quote: char, escape: bool },
    LineComment { escape: bool },
    BlockComment { star: bool },
}

impl Context {
    fn after(self, c: char) -> Context {
        match (self, c) {
            (Context::Slash, '/') => Context::LineComment { escape: false },
            (Context::Slash, '*') => Context::BlockComment { star: false },
            (Context::Code | Context::Slash, '"' | '\'') => Context::Literal { quote: c, escape: false },
            (Context::Code, '/') => Context::Slash,
            (Context::Code | Context::Slash, _) => Context::Code,
            (Context::Literal { quote, escape: true }, _) => Context::Literal { quote, escape: false },
            (Context::Literal { quote, .. }, '\\') => Context::Literal { quote, escape: true },
            (Context::Literal { quote, .. }, c) if c == quote || c == '\n' => Context::Code,
            (Context::Literal { .. }, _) => self,
            (Context::LineComment { escape: false }, '\n') => Context::Code,
            (Context::LineComment { .. }, c) => Context::LineComment { escape: c == '\\' },
            (Context::BlockComment { star: true }, '/') => Context::Code,
            (Context::BlockComment { .. }, c) => Context::BlockComment { star: c == '*' },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_described_without_numbers() {
        assert_eq!(describe(&io::Error::from_raw_os_error(2)), "no such file or directory");
        assert_eq!(describe(&io::Error::other("Odd")), "odd");
    }

    #[test]
    fn bytes_that_are_not_utf8_keep_their_meaning_in_literals() {
        let bytes = b"/* caf\xe9 \" */ char s[] = \"caf\xe9\\\"\xff\"; // \xe9 '\nchar c = '\xe9'; /\xe9".to_vec();
        assert_eq!(c_text(bytes), "/* caf? \" */ char s[] = \"caf\\351\\\"\\377\"; // ? '\nchar c = '\\351'; /?");
    }

    #[test]
    fn only_the_byte_order_mark_is_removed_from_text() {
        assert_eq!(c_text("\u{feff}int é;".as_bytes().to_vec()), "int é;");
    }
}
