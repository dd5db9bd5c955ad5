//! Compilation databases: `compile_commands.json`, and `link_commands.json` of `cairn record` beside it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::flags::{self, CommandLine};
use super::unit::Unit;
use crate::limits::MAX_DATABASE_ENTRIES;
use crate::system::files;

/// The name of a compilation database.
pub(crate) const COMPILE_COMMANDS: &str = "compile_commands.json";

/// The name of the list of link commands beside it.
pub(crate) const LINK_COMMANDS: &str = "link_commands.json";

/// An entry of a database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The folder in which the command was started.
    pub(crate) directory: String,
    /// The source file; link commands have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) file: String,
    /// The words of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Vec<String>>,
    /// The command as one text for a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// The file that the command writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<String>,
}

impl Entry {
    /// Returns the words of the command, or `None` if its quotes do not match.
    fn words(&self) -> Option<Vec<String>> {
        match (&self.arguments, &self.command) {
            (Some(arguments), _) => Some(arguments.clone()),
            (None, Some(command)) => shlex::split(command),
            (None, None) => Some(Vec::new()),
        }
    }
}

/// A command that combines objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    /// The program or archive that the command writes.
    pub(crate) output: String,
    /// The objects and archives.
    pub(crate) inputs: Vec<String>,
    /// The names of libraries (`-lNAME`).
    pub(crate) libraries: Vec<String>,
    /// The units of a command that compiles and links at once.
    pub(crate) is_program: bool,
}

/// The contents of a database.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Database {
    pub(crate) units: Vec<Unit>,
    pub(crate) links: Vec<Link>,
    /// The number of files in other languages.
    pub(crate) skipped: usize,
    /// Entries that could not be understood, as messages.
    pub(crate) problems: Vec<String>,
}

/// Returns the database in a folder or the nearest of its parents.
pub(crate) fn find_upwards(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|dir| dir.join(COMPILE_COMMANDS)).find(|path| path.is_file())
}

/// Reads the entries of a database. The error is a message that names the file.
pub(crate) fn entries(path: &Path) -> Result<Vec<Entry>, String> {
    let entries = parsed(&files::read(path)?)
        .map_err(|error| format!("'{}' is no compilation database: {error}", path.display()))?;
    if entries.len() > MAX_DATABASE_ENTRIES {
        return Err(format!("'{}' has {} entries, more than {MAX_DATABASE_ENTRIES}", path.display(), entries.len()));
    }
    Ok(entries)
}

fn parsed(bytes: &[u8]) -> serde_json::Result<Vec<Entry>> {
    serde_json::from_slice(bytes)
}

/// Reads the text of a database, as both kinds of entries. Every option that is taken over must be harmless.
pub(crate) fn read_and_use(bytes: &[u8]) {
    let Ok(entries) = parsed(bytes) else { return };
    let (mut database, root) = (Database::default(), Path::new("/nowhere"));
    for entry in &entries {
        database.add(entry, root, root);
        database.add_link(entry, root, root);
    }
    for unit in &database.units {
        assert!(flags::are_harmless(&unit.flags), "harmful options: {:?}", unit.flags);
    }
}

/// Reads a database, with its link commands if there are some. Names are relative to `root`.
pub(crate) fn read(path: &Path, root: &Path) -> Result<Database, String> {
    let folder = flags::normalised(&root.join(path.parent().unwrap_or(Path::new("."))));
    let mut database = Database::default();
    for entry in entries(path)? {
        database.add(&entry, &folder, root);
    }
    let links = folder.join(LINK_COMMANDS);
    if links.is_file() {
        for entry in entries(&links)? {
            database.add_link(&entry, &folder, root);
        }
    }
    Ok(database)
}

impl Database {
    fn add(&mut self, entry: &Entry, folder: &Path, root: &Path) {
        let Some(words) = entry.words() else {
            self.problems.push(format!("command for '{}' has unmatched quotes", entry.file));
            return;
        };
        let directory = flags::normalised(&folder.join(&entry.directory));
        let line = flags::parse(&words, &directory, root);
        let file = flags::shown(&directory, &entry.file, root);
        if !is_c(&file, line.language.as_deref()) {
            self.skipped += 1;
            return;
        }
        let output = entry.output.as_ref().map(|output| flags::shown(&directory, output, root));
        let unit = Unit {
            file,
            data_model: line.data_model().into(),
            output: output.or_else(|| line.output.clone()),
            flags: line.flags,
        };
        // Some build systems compile a file twice, for shared and static libraries.
        if !self.units.iter().any(|other| other.is_same_code(&unit) && other.output == unit.output) {
            self.units.push(unit);
        }
    }

    fn add_link(&mut self, entry: &Entry, folder: &Path, root: &Path) {
        let Some(words) = entry.words() else { return };
        let directory = flags::normalised(&folder.join(&entry.directory));
        let is_archiver = words.first().is_some_and(|tool| super::record::is_archiver(tool));
        if is_archiver {
            // `ar rcs libx.a a.o b.o`: operations, the archive, its members.
            let mut files = words.iter().skip(2).filter(|word| !word.starts_with('-'));
            let Some(output) = files.next() else { return };
            let inputs = files.map(|file| flags::shown(&directory, file, root)).collect();
            let output = flags::shown(&directory, output, root);
            self.links.push(Link { output, inputs, libraries: Vec::new(), is_program: false });
            return;
        }
        let CommandLine { files, libraries, output, .. } = flags::parse(&words, &directory, root);
        let output = output.unwrap_or_else(|| flags::shown(&directory, "a.out", root));
        let is_program = !words.iter().any(|word| word == "-shared" || word == "-r") && !output.ends_with(".so");
        self.links.push(Link { output, inputs: files, libraries, is_program });
    }
}

/// Returns whether a file is C, by the option `-x` or by its extension.
pub(crate) fn is_c(file: &str, language: Option<&str>) -> bool {
    match language {
        Some(language) => matches!(language, "c" | "cpp-output" | "none" | "c-header"),
        None => Path::new(file).extension().is_some_and(|extension| extension == "c" || extension == "i"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_units() {
        let text = r#"[
            {"directory": "/p/build", "command": "cc -I../inc -DNAME='\"x y\"' -c ../a.c -o a.o", "file": "../a.c"},
            {"directory": "/p/build", "arguments": ["cc", "-c", "../a.c", "-I../inc", "-o", "a.o"], "file": "../a.c", "output": "a.o"},
            {"directory": "/p", "command": "c++ -c b.cc", "file": "b.cc"},
            {"directory": "/p", "command": "cc -c 'b.c", "file": "b.c"}
        ]"#;
        let entries: Vec<Entry> = serde_json::from_str(text).expect("this is valid");
        let mut database = Database::default();
        for entry in &entries {
            database.add(entry, Path::new("/p"), Path::new("/p"));
        }
        assert_eq!(database.units.len(), 2);
        assert_eq!(database.units[0].file, "a.c");
        assert_eq!(database.units[0].flags, ["-I", "inc", "-DNAME=\"x y\""]);
        assert_eq!(database.units[1].output.as_deref(), Some("build/a.o"));
        assert_eq!((database.skipped, database.problems.len()), (1, 1));
    }

    #[test]
    fn archives_and_programs_are_links() {
        let text = r#"[
            {"directory": "/p", "arguments": ["ar", "rcs", "libx.a", "x.o", "y.o"]},
            {"directory": "/p", "arguments": ["gcc", "-o", "prog", "main.o", "libx.a", "-lm"]},
            {"directory": "/p", "arguments": ["gcc", "-shared", "-o", "libz.so", "z.o"]}
        ]"#;
        let entries: Vec<Entry> = serde_json::from_str(text).expect("this is valid");
        let mut database = Database::default();
        for entry in &entries {
            database.add_link(entry, Path::new("/p"), Path::new("/p"));
        }
        assert_eq!(database.links[0].inputs, ["x.o", "y.o"]);
        assert_eq!((database.links[1].output.as_str(), database.links[1].is_program), ("prog", true));
        assert_eq!(database.links[1].inputs, ["main.o", "libx.a"]);
        assert!(!database.links[2].is_program);
    }
}
