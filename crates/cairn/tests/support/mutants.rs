//! Programs with a planted bug, written as lines of the right program that they break.
//!
//! A mutant differs from a right program by a line or a few, so it stands in the same file. Above the code, it has a name and a wish of its
//! own; in the code, the lines below one of the program's say what the mutant has in its place (nothing: the line is missing), or what it has
//! after it:
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
//! To C these lines are comments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{c_files, scratch};

/// What a line that starts with `//@` says.
enum Note<'a> {
    /// `NAME = PROPERTY: ANSWER`
    Wish(&'a str, &'a str),
    /// `NAME: TEXT`: the text stands for the line above.
    Instead(&'a str, &'a str),
    /// `NAME+ TEXT`: the text follows.
    Added(&'a str, &'a str),
}

fn note(text: &str) -> Option<Note<'_>> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = text.split_at(end);
    Some(match rest.trim_start().split_at_checked(1)? {
        ("=", wish) => Note::Wish(name, wish.trim()),
        (":", text) => Note::Instead(name, text.trim()),
        ("+", text) => Note::Added(name, text.trim()),
        _ => return None,
    })
}

/// A line of the program.
struct Line<'a> {
    text: &'a str,
    /// What mutants have instead of it.
    instead: BTreeMap<&'a str, &'a str>,
    /// What follows it, with the mutant's name.
    added: Vec<(&'a str, &'a str)>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Self {
        Line { text, instead: BTreeMap::new(), added: Vec::new() }
    }

    /// Whether a mutant has something else here.
    fn differs(&self, name: &str) -> bool {
        self.instead.contains_key(name) || self.added.iter().any(|(n, _)| *n == name)
    }
}

/// The text of each mutant in a program, by name.
fn mutants(text: &str) -> Result<BTreeMap<&str, String>, String> {
    let mut wishes = BTreeMap::new();
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
            (Some(Note::Wish(name, wish)), _) => {
                if wishes.insert(name, wish).is_some() {
                    return Err(here("there is a mutant of this name"));
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
        if !wishes.contains_key(name) || !fresh {
            return Err(here("the mutant has no wish, or the line is replaced twice"));
        }
    }
    let program = |name: &str, wish: &str| {
        let mut out = format!("//= {wish}\n");
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
    match wishes.keys().find(|name| !lines.iter().any(|line| line.differs(name))) {
        Some(name) => Err(format!("mutant `{name}` changes nothing")),
        None => Ok(wishes.iter().map(|(&name, wish)| (name, program(name, wish))).collect()),
    }
}

/// Every `.c` file below a folder and, in a new folder of this test's, the mutants that they describe.
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
