//! Results that later runs use again, by the content of the code.
//!
//! The store lies in the user's cache folder, not in the analysed project, which could bring false proofs along. Each value carries a hash
//! of itself; a damaged value counts as missing, and a damaged store is deleted.

use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};

use crate::sha256;
use crate::system::terminal::Terminal;

const TABLE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("results");

/// The name of the store in its folder.
const FILE: &str = "results-1.redb";

/// The length of the hash in front of a value.
const HASH: usize = 64;

/// A store of results.
pub(crate) struct Store {
    database: Database,
}

/// Returns the user's folder for results.
pub(crate) fn default_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(base.join("cairn"))
}

/// Returns the file of the store in a folder.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

impl Store {
    /// Opens the store of a folder, or creates it. A store that cannot be used is reported in one line, and left out.
    pub(crate) fn open(folder: &Path, terminal: &Terminal) -> Option<Store> {
        let file = file(folder);
        let unusable = |what: String| {
            terminal.warning(&format!("results are not kept: {what}"));
            None
        };
        if let Err(error) = std::fs::create_dir_all(folder) {
            return unusable(format!(
                "cannot create '{}': {}",
                folder.display(),
                crate::system::files::describe(&error)
            ));
        }
        match Database::create(&file) {
            Ok(database) => Some(Store { database }),
            Err(redb::DatabaseError::DatabaseAlreadyOpen) => unusable("another cairn uses them".to_owned()),
            Err(error) => {
                terminal.warning(&format!("results in '{}' are damaged and deleted: {error}", file.display()));
                std::fs::remove_file(&file).ok()?;
                Database::create(&file).ok().map(|database| Store { database })
            }
        }
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        let table = self.database.begin_read().ok()?.open_table(TABLE).ok()?;
        let stored = table.get(key).ok()??;
        let (hash, value) = stored.value().split_at_checked(HASH)?;
        (sha256::hex(value).as_bytes() == hash).then(|| value.to_vec())
    }

    /// Keeps values. A store that cannot be written keeps what it has.
    pub(crate) fn put(&self, values: &[(String, Vec<u8>)]) {
        let write = || -> Result<(), redb::Error> {
            let transaction = self.database.begin_write()?;
            {
                let mut table = transaction.open_table(TABLE)?;
                for (key, value) in values {
                    let stored = [sha256::hex(value).as_bytes(), value].concat();
                    table.insert(key.as_str(), stored.as_slice())?;
                }
            }
            transaction.commit()?;
            Ok(())
        };
        let _ = write();
    }

    /// Returns the number of values, and their bytes.
    pub(crate) fn size(&self) -> Option<(u64, u64)> {
        let table = self.database.begin_read().ok()?.open_table(TABLE).ok()?;
        let bytes = table.iter().ok()?.filter_map(Result::ok).map(|(_, value)| value.value().len() as u64).sum();
        Some((table.len().ok()?, bytes))
    }
}
