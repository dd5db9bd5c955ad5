//! `cairn cache`: the results that `cairn check` keeps.

use crate::arguments::CacheAction;
use crate::exit::Exit;
use crate::project::store::{self, Store};
use crate::system::files;
use crate::system::terminal::{self, Terminal};

/// Deletes the results, or prints how many there are.
pub(crate) fn cache(action: &CacheAction, terminal: &Terminal) -> Exit {
    let (CacheAction::Clear { cache_dir } | CacheAction::Stats { cache_dir }) = action;
    let Some(folder) = cache_dir.clone().or_else(store::default_folder) else {
        terminal.error("no folder for results: neither $XDG_CACHE_HOME nor $HOME is set");
        return Exit::Failure;
    };
    let file = store::file(&folder);
    if !file.is_file() {
        terminal::print(format!("no results in '{}'\n", folder.display()).as_bytes());
        return Exit::Fine;
    }
    match action {
        CacheAction::Clear { .. } => match std::fs::remove_file(&file) {
            Ok(()) => terminal::print(format!("deleted '{}'\n", file.display()).as_bytes()),
            Err(error) => {
                terminal.error(&format!("cannot delete '{}': {}", file.display(), files::describe(&error)));
                return Exit::Failure;
            }
        },
        CacheAction::Stats { .. } => {
            let Some(store) = Store::open(&folder, terminal) else { return Exit::Failure };
            let (count, bytes) = store.size().unwrap_or((0, 0));
            terminal::print(format!("{count} results, {bytes} bytes, in '{}'\n", file.display()).as_bytes());
        }
    }
    Exit::Fine
}
