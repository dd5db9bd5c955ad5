//! Mutants: programs with a planted fault, described inside of the correct program.
//!
//! A mutant differs from the correct program in a few lines, so it is part of the same file. A line above the code gives its name
//! and its expected answer. In the code, `NAME: TEXT` replaces the line above (without a text: deletes it), and `NAME+ TEXT` adds a
//! line:
//!
//! ```c
//! //= memsafety: TRUE
//! //@ lost = memsafety: FALSE(valid-memtrack)
//! …
//!     free(node);
//! //@ lost:
//! //@ twice+ free(node);
//! ```
//!
//! These lines are comments in C.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{c_files, scratch};

/// A line that starts with `//@`.
enum Note<'a> {
    /// `NAME = PROPERTY: ANSWER`
    Expectation(&'a str, &'a str),
    /// `NAME: TEXT`: the text replaces the line above.
    Instead(&'a str, &'a str),
    /// `NAME+ TEXT`: the text is added below.
    Added(&'a str, &'a str),
}

fn note(text: &str) -> Option<Note<'_>> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = text.split_at(end);
    Some(match rest.trim_start().split_at_checked(1)? {
        ("=", expectation) => Note::Expectation(name, expectation.trim()),
        (":", text) => Note::Instead(name, text.trim()),
        ("+", text) => Note::Added(name, text.trim()),
        _ => return None,
    })
}

/// A line of the program.
struct Line<'a> {
    text: &'a str,
    /// The replacements, by name of the mutant.
    instead: BTreeMap<&'a str, &'a str>,
    /// The added lines, with the name of the mutant.
    added: Vec<(&'a str, &'a str)>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Self {
        Line { text, instead: BTreeMap::new(), added: Vec::new() }
    }

    /// Whether a mutant replaces this line or adds lines below.
    fn differs(&self, name: &str) -> bool {
        self.instead.contains_key(name) || self.added.iter().any(|(n, _)| *n == name)
    }
}

/// Returns the text of each mutant of a program, by name.
fn mutants(text: &str) -> Result<BTreeMap<&str, String>, String> {
    let mut expectations = BTreeMap::new();
    let mut lines: Vec<Line> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(said) = line.trim_start().strip_prefix("//@ ") else {
            if !line.starts_with("//=") {
                lines.push(Line::new(line));
            }
            continue;
        };
        let here = |what: &str| format!("line {}: {what}", number + 1);
        let (name, fresh) = match (note(said), lines.last_mut()) {
            (Some(Note::Expectation(name, expectation)), _) => {
                if expectations.insert(name, expectation).is_some() {
                    return Err(here("two mutants have this name"));
                }
                (name, true)
            }
            (Some(Note::Instead(name, text)), Some(line)) => (name, line.instead.insert(name, text).is_none()),
            (Some(Note::Added(name, text)), Some(line)) => {
                line.added.push((name, text));
                (name, true)
            }
            _ => return Err(here("expected `NAME = PROPERTY: ANSWER`, `NAME: TEXT` or `NAME+ TEXT`")),
        };
        if !expectations.contains_key(name) || !fresh {
            return Err(here("the mutant has no expected answer, or the line is replaced twice"));
        }
    }
    let program = |name: &str, expectation: &str| {
        let mut out = format!("//= {expectation}\n");
        for line in &lines {
            let first = *line.instead.get(name).unwrap_or(&line.text);
            let added = line.added.iter().filter(|(n, _)| *n == name).map(|(_, text)| *text);
            for text in std::iter::once(first).chain(added) {
                out.push_str(text);
                out.push('\n');
            }
        }
        out
    };
    match expectations.keys().find(|name| !lines.iter().any(|line| line.differs(name))) {
        Some(name) => Err(format!("mutant `{name}` changes nothing")),
        None => Ok(expectations.iter().map(|(&name, expectation)| (name, program(name, expectation))).collect()),
    }
}

/// Returns every `.c` file below a folder and the mutants that they describe, which are written to a folder of the test.
pub fn with_mutants(folder: &Path, test: &str) -> Vec<PathBuf> {
    let mut files = c_files(folder);
    let scratch = scratch(&format!("{test}-mutants"));
    for file in files.clone() {
        let text = std::fs::read_to_string(&file).expect("the program is readable");
        let mutants = mutants(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for (name, text) in mutants {
            let mutant = scratch.join(format!("{}_{name}_false.c", stem.trim_end_matches("_true")));
            std::fs::write(&mutant, text).expect("the scratch folder is writable");
            files.push(mutant);
        }
    }
    files
}
