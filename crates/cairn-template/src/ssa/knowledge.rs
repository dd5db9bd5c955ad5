//! Facts about the memory of a program that the encoding needs in advance.
//!
//! These are the cells of objects, the variables that loops change, the possible targets of pointers (FMCAD §III-B2,
//! thesis §3.3), and the number of instances per allocation site (§III-A2).
//!
//! No separate analysis computes the facts. The formula is built with the facts known so far, and the builder records
//! every missing fact that it encounters. The build is repeated until no fact is added. The facts grow monotonically in
//! a finite domain, so this terminates, and the facts of a build that added none are closed under the transitions of
//! the program.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{FuncId, GlobalId, SlotId};
use rustc_hash::FxHashMap;

use crate::limits::{MAX_CELL_BYTES, MAX_CELLS};
use crate::ssa::value::{ObjectNumber, Target, Targets, add_target};

/// A call string, as a number: the call sites on the stack, each with the unwound copies of its loops.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Context(pub u32);

/// A program point of the unwound program: an instruction in a call string, in a copy of each enclosing loop.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The call string.
    pub context: Context,
    /// The block.
    pub block: usize,
    /// The instruction.
    pub inst: usize,
    /// The copy of each enclosing loop, in all functions on the stack.
    pub copies: Vec<u32>,
    /// The called function, for a call through a pointer.
    pub callee: Option<FuncId>,
}

/// The identity of an object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKey {
    /// A global variable or a string literal.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// A local variable of a call.
    Slot(Context, SlotId),
    /// The copy of a struct argument of a function with a summary, by parameter index.
    Argument(Context, usize),
    /// The objects allocated at a program point.
    Site(Place),
}

/// A part of an object that has a variable in the formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Whether the instance is allocated.
    Allocated,
    /// Whether the instance is freed.
    Freed,
    /// The size, if it differs between instances.
    Size,
    /// The cell at an offset; [`ObjectInfo::cells`] has its length.
    Bytes(u64),
}

/// A variable that a loop may change, or that is an input or output of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A register of the loop's function.
    Reg(u32),
    /// A register of a function further up the call stack: its position there and the register.
    Outer(u32, u32),
    /// A part of an object.
    Part(ObjectNumber, Part),
    /// The initial value of a parameter of a function with a summary.
    Param(u32),
    /// A part of an object at the entry of the function.
    Old(ObjectNumber, Part),
    /// The return value.
    Result,
}

/// An object.
#[derive(Clone, Debug)]
pub struct ObjectInfo {
    /// Its identity.
    pub key: ObjectKey,
    /// The printed name.
    pub name: String,
    /// The size in bytes, if it is the same for all instances.
    pub size: Option<u64>,
    /// Whether writing to the object is a violation.
    pub constant: bool,
    /// Whether its allocation site may be executed many times, so that the object stands for many.
    pub many: bool,
    /// The number of tracked instances, if the object stands for many.
    pub instances: u32,
    /// Whether some path may free it.
    pub may_be_freed: bool,
    /// The offsets at which pointers are read or written. Integers stored there are also treated as pointers.
    pointers: BTreeSet<u64>,
    /// The accesses to the object: offset and length.
    accesses: BTreeSet<(u64, u64)>,
    /// The cells that the accesses are partitioned into: offset and length.
    pub cells: Vec<(u64, u64)>,
}

/// The identity of a loop: its call string, its head, and the copies of the enclosing loops.
pub type LoopKey = (Context, usize, Vec<u32>);

/// All recorded facts.
#[derive(Default, Debug)]
pub struct Knowledge {
    contexts: FxHashMap<Place, Context>,
    /// For each call string, that of the body it belongs to: functions with summaries have bodies of their own.
    roots: FxHashMap<Context, Context>,
    /// The recursive functions, each with the number of its group of mutually recursive functions.
    recursive: BTreeMap<FuncId, usize>,
    /// The objects.
    pub objects: Vec<ObjectInfo>,
    by_key: FxHashMap<ObjectKey, ObjectNumber>,
    changes: BTreeMap<LoopKey, BTreeSet<Name>>,
    points_to: BTreeMap<(LoopKey, Name), BTreeSet<Target>>,
    /// Whether a fact was added since this flag was cleared.
    pub grown: bool,
}

impl Knowledge {
    /// Returns the context of a call.
    pub fn context(&mut self, place: Place) -> Context {
        let next = Context(self.contexts.len() as u32 + 1);
        let root = self.root(place.context);
        let context = *self.contexts.entry(place).or_insert(next);
        self.roots.entry(context).or_insert(root);
        context
    }

    /// Returns the context of the body of a function with a summary, for the `number`-th calling context.
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

    /// Returns the context of the body that contains a context.
    pub fn root(&self, context: Context) -> Context {
        self.roots.get(&context).copied().unwrap_or(Context(0))
    }

    /// Records that functions are mutually recursive.
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

    /// Returns whether some function is recursive.
    pub fn is_recursive(&self) -> bool {
        !self.recursive.is_empty()
    }

    /// Returns the group number of a recursive function.
    pub fn recursion(&self, function: FuncId) -> Option<usize> {
        self.recursive.get(&function).copied()
    }

    /// Returns the object with a key and creates it if it is new.
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

    /// Returns the facts about an object.
    pub fn info(&self, object: ObjectNumber) -> &ObjectInfo {
        &self.objects[object.0 as usize]
    }

    fn info_mut(&mut self, object: ObjectNumber) -> &mut ObjectInfo {
        &mut self.objects[object.0 as usize]
    }

    /// Returns whether an object is on the heap.
    pub fn is_heap(&self, object: ObjectNumber) -> bool {
        matches!(self.info(object).key, ObjectKey::Site(_))
    }

    /// Records that the allocation site of an object may be executed many times.
    pub fn set_many(&mut self, object: ObjectNumber) {
        self.grown |= !self.info(object).many;
        self.info_mut(object).many = true;
    }

    /// Records that the size differs between instances.
    pub fn forget_size(&mut self, object: ObjectNumber) {
        self.grown |= self.info(object).size.is_some();
        self.info_mut(object).size = None;
    }

    /// Records that some path may free an object.
    pub fn set_freed(&mut self, object: ObjectNumber) {
        self.grown |= !self.info(object).may_be_freed;
        self.info_mut(object).may_be_freed = true;
    }

    /// Records that an object needs at least `count` tracked instances.
    pub fn need_instances(&mut self, object: ObjectNumber, count: u32) {
        if self.info(object).instances < count {
            self.info_mut(object).instances = count;
            self.grown = true;
        }
    }

    /// Records an access and refines the cells accordingly.
    pub fn access(&mut self, object: ObjectNumber, offset: u64, len: u64) {
        let info = self.info_mut(object);
        if len == 0 || len > MAX_CELL_BYTES || info.size.is_some_and(|size| offset.saturating_add(len) > size) {
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

    /// Records that a pointer is read or written at an offset.
    pub fn set_pointer(&mut self, object: ObjectNumber, offset: u64) {
        let new = self.info_mut(object).pointers.insert(offset);
        self.grown |= new;
    }

    /// Returns whether a part of an object holds pointers.
    pub fn is_pointer(&self, name: Name) -> bool {
        match name {
            Name::Part(object, Part::Bytes(at)) => self.info(object).pointers.contains(&at),
            _ => false,
        }
    }

    /// Records that a loop changes a variable.
    pub fn change(&mut self, key: &LoopKey, name: Name) {
        if let Some(known) = self.changes.get_mut(key) {
            self.grown |= known.insert(name);
        } else {
            self.changes.insert(key.clone(), BTreeSet::from([name]));
            self.grown = true;
        }
    }

    /// Returns the variables that a loop changes in addition to the registers assigned by its instructions.
    pub fn changed(&self, key: &LoopKey) -> BTreeSet<Name> {
        self.changes.get(key).cloned().unwrap_or_default()
    }

    /// Returns the targets of a variable at the end of a loop body; `None` if it never held a pointer.
    pub fn points_to(&self, key: &LoopKey, name: Name) -> Option<&BTreeSet<Target>> {
        self.points_to.get(&(key.clone(), name))
    }

    /// Records possible targets of a variable at the end of a loop body.
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

/// Returns the coarsest partition such that every access is a sequence of cells.
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
    fn known_facts_do_not_count_as_growth() {
        let mut knowledge = Knowledge::default();
        let key = ObjectKey::Global(GlobalId(0));
        let object = knowledge.object(key, || ("x".to_owned(), Some(8), false));
        knowledge.access(object, 0, 4);
        assert!(std::mem::take(&mut knowledge.grown));
        knowledge.access(object, 0, 4);
        // Accesses out of bounds get no cells.
        knowledge.access(object, 6, 4);
        assert!(!knowledge.grown);
    }
}
