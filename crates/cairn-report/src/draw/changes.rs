//! What has changed from one picture to the next.

use std::collections::BTreeSet;

use crate::report::heap::{Contents, Heap, Life, Variable};

/// The differences between two pictures. The first picture has none.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Objects that appeared.
    pub(crate) new: BTreeSet<String>,
    /// Objects that were freed or lost.
    pub(crate) ended: BTreeSet<String>,
    /// Cells with another value, by object and name.
    pub(crate) cells: BTreeSet<(String, String)>,
    /// Variables with another value, by name and function.
    pub(crate) variables: BTreeSet<(String, String, u32)>,
}

impl Changes {
    pub(crate) fn between(before: Option<&Heap>, after: &Heap) -> Self {
        let mut changes = Changes::default();
        let Some(before) = before else { return changes };
        for node in &after.nodes {
            let Some(old) = before.node(&node.id) else {
                changes.new.insert(node.id.clone());
                continue;
            };
            if old.life != node.life && node.life != Life::Live {
                changes.ended.insert(node.id.clone());
            }
            for cell in &node.cells {
                let known = old.cells.iter().find(|other| other.name == cell.name).map(|cell| &cell.value);
                if known != Some(&cell.value) {
                    changes.cells.insert((node.id.clone(), cell.name.clone()));
                }
            }
        }
        for variable in &after.variables {
            // After a call or a return, the same variable is at another depth.
            let is_same = |old: &&Variable| (&old.name, &old.function) == (&variable.name, &variable.function);
            let old: Option<&Contents> = before.variables.iter().find(is_same).map(|old| &old.value);
            if old != Some(&variable.value) {
                changes.variables.insert(key(variable));
            }
        }
        changes
    }
}

/// Returns what identifies a variable in a picture.
pub(crate) fn key(variable: &Variable) -> (String, String, u32) {
    (variable.name.clone(), variable.function.clone(), variable.above)
}
