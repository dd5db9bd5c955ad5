//! Preprocesses the units of a project once, for the names that link them and for a hash of their content.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cairn_frontend::{Input, Symbols};
use serde::{Deserialize, Serialize};

use super::store::Store;
use super::unit::Unit;
use crate::arguments::{COptions, DataModel};
use crate::limits::STACK_SIZES;
use crate::sha256;
use crate::system::files;
use crate::system::preprocess::preprocess_quietly;
use crate::system::supervise::Guard;

/// The facts about a unit that are known without an analysis.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Scanned {
    /// The hash of the preprocessed text; `None` for units that cannot be preprocessed.
    pub(crate) hash: Option<String>,
    /// The external names; `None` for units with errors.
    pub(crate) symbols: Option<Symbols>,
    /// The files of the project that the unit includes.
    pub(crate) includes: Vec<String>,
}

/// The kept form of [`Symbols`].
#[derive(Serialize, Deserialize)]
struct Kept {
    defined: Vec<String>,
    undefined: Vec<String>,
}

/// Scans all units on this many threads, in the order of the units.
pub(crate) fn scan(
    units: &[Unit],
    given: &COptions,
    store: Option<&Store>,
    jobs: usize,
    guard: &Guard,
) -> Vec<Scanned> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![Scanned::default(); units.len()]);
    let fresh = Mutex::new(Vec::new());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = units.get(index) else { break };
            if guard.is_cancelled() {
                break;
            }
            let (scanned, kept) = one(unit, given, store, guard);
            if let Ok(mut results) = results.lock() {
                results[index] = scanned;
            }
            if let (Some(kept), Ok(mut fresh)) = (kept, fresh.lock()) {
                fresh.push(kept);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            // Trees of deeply nested programs are walked recursively.
            let started = STACK_SIZES
                .into_iter()
                .find_map(|size| thread::Builder::new().stack_size(size).spawn_scoped(scope, work).ok());
            if started.is_none() {
                work();
            }
        }
    });
    if let (Some(store), Ok(fresh)) = (store, fresh.into_inner()) {
        store.put(&fresh);
    }
    results.into_inner().unwrap_or_default()
}

/// Scans one unit. Also returns the key and value to keep.
fn one(unit: &Unit, given: &COptions, store: Option<&Store>, guard: &Guard) -> (Scanned, Option<(String, Vec<u8>)>) {
    let path = Path::new(&unit.file);
    let is_preprocessed = path.extension().is_some_and(|extension| extension == "i");
    let bytes = if is_preprocessed {
        files::read_bytes(path).ok()
    } else {
        path.is_file().then(|| preprocess_quietly(path, &unit.c_options(given), guard)).flatten()
    };
    let Some(bytes) = bytes else { return (Scanned::default(), None) };
    let hash = sha256::hex(&bytes);
    let text = files::c_text(bytes);
    let includes = included(&text);
    let model = DataModel::from(unit.data_model);
    let key = format!("symbols {} {model:?} {hash}", env!("CARGO_PKG_VERSION"));
    let kept =
        store.and_then(|store| store.get(&key)).and_then(|bytes| serde_json::from_slice::<Option<Kept>>(&bytes).ok());
    if let Some(kept) = kept {
        let symbols = kept.map(|Kept { defined, undefined }| Symbols { defined, undefined });
        return (Scanned { hash: Some(hash), symbols, includes }, None);
    }
    let input = Input { name: unit.file.clone(), text };
    // A bug of the front-end must not end the scan; the check of the target reports it.
    let symbols = std::panic::catch_unwind(|| cairn_frontend::symbols(input, model.into())).ok().flatten();
    let value = symbols.as_ref().map(|s| Kept { defined: s.defined.clone(), undefined: s.undefined.clone() });
    let value = serde_json::to_vec(&value).unwrap_or_default();
    (Scanned { hash: Some(hash), symbols, includes }, Some((key, value)))
}

/// Returns the files that the line markers of a preprocessed text name, without those of the system.
fn included(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("# ")) {
        let mut parts = line.splitn(3, '"');
        if let (Some(_), Some(name), Some(rest)) = (parts.next(), parts.next(), parts.next())
            && !name.starts_with('<')
            // The third flag marks a system header.
            && !rest.split(' ').any(|flag| flag == "3")
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names.dedup();
    names.retain(|name| Path::new(name).is_file());
    names
}
