//! The user's files, from which reports quote.
//!
//! A report names files as the line markers of the preprocessed text do, and a hostile text can name any file (`# 1 "/home/me/.netrc"`).
//! So only files next to the inputs, below the current folder and in the folders for headers are quoted. For others, reports quote the
//! preprocessed text.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::system::files;

/// The folders with the headers of the system.
const SYSTEM_FOLDERS: [&str; 4] = ["/usr/include", "/usr/lib", "/usr/local/include", "/usr/local/lib"];

/// The files that may be quoted. Each is read once.
pub(crate) struct Originals {
    folders: Vec<PathBuf>,
    texts: Mutex<HashMap<String, Option<Arc<str>>>>,
}

impl Originals {
    /// Returns the files in the folders of the inputs, in the folders for headers, in the current folder and in those of the system.
    pub(crate) fn new<'a>(inputs: &[PathBuf], headers: impl Iterator<Item = &'a Path>) -> Self {
        let beside = inputs.iter().filter_map(|path| path.canonicalize().ok()?.parent().map(Path::to_path_buf));
        let system = SYSTEM_FOLDERS.into_iter().map(PathBuf::from);
        let current = std::env::current_dir().ok();
        let folders = beside.chain(headers.map(Path::to_path_buf)).chain(current).chain(system);
        // The root folder would admit everything.
        let folders = folders.filter_map(|dir| dir.canonicalize().ok()).filter(|dir| dir.parent().is_some());
        Self { folders: folders.collect(), texts: Mutex::default() }
    }

    /// Returns the text of a file, or `None` when it cannot be read or must not be quoted.
    pub(crate) fn read(&self, name: &str) -> Option<Arc<str>> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = texts.get(name) {
            return known.clone();
        }
        let bytes = self.admitted(Path::new(name)).and_then(|path| files::read_bytes(&path).ok());
        let text: Option<Arc<str>> = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into());
        texts.insert(name.to_owned(), text.clone());
        text
    }

    /// Returns the real path of a file that may be quoted. Hidden files and folders hold settings and secrets, not C.
    fn admitted(&self, path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok().filter(|path| path.is_file())?;
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_below = |dir: &PathBuf| path.strip_prefix(dir).is_ok_and(|rest| !rest.components().any(is_hidden));
        self.folders.iter().any(is_below).then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_project_are_quoted() {
        let folder =
            crate::system::temporary::create_folder("cairn-test").expect("the folder for temporary files is writable");
        std::fs::create_dir_all(folder.join("project/.git")).expect("created above");
        for name in ["project/a.c", "project/.git/config", "secret"] {
            std::fs::write(folder.join(name), "text").expect("created above");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.join("secret"), folder.join("project/link.h")).expect("created above");
        let originals = Originals::new(&[folder.join("project/a.c")], std::iter::empty());
        let read = |name: &str| originals.read(&folder.join(name).display().to_string());
        assert_eq!(read("project/a.c").as_deref(), Some("text"));
        for name in ["secret", "project/../secret", "project/link.h", "project/.git/config", "project"] {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!(originals.read("/etc/passwd"), None);
        std::fs::remove_dir_all(folder).expect("created above");
    }
}
