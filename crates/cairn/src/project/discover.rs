//! Finds the translation units of a project.

use std::path::{Path, PathBuf};

use super::database::{self, COMPILE_COMMANDS, Database};
use super::flags;
use super::unit::Unit;
use crate::arguments::{CheckArguments, DataModel};
use crate::limits::MAX_FOLDER_FILES;
use crate::system::files;

/// Folders of headers that are searched, relative to a folder without a compilation database.
const HEADER_FOLDERS: [&str; 4] = ["", "include", "src", "inc"];

/// Returns whether the arguments name a project instead of the files of one program.
pub(crate) fn is_project(arguments: &CheckArguments) -> bool {
    let is_part = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|extension| extension == "json");
    arguments.project.database.is_some()
        || arguments.project.emit_ninja.is_some()
        || arguments.files.is_empty()
        || arguments.files.iter().any(is_part)
}

/// Returns the units of the project that the arguments name. Their names are relative to `root`, the current folder.
pub(crate) fn units(arguments: &CheckArguments, root: &Path) -> Result<Database, String> {
    let named = match &arguments.project.database {
        Some(folder) if folder.is_dir() => Some(folder.join(COMPILE_COMMANDS)),
        Some(file) => Some(file.clone()),
        None => None,
    };
    let (files, folders): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.files.iter().partition(|path| !path.is_dir());
    let (databases, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        files.into_iter().partition(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut all = Database::default();
    for path in databases {
        all.extend(database::read(path, root)?);
    }
    let nearest = named.or_else(|| database::find_upwards(root));
    match (&nearest, arguments.files.is_empty()) {
        (Some(path), true) => return database::read(path, root),
        (None, true) => return Err(no_database(root)),
        _ => {}
    }
    let nearest = nearest.map(|path| database::read(&path, root)).transpose()?;
    for folder in folders {
        // A database in the folder itself is nearer than one around the current folder.
        let own = folder.join(COMPILE_COMMANDS);
        let whole = flags::normalised(&root.join(folder));
        if own.is_file() {
            all.extend(database::read(&own, root)?);
        } else if let Some(part) = nearest.as_ref().and_then(|nearest| nearest.below(&whole, root)) {
            all.extend(part);
        } else {
            all.extend(walk(folder, root)?);
        }
    }
    for file in files {
        let name = flags::shown(root, &file.to_string_lossy(), root);
        let known = nearest.iter().flat_map(|nearest| &nearest.units).find(|unit| unit.file == name);
        all.units.push(known.cloned().unwrap_or_else(|| plain(name, Vec::new())));
    }
    Ok(all)
}

fn no_database(root: &Path) -> String {
    format!(
        "no {COMPILE_COMMANDS} in '{}' or above it\nhelp: name files or folders, or write one with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, \
         `meson setup`, or `cairn record -- make`",
        root.display()
    )
}

impl Database {
    fn extend(&mut self, other: Database) {
        self.units.extend(other.units);
        self.links.extend(other.links);
        self.skipped += other.skipped;
        self.problems.extend(other.problems);
    }

    /// Returns the units in a folder, or `None` if there are none.
    fn below(&self, folder: &Path, root: &Path) -> Option<Database> {
        let is_below = |unit: &&Unit| root.join(&unit.file).starts_with(folder);
        let units: Vec<Unit> = self.units.iter().filter(is_below).cloned().collect();
        (!units.is_empty()).then(|| Database { units, links: self.links.clone(), ..Database::default() })
    }
}

/// Returns the units of the files with models.
pub(crate) fn models(paths: &[PathBuf], root: &Path) -> Vec<Unit> {
    paths.iter().map(|path| plain(flags::shown(root, &path.to_string_lossy(), root), Vec::new())).collect()
}

fn plain(file: String, flags: Vec<String>) -> Unit {
    Unit { file, data_model: DataModel::Lp64.into(), flags, output: None }
}

/// Returns the C files below a folder, with the usual folders of headers. Hidden folders and symbolic links to folders are left out.
fn walk(folder: &Path, root: &Path) -> Result<Database, String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    let mut database = Database::default();
    while let Some(dir) = left.pop() {
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("cannot read '{}': {}", dir.display(), files::describe(&error));
                if dir == folder {
                    return Err(message);
                }
                database.problems.push(message);
                continue;
            }
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && !is_hidden {
                left.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "c") {
                found.push(path);
            }
        }
        if found.len() > MAX_FOLDER_FILES {
            return Err(format!("'{}' has more than {MAX_FOLDER_FILES} C files", folder.display()));
        }
    }
    if found.is_empty() {
        return Err(format!("no C files in '{}'", folder.display()));
    }
    found.sort();
    let headers = HEADER_FOLDERS.iter().map(|name| folder.join(name)).filter(|dir| dir.is_dir());
    let headers = headers.map(|dir| flags::shown(root, &dir.to_string_lossy(), root));
    let flags: Vec<String> = headers.flat_map(|dir| ["-I".to_owned(), dir]).collect();
    let name = |path: &PathBuf| flags::shown(root, &path.to_string_lossy(), root);
    database.units = found.iter().map(|path| plain(name(path), flags.clone())).collect();
    Ok(database)
}
