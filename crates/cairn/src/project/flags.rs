//! The options of a compiler's command line that matter for preprocessing.
//!
//! A compilation database comes with the analysed code, so that it may be hostile. Only options that cannot make a compiler run code or
//! write files are taken over: macros, header folders, the language standard and the machine.

use std::path::{Component, Path, PathBuf};

use crate::arguments::DataModel;
use crate::limits::MAX_RESPONSE_FILES;
use crate::system::files;

/// A compiler's command line, as far as cairn uses it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct CommandLine {
    /// The options for the preprocessor, in their order. Paths are relative to the root of the project or absolute.
    pub(crate) flags: Vec<String>,
    /// Whether the machine has 32-bit pointers.
    pub(crate) is_32_bit: bool,
    /// The files without a dash in front, in their order: sources, objects and archives.
    pub(crate) files: Vec<String>,
    /// The names of libraries (`-lNAME`).
    pub(crate) libraries: Vec<String>,
    /// The value of `-o`.
    pub(crate) output: Option<String>,
    /// The value of `-x`.
    pub(crate) language: Option<String>,
    /// Whether the command ends with an object or earlier (`-c`, `-S`, `-E`).
    pub(crate) makes_object: bool,
    /// Whether the command only prints something or writes dependencies (`-M`, `-MM`, `-E`).
    pub(crate) only_preprocesses: bool,
}

impl CommandLine {
    /// Returns the data model of the machine.
    pub(crate) fn data_model(&self) -> DataModel {
        if self.is_32_bit { DataModel::Ilp32 } else { DataModel::Lp64 }
    }
}

/// Options with a separate argument that cairn does not use.
const SKIPPED_WITH_ARGUMENT: &[&str] = &[
    "-MF",
    "-MT",
    "-MQ",
    "-L",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-T",
    "-u",
    "-z",
    "-wrapper",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "--param",
    "-arch",
    "-target",
    "-isysroot",
    "--sysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-imultilib",
    "-mllvm",
    "-B",
    "-G",
    "-e",
    "-h",
    "-R",
    "-rpath",
];

/// Options for the preprocessor whose argument is a path.
const WITH_PATH: &[&str] = &["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];

/// Options for the preprocessor whose argument is a macro.
const WITH_MACRO: &[&str] = &["-D", "-U"];

/// Reads a command line that was started in `directory`. The compiler, and wrappers before it, are left out.
pub(crate) fn parse(words: &[String], directory: &Path, root: &Path) -> CommandLine {
    let words = expanded(words, directory, MAX_RESPONSE_FILES);
    let mut line = CommandLine::default();
    let path = |text: &str| shown(directory, text, root);
    let mut rest =
        words.iter().map(String::as_str).skip_while(|word| !word.starts_with('-') && !is_input(word)).peekable();
    while let Some(word) = rest.next() {
        if let Some((option, value)) = with_argument(word, WITH_PATH, &mut rest) {
            // `-include-pch` and its like are no prefix of a path.
            if option.len() > 2 && word != option {
                continue;
            }
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                line.flags.extend([option.to_owned(), path(&value)]);
            }
        } else if let Some((option, value)) = with_argument(word, WITH_MACRO, &mut rest) {
            if let Some(value) = value.filter(|value| is_macro(value)) {
                line.flags.push(format!("{option}{value}"));
            }
        } else if let Some((_, value)) = with_argument(word, &["-o"], &mut rest) {
            line.output = value.map(|value| path(&value));
        } else if let Some((_, value)) = with_argument(word, &["-x"], &mut rest) {
            line.language = value;
        } else if let Some((_, value)) = with_argument(word, &["-l"], &mut rest) {
            line.libraries.extend(value);
        } else if SKIPPED_WITH_ARGUMENT.contains(&word) {
            rest.next();
        } else if matches!(word, "-c" | "-S") {
            line.makes_object = true;
        } else if matches!(word, "-E" | "-M" | "-MM") {
            line.only_preprocesses = true;
        } else if matches!(word, "-m32" | "-m64" | "-mx32") {
            line.is_32_bit = word != "-m64";
        } else if is_passed_on(word) {
            line.flags.push(word.to_owned());
        } else if !word.starts_with('-') {
            line.files.push(path(word));
        }
    }
    line
}

/// Returns whether every option may be passed to a preprocessor, for options that come from a file of cairn's own.
pub(crate) fn are_harmless(flags: &[String]) -> bool {
    let mut rest = flags.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        if WITH_PATH.contains(&word) {
            if rest.next().is_none_or(|path| path.starts_with(['-', '@'])) {
                return false;
            }
        } else if !is_passed_on(word) && !word.strip_prefix("-D").or(word.strip_prefix("-U")).is_some_and(is_macro) {
            return false;
        }
    }
    true
}

/// Splits off the argument of an option, which is joined to it or the next word.
fn with_argument<'a>(
    word: &'a str,
    options: &[&'static str],
    rest: &mut impl Iterator<Item = &'a str>,
) -> Option<(&'static str, Option<String>)> {
    let option = options.iter().find(|option| word.starts_with(**option))?;
    let joined = &word[option.len()..];
    let value = if joined.is_empty() { rest.next() } else { Some(joined) };
    Some((option, value.map(str::to_owned)))
}

/// Returns whether a word can be a macro definition: compilers take a word with `@` for a file of options.
fn is_macro(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns whether an option without an argument is passed on as it is.
fn is_passed_on(word: &str) -> bool {
    let is_plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-+=.:_".contains(c));
    matches!(
        word,
        "-ansi" | "-nostdinc" | "-pthread" | "-undef" | "-trigraphs" | "-fms-extensions" | "-fplan9-extensions"
    ) || word.strip_prefix("-std=").is_some_and(is_plain)
        || word.strip_prefix("-m").is_some_and(|rest| is_plain(rest) && !rest.starts_with("llvm"))
}

/// Returns whether a word names a file that a compiler reads.
fn is_input(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str()).unwrap_or("");
    ["c", "i", "o", "a", "lo", "la", "so", "obj"].contains(&extension)
}

/// Replaces `@FILE` by the words of the file, which cairn reads itself.
fn expanded(words: &[String], directory: &Path, levels: usize) -> Vec<String> {
    let mut out = Vec::new();
    for word in words {
        let file = word.strip_prefix('@').filter(|file| levels > 0 && !file.is_empty());
        let text = file.and_then(|file| files::read_bytes(&directory.join(file)).ok());
        match text.and_then(|bytes| shlex::split(&String::from_utf8_lossy(&bytes))) {
            Some(more) => out.extend(expanded(&more, directory, levels - 1)),
            None => out.push(word.clone()),
        }
    }
    out
}

/// Returns a path of a command as reports show it: relative to the root if it is below the root, absolute otherwise.
pub(crate) fn shown(directory: &Path, path: &str, root: &Path) -> String {
    let whole = normalised(&directory.join(path));
    let short = whole.strip_prefix(root).unwrap_or(&whole);
    let text = if short.as_os_str().is_empty() { Path::new(".") } else { short };
    text.to_string_lossy().into_owned()
}

/// Removes `.` and `..` from a path without a look at the file system.
pub(crate) fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            Component::ParentDir if out.has_root() => {}
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> CommandLine {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        parse(&words, Path::new("/p/build"), Path::new("/p"))
    }

    #[test]
    fn paths_are_relative_to_the_root() {
        let line = line("ccache gcc -I../inc -I . -isystem /usr/x -include ../c.h -c ../src/a.c -o a.o");
        assert_eq!(line.flags, ["-I", "inc", "-I", "build", "-isystem", "/usr/x", "-include", "c.h"]);
        assert_eq!(line.files, ["src/a.c"]);
        assert_eq!(line.output.as_deref(), Some("build/a.o"));
        assert!(line.makes_object && !line.is_32_bit);
    }

    #[test]
    fn only_harmless_options_are_taken_over() {
        let line = line(
            "cc -DA=1 -D B -U C -std=gnu99 -m32 -mavx2 -mllvm -load=x -fplugin=x.so -Xclang -load -B. -wrapper sh,-c -D@x -O2 -W a.c",
        );
        assert_eq!(line.flags, ["-DA=1", "-DB", "-UC", "-std=gnu99", "-mavx2"]);
        assert_eq!(line.files, ["a.c"].map(|file| format!("build/{file}")));
        assert!(line.is_32_bit && are_harmless(&line.flags));
        for bad in [&["-fplugin=x"][..], &["-I", "@x"], &["-include"], &["-D@x"], &["x.c"], &["-mllvm"]] {
            let bad: Vec<String> = bad.iter().map(|word| (*word).to_owned()).collect();
            assert!(!are_harmless(&bad), "{bad:?}");
        }
    }

    #[test]
    fn links_have_objects_and_libraries() {
        let line = line("gcc -o prog a.o ../lib/libx.a -lm -L. b.o");
        assert_eq!(line.files, ["build/a.o", "lib/libx.a", "build/b.o"]);
        assert_eq!(line.libraries, ["m"]);
        assert!(!line.makes_object);
    }

    #[test]
    fn paths_are_normalised_without_the_file_system() {
        assert_eq!(normalised(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(normalised(Path::new("/../a")), Path::new("/a"));
        assert_eq!(normalised(Path::new("../a")), Path::new("../a"));
    }
}
