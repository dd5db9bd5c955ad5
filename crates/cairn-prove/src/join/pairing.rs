//! The pairing of two states, for joining, covering and the merging of nodes.
//!
//! One walk from the roots of both states pairs their objects (after the join of symbolic memory graphs: Dudka,
//! Peringer, Vojnar, SAS 2013). The result has the layout of the *old* state: its objects and its bases. It also
//! keeps an old variable if that variable meets the same value of the new state everywhere. Each variable of the
//! result stands for a term of the new state (`in_new`) and for a term of the old state (`in_old`). A condition on
//! the result holds in both states if it follows from each path condition after these substitutions.
//!
//! This file pairs roots and objects. Values are paired in [`crate::join::values`], and segments in
//! [`crate::join::shapes`].
//!
//! Invariant: objects are paired one to one, so objects that are separate in the result are separate in both states.
//! Invariant: `in_new` and `in_old` are functions of the result's variables. A variable in neither stands for itself.

use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_ir::FuncId;
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::fold::normalise::Rewrite;
use crate::join::shapes;
use cairn_exec::Carried;
use cairn_exec::planted;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Indexed, Initial, Object};

/// The purpose of a pairing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Decides whether the old state covers the new one.
    ///
    /// The result is the old state, and the equalities that covering requires are collected.
    Cover,
    /// Builds a state that covers both.
    Join,
    /// Merges two nodes of the same state. No variable is reused, because both nodes are part of that state.
    Merge,
}

/// The role of an object of the new state that is paired with a segment of the old state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The object is the only node of the segment.
    Node,
    /// The object follows the segment, which is empty.
    Follower,
}

/// Two different constants that were paired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference {
    /// The constant of the new state.
    pub(crate) new: i128,
    /// The constant of the old state.
    pub(crate) old: i128,
    /// Whether the program counts in the variable that holds them, so that they are no marks.
    pub(crate) counted: bool,
}

impl Difference {
    /// A difference that keeps states apart because a pointer, an index or the beginning of a list differs.
    ///
    /// Its constants are marks of every program.
    pub(crate) const POSITION: Self = Self { new: 0, old: 1, counted: false };
}

/// The role of single objects that are paired with segments.
#[derive(Debug)]
pub(crate) struct SegmentRole {
    pub(crate) role: Role,
    /// Whether an object was paired with a segment, so that the other [`Role`] is worth a try.
    pub(crate) met: bool,
}

/// The data of a pairing that merges two neighbours of one state.
#[derive(Debug, Default)]
pub(crate) struct Merging {
    /// A rewrite that may let the nodes be paired.
    pub(crate) rewrite: Option<Rewrite>,
    /// The values of the links of the two nodes.
    pub(crate) ends: Option<(Term, Term)>,
}

/// Two states, or two nodes of one state, while they are paired.
#[derive(Debug)]
pub(crate) struct Pairing<'s> {
    /// The new state.
    pub(crate) new: &'s State,
    /// The old state.
    pub(crate) old: &'s State,
    /// The purpose of the pairing.
    pub(crate) purpose: Purpose,
    /// The result: a copy of the old state that the pairing changes.
    pub(crate) result: State,
    /// The terms of the new state that the result's variables stand for.
    pub(crate) in_new: FxHashMap<Term, Term>,
    /// The terms of the old state that the result's fresh variables stand for.
    pub(crate) in_old: FxHashMap<Term, Term>,
    /// Covering only: pairs of a new and an old term that must be equal after the old variables are substituted.
    pub(crate) equalities: Vec<(Term, Term)>,
    /// The numbers that were paired: the result's term, the new term and the old term.
    pub(crate) numbers: Vec<(Term, Term, Term)>,
    /// The fresh variables, in the order in which they were created.
    pub(crate) fresh: Vec<Term>,
    /// Different constants of the two states.
    pub(crate) differences: Vec<Difference>,
    /// Whether the program counts in the register that is being paired.
    pub(crate) counting: bool,
    /// The old object that each paired new object belongs to.
    pub(crate) partners: FxHashMap<ObjectId, ObjectId>,
    /// The new object that each paired old object belongs to.
    pub(crate) taken: FxHashMap<ObjectId, ObjectId>,
    /// Segments of the old state, with their patterns, that are empty in the new state.
    pub(crate) absent: FxHashSet<ObjectId>,
    pub(crate) segments: SegmentRole,
    /// Whether a null pointer was paired with a dangling pointer. Joining them loses that the pointer is null.
    pub(crate) dangling: bool,
    pub(crate) merge: Merging,
    /// Links of paired segments: local variables that point to another node or to the end of the segment.
    pub(crate) links: FxHashSet<Term>,
    pub(crate) values: FxHashMap<(Term, Term), Term>,
    pending: Vec<(ObjectId, ObjectId)>,
}

impl<'s> Pairing<'s> {
    pub(crate) fn new(new: &'s State, old: &'s State, purpose: Purpose) -> Self {
        Self {
            new,
            old,
            purpose,
            result: old.clone(),
            in_new: FxHashMap::default(),
            in_old: FxHashMap::default(),
            equalities: Vec::new(),
            numbers: Vec::new(),
            fresh: Vec::new(),
            differences: Vec::new(),
            counting: false,
            partners: FxHashMap::default(),
            taken: FxHashMap::default(),
            absent: FxHashSet::default(),
            segments: SegmentRole { role: Role::Node, met: false },
            dangling: false,
            merge: Merging::default(),
            links: FxHashSet::default(),
            values: FxHashMap::default(),
            pending: Vec::new(),
        }
    }

    /// Fixes the result's term for two values in advance.
    pub(crate) fn seed(&mut self, new: Term, old: Term, result: Term) {
        self.values.insert((new, old), result);
    }

    /// Returns a value of the new state that was paired with an old value.
    pub(crate) fn paired_with(&self, old: Term) -> Option<Term> {
        self.values.keys().filter(|pair| pair.1 == old).map(|pair| pair.0).min()
    }

    /// Lets an old variable stand for a new term; returns false if it stands for another term already.
    pub(crate) fn claim(&mut self, variable: Term, term: Term) -> bool {
        planted!(32, *self.in_new.entry(variable).or_insert(term) == term, true)
    }
}

impl Lattice<'_> {
    /// Pairs two states at the same program point; returns `None` if their shapes differ.
    pub(crate) fn pair_states<'s>(&mut self, new: &'s State, old: &'s State, purpose: Purpose) -> Option<Pairing<'s>> {
        if !may_pair(new, old) {
            return None;
        }
        for role in [Role::Node, Role::Follower] {
            let mut pairing = Pairing::new(new, old, purpose);
            pairing.segments.role = role;
            if self.pair_all(&mut pairing).is_some() {
                return Some(pairing);
            }
            if !pairing.segments.met {
                break;
            }
        }
        None
    }

    fn pair_all(&mut self, pairing: &mut Pairing<'_>) -> Option<()> {
        self.pair_roots(pairing)?;
        self.pair_pending(pairing)?;
        self.pair_absent_sequences(pairing)?;
        self.choose_absent_values(pairing);
        self.assign_locals(pairing)?;
        if planted!(30, !pairing.keeps_ownership(), false) {
            return None;
        }
        // An object that no root leads to would be dropped silently, but every heap object must be paired.
        let kept = |state: &State, paired: &dyn Fn(ObjectId) -> bool| {
            state.memory.iter().all(|(id, o)| o.kind != ObjectKind::Heap || o.end != End::Live || paired(id))
        };
        let (partners, taken, absent) = (&pairing.partners, &pairing.taken, &pairing.absent);
        let all = planted!(31, kept(pairing.new, &|id| partners.contains_key(&id)), true)
            && kept(pairing.old, &|id| taken.contains_key(&id) || absent.contains(&id));
        all.then_some(())
    }

    /// Pairs the contents of all paired objects, and of the objects that these lead to.
    pub(crate) fn pair_pending(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let mut done = 0;
        let mut paired = Vec::new();
        loop {
            while let Some((a, b)) = p.pending.pop() {
                self.pair_contents(p, a, b)?;
                paired.push((a, b));
            }
            // Cells at symbolic offsets come last, when it is known which terms the variables of the offsets stand
            // for.
            let Some(&(a, b)) = paired.get(done) else { break };
            self.pair_indexed(p, a, b)?;
            done += 1;
        }
        // For two states, `pair_all` checks that every heap object is paired.
        (p.purpose != Purpose::Merge || Self::owned_are_paired(p)).then_some(())
    }

    fn pair_roots(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let (new, old) = (p.new, p.old);
        if new.frames.len() != old.frames.len() || new.jumps != old.jumps || new.extra.cut.len() != old.extra.cut.len()
        {
            return None;
        }
        for global in self.machine.globals.clone() {
            self.pair_objects(p, global, global)?;
        }
        for (index, (a, b)) in new.frames.iter().zip(&old.frames).enumerate() {
            let same = a.function == b.function
                && (a.block, a.inst, a.result) == (b.block, b.inst, b.result)
                && a.owned.len() == b.owned.len()
                && a.variadic.is_some() == b.variadic.is_some()
                && (p.new.jumps.is_empty() || a.serial == b.serial);
            if !same {
                return None;
            }
            for (x, y) in a.slots.iter().zip(&b.slots) {
                match (x, y) {
                    (Some(x), Some(y)) => self.pair_objects(p, *x, *y)?,
                    (None, None) => {}
                    _ => return None,
                }
            }
            for (&x, &y) in a.owned.iter().zip(&b.owned).chain(a.variadic.iter().zip(&b.variadic)) {
                self.pair_objects(p, x, y)?;
            }
            let counters = self.counter_registers(a.function);
            for register in 0..a.regs.len() {
                p.counting = counters[register];
                if let (Some(x), Some(y)) = (a.regs[register], b.regs[register])
                    && p.purpose == Purpose::Join
                    && self.indexes_table((new, x), (old, y), a.function, register)
                {
                    p.differences.push(Difference::POSITION);
                }
                let value = match (a.regs[register], b.regs[register]) {
                    (Some(x), Some(y)) => Some(self.pair_values(p, x, y)?),
                    // A read of the register gives an arbitrary value.
                    (_, None) => None,
                    (None, Some(_)) if planted!(27, p.purpose == Purpose::Cover, false) => return None,
                    (None, Some(_)) => None,
                };
                if value != b.regs[register] {
                    Rc::make_mut(&mut p.result.frames[index]).regs[register] = value;
                }
            }
            p.counting = false;
        }
        for (index, (x, y)) in new.extra.cut.iter().zip(old.extra.cut.iter()).enumerate() {
            // The result demands no less than the two states do.
            let role = planted!(29, x.role.max(y.role), x.role.min(y.role));
            if planted!(28, p.purpose == Purpose::Cover && role != y.role, false) {
                return None;
            }
            let joined = Carried { value: self.pair_values(p, x.value, y.value)?, role };
            if joined != *y {
                Rc::make_mut(&mut p.result.extra.cut)[index] = joined;
            }
        }
        for (buffer, _) in old.jumps.iter() {
            self.pair_values(p, *buffer, *buffer)?;
        }
        Some(())
    }

    /// Returns whether a register with different values is the index of a loop over a table.
    ///
    /// The index tells which lists of the table the loop has not reached yet.
    fn indexes_table(
        &mut self,
        (new, x): (&State, Term),
        (old, y): (&State, Term),
        function: FuncId,
        register: usize,
    ) -> bool {
        let values = (new.path.value(&self.machine.terms, x), old.path.value(&self.machine.terms, y));
        matches!(values, (Some(x), Some(y)) if x != y)
            && self.bounded_registers(function)[register]
            && self.has_table(new)
            && self.has_table(old)
    }

    /// Pairs two objects. Their contents are paired later.
    pub(crate) fn pair_objects(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        match (p.partners.get(&a), p.taken.get(&b)) {
            // The only node of a segment is also the partner of the segment's pattern.
            (Some(_), Some(&taken)) => return planted!(22, taken == a, true).then_some(()),
            (None, None) if !p.absent.contains(&b) => {}
            _ => return None,
        }
        let (x, y) = (p.new.memory.get(a), p.old.memory.get(b));
        if planted!(23, (x.kind, x.end, x.constant) != (y.kind, y.end, y.constant), x.kind != y.kind) {
            return None;
        }
        // An object that exists from the start is paired only with itself.
        let unique = matches!(x.kind, ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca | ObjectKind::Variadic);
        if !unique && a != b {
            return None;
        }
        shapes::same_role(p.purpose, x, y)?;
        if x.segment.is_none() && y.segment.is_some() {
            p.segments.met = true;
        }
        let (base_a, base_b, size_a, size_b) = (x.base, y.base, x.size, y.size);
        if p.purpose != Purpose::Merge && planted!(24, !self.claim_base(p, base_a, base_b), false) {
            return None;
        }
        p.partners.insert(a, b);
        p.taken.insert(b, a);
        let size = self.pair_sizes(p, size_a, size_b)?;
        if size != size_b {
            p.result.memory.get_mut(b).size = size;
        }
        p.pending.push((a, b));
        Some(())
    }

    /// Pairs two sizes.
    ///
    /// If both sizes are the same function of two different variables, the result is that function of the paired
    /// variables.
    fn pair_sizes(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        if let (Purpose::Join, &[a], &[b]) = (p.purpose, &*self.variables_of(x), &*self.variables_of(y))
            && a != b
            && self.machine.terms.width(a) == self.machine.terms.width(b)
            && Substitution::new([(b, a)]).apply(&mut self.machine.terms, y) == x
        {
            let number = self.pair_values(p, a, b)?;
            return Some(Substitution::new([(b, number)]).apply(&mut self.machine.terms, y));
        }
        self.pair_values(p, x, y)
    }

    /// Lets the base of an old object stand for that of a new one; returns false if it stands for another one.
    pub(crate) fn claim_base(&mut self, p: &mut Pairing<'_>, new: Term, old: Term) -> bool {
        let (high_new, high_old) = (self.address_variable(new), self.address_variable(old));
        if self.machine.terms.width(high_new) == self.machine.terms.width(high_old) {
            return p.claim(high_old, high_new);
        }
        // The base of a segment or a pattern is one variable of full width.
        high_old == old && p.claim(old, new)
    }

    /// Returns the variable of a base: the whole base, or its bits above the alignment.
    fn address_variable(&self, base: Term) -> Term {
        self.machine.terms.variables_of(base).first().copied().unwrap_or(base)
    }

    /// Pairs the contents of two objects into the result's object.
    fn pair_contents(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (new, old) = (p.new, p.old);
        let (x, y) = (new.memory.get(a), old.memory.get(b));
        if x.end != End::Live || !x.kind.is_data() {
            return Some(());
        }
        match (&x.segment, &y.segment) {
            (Some(_), _) => return self.pair_segments(p, a, b),
            (None, Some(_)) => return self.pair_single(p, a, b),
            (None, None) => {}
        }
        self.pair_cells(p, a, b)
    }

    /// Pairs the cells of two objects.
    pub(crate) fn pair_cells(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (new, old) = (p.new, p.old);
        let (x, y) = (new.memory.get(a), old.memory.get(b));
        let initial = if x.initial() == y.initial() { x.initial().clone() } else { Initial::Undefined };
        if planted!(25, p.purpose == Purpose::Cover && initial != *y.initial(), false) {
            return None;
        }
        if p.purpose == Purpose::Merge
            && let Some(rewrite) = self.rewrite_for_missing_cells(old, a, b)
        {
            p.merge.rewrite = p.merge.rewrite.or(Some(rewrite));
            return None;
        }
        let mut cells = Vec::new();
        let mut runs = common_cells(x, y);
        // Pointers come last: when the size of an owned object is paired, the numbers of its owner must be paired
        // already.
        let is_pointer = |cell: &(u64, u32, Term)| {
            8 * cell.1 == self.machine.pointer_bits && self.any_target(old, cell.2).is_object()
        };
        let pointers: FxHashSet<u64> = y.cells().filter(is_pointer).map(|cell| cell.0).collect();
        runs.sort_by_key(|run| pointers.contains(&run.0));
        self.upper_levels_first(old, y, &mut runs);
        for (at, len) in runs {
            let (left, right) = (self.content(x, at, len), self.content(y, at, len));
            match (left, right) {
                (Some(left), Some(right)) => match self.pair_values(p, left, right) {
                    Some(value) => cells.push((at, value)),
                    None => {
                        if p.purpose == Purpose::Merge && p.merge.rewrite.is_none() {
                            p.merge.rewrite = self.rewrite_for(old, (a, left), (b, right), at);
                        }
                        return None;
                    }
                },
                // The value of these bytes is unknown in one of the states.
                (_, None) => {}
                (None, Some(_)) if planted!(26, p.purpose == Purpose::Cover, false) => return None,
                (None, Some(_)) => {}
            }
        }
        if p.purpose != Purpose::Cover {
            cells.sort_unstable_by_key(|&(at, _)| at);
            p.result.memory.get_mut(b).set_contents(initial, cells, &self.machine.terms);
        }
        Some(())
    }

    /// Pairs the cells of two objects at symbolic offsets; keeps those of the old object that the new one also has.
    fn pair_indexed(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, y) = (p.new.memory.get(a), p.old.memory.get(b));
        let same_size = self.machine.terms.as_const(p.result.memory.get(b).size).is_some();
        let is_string = !same_size && x.end == End::Live && self.ends_with_zero(p.old, y);
        if (y.indexed().is_empty() && !is_string) || x.end != End::Live {
            return Some(());
        }
        let mut kept = Vec::new();
        if is_string && !self.ends_with_zero(p.new, x) {
            if p.purpose == Purpose::Cover && self.remembers_end(y) {
                return None;
            }
        } else if is_string {
            let at = self.last_byte(p.result.memory.get(b));
            kept.push(Indexed { at, term: self.machine.terms.constant(0, 8) });
        }
        let end = self.last_byte(y);
        for old in y.indexed().iter().filter(|old| !is_string || old.at != end) {
            let variables = self.variables_of(old.at);
            let stands_for = |v: &Term| (*v, p.in_new.get(v).copied().unwrap_or(*v));
            let mut in_new = Substitution::new(variables.iter().map(stands_for));
            let at = in_new.apply(&mut self.machine.terms, old.at);
            let width = self.machine.terms.width(old.term);
            let found =
                x.indexed().iter().rev().find(|new| new.at == at && self.machine.terms.width(new.term) == width);
            match found {
                Some(new) if p.purpose != Purpose::Merge => {
                    for &variable in variables.iter() {
                        p.in_new.entry(variable).or_insert(variable);
                    }
                    let term = self.pair_values(p, new.term, old.term)?;
                    kept.push(Indexed { at: old.at, term });
                }
                _ if p.purpose == Purpose::Cover => return None,
                _ => {}
            }
        }
        if p.purpose != Purpose::Cover {
            p.result.memory.get_mut(b).set_indexed(kept);
        }
        Some(())
    }

    /// Returns the offset of an object's last byte.
    fn last_byte(&mut self, object: &Object) -> Term {
        let one = self.machine.terms.constant(1, self.machine.terms.width(object.size));
        self.machine.terms.sub(object.size, one)
    }

    /// Returns whether an object records the value of its last byte at a symbolic offset.
    fn remembers_end(&mut self, object: &Object) -> bool {
        let end = self.last_byte(object);
        object.indexed().iter().any(|indexed| indexed.at == end && self.machine.terms.width(indexed.term) == 8)
    }

    /// Returns whether the last byte of an object is 0, so that the object holds a string.
    ///
    /// Strings in objects of different sizes have no other byte in common.
    fn ends_with_zero(&mut self, state: &State, object: &Object) -> bool {
        let end = self.last_byte(object);
        let remembered = object.indexed().iter().rev().find(|i| i.at == end && self.machine.terms.width(i.term) == 8);
        let value = match (remembered, self.machine.terms.as_const(end)) {
            (Some(indexed), _) => Some(indexed.term),
            (None, Some(end)) if end < u128::from(u64::MAX) => self.content(object, end as u64, 1),
            _ => None,
        };
        value.is_some_and(|value| state.path.value(&self.machine.terms, value) == Some(0))
    }

    /// Returns the value of bytes that lie within one cell or in no cell.
    fn content(&mut self, object: &Object, at: u64, len: u32) -> Option<Term> {
        match object.cell_at(at) {
            Some((start, cell_len, term)) => {
                debug_assert!(at + u64::from(len) <= start + u64::from(cell_len), "a common cell lies in one cell");
                Some(self.machine.terms.extract(term, 8 * (at - start) as u32, 8 * len))
            }
            None => object.known_initial(at, len, &mut self.machine.terms),
        }
    }
}

/// Returns whether the numbers of nodes and segments allow a pairing.
///
/// An old node is paired with a new node, a new segment with an old segment, and no new object is left over. Patterns
/// count, because the parts of a segment's only node are paired with them.
fn may_pair(new: &State, old: &State) -> bool {
    let count = |state: &State| {
        let (mut nodes, mut lists, mut all) = (0_usize, 0_usize, 0_usize);
        for (_, object) in state.memory.iter() {
            if object.kind == ObjectKind::Heap && object.end == End::Live {
                all += 1;
                lists += usize::from(object.segment.is_some());
                nodes += usize::from(object.segment.is_none() && !object.pattern);
            }
        }
        (nodes, lists, all)
    };
    let ((new_nodes, new_lists, new_all), (old_nodes, old_lists, old_all)) = (count(new), count(old));
    old_nodes <= new_nodes && new_lists <= old_lists && new_all <= old_all
}

/// Returns the ranges of bytes in which at least one of two objects has a cell, and none has a cell boundary.
fn common_cells(x: &Object, y: &Object) -> Vec<(u64, u32)> {
    // The number of cells that begin minus the number of cells that end at each boundary.
    let mut boundaries: BTreeMap<u64, i32> = BTreeMap::new();
    for (at, len, _) in x.cells().chain(y.cells()) {
        *boundaries.entry(at).or_default() += 1;
        *boundaries.entry(at + u64::from(len)).or_default() -= 1;
    }
    let mut runs = Vec::new();
    let mut open = 0;
    let mut start = 0;
    for (at, change) in boundaries {
        if open > 0 {
            runs.push((start, (at - start) as u32));
        }
        open += change;
        start = at;
    }
    runs
}
