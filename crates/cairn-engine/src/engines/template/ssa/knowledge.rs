//! What is known of a program's memory before its formula is written down: which cells objects have, what loops change, what
//! pointers may point to (FMCAD §III-B2, thesis §3.3), how many instances of an allocation site have to be told apart (§III-A2).
//!
//! None of it comes from an analysis of its own. The formula is built with what is known so far; whatever the building runs into
//! that is not known yet is added, and the formula is built again, until nothing is added. Everything here only grows and is
//! finite, so that ends; and what a formula was built with that added nothing is closed under the program's steps.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{FuncId, GlobalId, SlotId};
use rustc_hash::FxHashMap;

use super::value::{ObjectNumber, Target, Targets, add_target};

/// A chain of calls, as a number: where a function was called, in which copy of the loops around it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Context(pub u32);

/// A place in the unwound program: an instruction in a chain of calls, in a copy of each loop around it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The calls that lead there.
    pub context: Context,
    /// The block.
    pub block: usize,
    /// The instruction.
    pub inst: usize,
    /// The copy of each loop around it, in all functions.
    pub copies: Vec<u32>,
    /// The function that is called, where a pointer chooses.
    pub callee: Option<FuncId>,
}

/// What an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKey {
    /// A global variable or a string.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// A local variable of a call.
    Slot(Context, SlotId),
    /// The copy of a struct that is passed to a function that has a summary, by its place among the parameters.
    Argument(Context, usize),
    /// What a place allocates.
    Site(Place),
}

/// A part of an object that the formula has a variable for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Whether the instance was allocated.
    Allocated,
    /// Whether it was freed.
    Freed,
    /// Its size, where it is not the same for all instances.
    Size,
    /// The bytes from an offset on; how many, the layout says.
    Bytes(u64),
}

/// A variable that a loop may change, or that a function is given or gives back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A register of the loop's function.
    Reg(u32),
    /// A register of a function that waits for the loop's, by its place in the chain of calls.
    Outer(u32, u32),
    /// A part of an object.
    Part(ObjectNumber, Part),
    /// A parameter of a function that has a summary, as it was given.
    Param(u32),
    /// A part of an object as it was when the function was called.
    Old(ObjectNumber, Part),
    /// What the function returns.
    Result,
}

/// An object.
#[derive(Clone, Debug)]
pub struct ObjectInfo {
    /// What it is.
    pub key: ObjectKey,
    /// What it is called.
    pub name: String,
    /// Its size in bytes, where it is the same for all instances.
    pub size: Option<u64>,
    /// Whether writing to it is a fault.
    pub constant: bool,
    /// Whether its place may be passed many times, so that it stands for many objects.
    pub many: bool,
    /// Instances that the formula tells apart, when it stands for many.
    pub instances: u32,
    /// Whether something may free it.
    pub may_be_freed: bool,
    /// Where pointers are read or written: a number that is stored there is one, too.
    pointers: BTreeSet<u64>,
    /// The accesses to it: offset and bytes.
    accesses: BTreeSet<(u64, u64)>,
    /// The cells that the accesses fall into: offset and bytes.
    pub cells: Vec<(u64, u64)>,
}

/// The key of a loop: its context, its head, and the copies of the loops around it.
pub type LoopKey = (Context, usize, Vec<u32>);

/// Cells of an object beyond which it is not followed: what is read from it is anything.
const MAX_CELLS: usize = 256;

/// Everything known.
#[derive(Default, Debug)]
pub struct Knowledge {
    contexts: FxHashMap<Place, Context>,
    /// For each context the one of the body that it is in: functions that have summaries have bodies of their own.
    roots: FxHashMap<Context, Context>,
    /// Functions that call themselves, each with a number for those that call each other.
    recursive: BTreeMap<FuncId, usize>,
    /// The objects.
    pub objects: Vec<ObjectInfo>,
    by_key: FxHashMap<ObjectKey, ObjectNumber>,
    changes: BTreeMap<LoopKey, BTreeSet<Name>>,
    points_to: BTreeMap<(LoopKey, Name), BTreeSet<Target>>,
    /// Whether something was added since this was last cleared.
    pub grown: bool,
}

impl Knowledge {
    /// The context of a call.
    pub fn context(&mut self, place: Place) -> Context {
        let next = Context(self.contexts.len() as u32 + 1);
        let root = self.root(place.context);
        let context = *self.contexts.entry(place).or_insert(next);
        self.roots.entry(context).or_insert(root);
        context
    }

    /// The context of a function that has a summary for what is called in another context, by its number among those of the function.
    pub fn summary_context(&mut self, parent: Context, function: FuncId, number: u32) -> Context {
        let place = Place {
            context: parent,
            block: usize::MAX,
            inst: function.index() + 1,
            copies: vec![number],
            callee: Some(function),
        };
        let context = self.context(place);
        self.roots.insert(context, context);
        context
    }

    /// The context of the body that a context is in.
    pub fn root(&self, context: Context) -> Context {
        self.roots.get(&context).copied().unwrap_or(Context(0))
    }

    /// These functions call each other in turns.
    pub fn set_recursive(&mut self, functions: &[FuncId]) {
        let known: BTreeSet<usize> = functions.iter().filter_map(|f| self.recursive.get(f)).copied().collect();
        let number = known.first().copied().unwrap_or(self.recursive.len());
        for group in self.recursive.values_mut().filter(|group| known.contains(group)) {
            self.grown |= *group != number;
            *group = number;
        }
        for &function in functions {
            self.grown |= self.recursive.insert(function, number) != Some(number);
        }
    }

    /// Whether some function calls itself.
    pub fn is_recursive(&self) -> bool {
        !self.recursive.is_empty()
    }

    /// The number of the functions that a function calls itself through, where it does.
    pub fn recursion(&self, function: FuncId) -> Option<usize> {
        self.recursive.get(&function).copied()
    }

    /// The object with a key, made when it is new.
    pub fn object(&mut self, key: ObjectKey, info: impl FnOnce() -> (String, Option<u64>, bool)) -> ObjectNumber {
        if let Some(&number) = self.by_key.get(&key) {
            return number;
        }
        let number = ObjectNumber(self.objects.len() as u32);
        let (name, size, constant) = info();
        self.objects.push(ObjectInfo {
            key: key.clone(),
            name,
            size,
            constant,
            many: false,
            instances: 1,
            may_be_freed: false,
            pointers: BTreeSet::new(),
            accesses: BTreeSet::new(),
            cells: Vec::new(),
        });
        self.by_key.insert(key, number);
        number
    }

    /// An object.
    pub fn info(&self, object: ObjectNumber) -> &ObjectInfo {
        &self.objects[object.0 as usize]
    }

    fn info_mut(&mut self, object: ObjectNumber) -> &mut ObjectInfo {
        &mut self.objects[object.0 as usize]
    }

    /// Whether an object is allocated by the program.
    pub fn is_heap(&self, object: ObjectNumber) -> bool {
        matches!(self.info(object).key, ObjectKey::Site(_))
    }

    /// Its place may be passed many times.
    pub fn set_many(&mut self, object: ObjectNumber) {
        self.grown |= !self.info(object).many;
        self.info_mut(object).many = true;
    }

    /// Its size is not the same for all instances.
    pub fn forget_size(&mut self, object: ObjectNumber) {
        self.grown |= self.info(object).size.is_some();
        self.info_mut(object).size = None;
    }

    /// Something may free it.
    pub fn set_freed(&mut self, object: ObjectNumber) {
        self.grown |= !self.info(object).may_be_freed;
        self.info_mut(object).may_be_freed = true;
    }

    /// So many instances have to be told apart.
    pub fn need_instances(&mut self, object: ObjectNumber, count: u32) {
        if self.info(object).instances < count {
            self.info_mut(object).instances = count;
            self.grown = true;
        }
    }

    /// Some bytes are accessed: there have to be cells for them.
    pub fn access(&mut self, object: ObjectNumber, offset: u64, len: u64) {
        let info = self.info_mut(object);
        if len == 0 || len > 16 || info.size.is_some_and(|size| offset.saturating_add(len) > size) {
            return;
        }
        if info.cells.len() > MAX_CELLS || !info.accesses.insert((offset, len)) {
            return;
        }
        let cells = partition(&info.accesses);
        if cells != info.cells {
            info.cells = cells;
            self.grown = true;
        }
    }

    /// A pointer is read or written there.
    pub fn set_pointer(&mut self, object: ObjectNumber, offset: u64) {
        let new = self.info_mut(object).pointers.insert(offset);
        self.grown |= new;
    }

    /// Whether a part of an object is a pointer.
    pub fn is_pointer(&self, name: Name) -> bool {
        match name {
            Name::Part(object, Part::Bytes(at)) => self.info(object).pointers.contains(&at),
            _ => false,
        }
    }

    /// A loop changes a variable.
    pub fn change(&mut self, key: &LoopKey, name: Name) {
        if let Some(known) = self.changes.get_mut(key) {
            self.grown |= known.insert(name);
        } else {
            self.changes.insert(key.clone(), BTreeSet::from([name]));
            self.grown = true;
        }
    }

    /// What a loop changes, besides what its instructions assign.
    pub fn changed(&self, key: &LoopKey) -> BTreeSet<Name> {
        self.changes.get(key).cloned().unwrap_or_default()
    }

    /// What a variable may point to at the end of a loop's body; `None` when it was never seen to be a pointer.
    pub fn points_to(&self, key: &LoopKey, name: Name) -> Option<&BTreeSet<Target>> {
        self.points_to.get(&(key.clone(), name))
    }

    /// A variable may point there at the end of a loop's body.
    pub fn point(&mut self, key: &LoopKey, name: Name, targets: &Targets) {
        let known = self.points_to.entry((key.clone(), name)).or_insert_with(|| {
            self.grown = true;
            BTreeSet::new()
        });
        for &target in &**targets {
            self.grown |= add_target(known, target);
        }
    }
}

/// The coarsest cells of which every access is a row: neighbouring cuts with an access between them.
fn partition(accesses: &BTreeSet<(u64, u64)>) -> Vec<(u64, u64)> {
    let cuts: BTreeSet<u64> = accesses.iter().flat_map(|&(at, len)| [at, at + len]).collect();
    let cuts: Vec<u64> = cuts.into_iter().collect();
    cuts.windows(2)
        .map(|pair| (pair[0], pair[1] - pair[0]))
        .filter(|&(at, len)| accesses.iter().any(|&(from, bytes)| from <= at && at + len <= from + bytes))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_accesses_share_cells() {
        let cells = |accesses: &[(u64, u64)]| partition(&accesses.iter().copied().collect());
        assert_eq!(cells(&[(0, 4), (8, 8)]), [(0, 4), (8, 8)]);
        assert_eq!(cells(&[(0, 4), (1, 1)]), [(0, 1), (1, 1), (2, 2)]);
        assert_eq!(cells(&[(0, 4), (2, 4)]), [(0, 2), (2, 2), (4, 2)]);
        assert_eq!(cells(&[]), []);
    }

    #[test]
    fn what_is_known_already_is_no_growth() {
        let mut knowledge = Knowledge::default();
        let key = ObjectKey::Global(GlobalId(0));
        let object = knowledge.object(key, || ("x".to_owned(), Some(8), false));
        knowledge.access(object, 0, 4);
        assert!(std::mem::take(&mut knowledge.grown));
        knowledge.access(object, 0, 4);
        // Out of bounds: there is nothing to keep.
        knowledge.access(object, 6, 4);
        assert!(!knowledge.grown);
    }
}
