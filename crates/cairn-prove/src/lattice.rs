//! The lattice of symbolic heaps: the machine of a proof with the data for folding, joining and covering.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use cairn_exec::Machine;
use cairn_ir::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fold::tree_segments::TreeShape;
use crate::hints::allocation_classes::AllocationClasses;
use crate::hints::links::Links;
use crate::join::pairing::Difference;
use crate::proving::Proving;

/// The operations on the states of a proof. Each module of this crate adds some.
pub struct Lattice<'p> {
    /// The symbolic execution.
    pub machine: Machine<'p, Proving>,
    /// Constants at which bounds are guessed.
    pub(crate) thresholds: Rc<BTreeSet<i128>>,
    /// The registers in which each function counts.
    pub(crate) counters: FxHashMap<FuncId, Rc<[bool]>>,
    /// The registers that each function compares with small constants.
    pub(crate) bounded: FxHashMap<FuncId, Rc<[bool]>>,
    /// Constants by which the program distinguishes cases, such as flags and the values of an `enum`.
    pub(crate) marks: Rc<FxHashSet<i128>>,
    /// Whether the program may have trees.
    pub(crate) seeks_trees: bool,
    /// The shapes of the trees that were found.
    pub(crate) trees: Vec<TreeShape>,
    /// The cells that are or may be links.
    pub(crate) links: Links,
    /// The classes of allocation sites.
    pub(crate) classes: AllocationClasses,
}

impl<'p> Lattice<'p> {
    /// Creates the lattice of a machine's program.
    pub(crate) fn new(machine: Machine<'p, Proving>, thresholds: BTreeSet<i128>, marks: FxHashSet<i128>) -> Self {
        let program = machine.program;
        Self {
            machine,
            thresholds: Rc::new(thresholds),
            counters: FxHashMap::default(),
            bounded: FxHashMap::default(),
            marks: Rc::new(marks),
            seeks_trees: false,
            trees: Vec::new(),
            links: Links::of(program),
            classes: AllocationClasses::of(program),
        }
    }
}

impl Lattice<'_> {
    /// Returns whether two different constants are marks.
    ///
    /// The program distinguishes cases by marks and does not count with them.
    pub(crate) fn is_mark(&self, difference: Difference) -> bool {
        !difference.counted && self.marks.contains(&difference.new) && self.marks.contains(&difference.old)
    }
}

impl<'p> Deref for Lattice<'p> {
    type Target = Machine<'p, Proving>;

    fn deref(&self) -> &Self::Target {
        &self.machine
    }
}

impl DerefMut for Lattice<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.machine
    }
}
