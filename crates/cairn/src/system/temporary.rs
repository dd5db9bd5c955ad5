//! Temporary folders that nobody else can have prepared or can read.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use crate::limits::MAX_FOLDER_NAMES;
use crate::system::files;

/// A new folder that is removed when this value is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates a folder with this prefix. The error is a message.
    pub(crate) fn create(prefix: &str) -> Result<Self, String> {
        let folder = create_folder(prefix);
        folder.map(Folder).map_err(|error| format!("cannot create a temporary folder: {}", files::describe(&error)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Creates a new folder with this prefix in the system's folder for temporary files.
///
/// The call fails on a name that exists, also as a symbolic link, and then tries another name.
pub(crate) fn create_folder(prefix: &str) -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    for attempt in 0_u32.. {
        let folder = std::env::temp_dir().join(format!("{prefix}-{}-{attempt}", std::process::id()));
        match builder.create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < MAX_FOLDER_NAMES => {}
            result => return result.map(|()| folder),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_new_and_private() {
        let first = create_folder("cairn-test").expect("the folder for temporary files is writable");
        let second = create_folder("cairn-test").expect("the folder for temporary files is writable");
        assert_ne!(first, second);
        #[cfg(unix)]
        {
            let mode = std::fs::metadata(&first).expect("created above").permissions();
            assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o077, 0);
        }
        for folder in [first, second] {
            std::fs::remove_dir(folder).expect("created above");
        }
    }
}
