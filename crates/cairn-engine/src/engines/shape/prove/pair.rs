//! The pairing of two states: one walk from the roots of both that serves joining, covering and merging of nodes (after the
//! join of symbolic memory graphs: Dudka, Peringer, Vojnar, SAS 2013).
//!
//! The result has the layout of the *old* state: its objects, its bases, and its variables where one value of the new state
//! stands against a variable everywhere. So each variable of the result stands for a term of the new state (`in_new`) and for
//! a term of the old one (`in_old`), and a condition on the result holds of both states when it follows from each path after
//! these substitutions.
//!
//! This file pairs roots and objects; what they hold is paired in [`super::values`], and segments in [`super::shapes`].
//!
//! Invariant: objects are paired one to one, so what is apart in the result is apart in both states.
//! Invariant: `in_new` and `in_old` are functions of the result's variables. A variable that is in neither stands for itself.

use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_ir::FuncId;
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fit::Wish;
use super::shapes;
use super::values::MARKED_PLACES;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::{Indexed, Initial, Object};

/// What two states or nodes are paired for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engines::shape) enum Purpose {
    /// To decide whether the old state covers the new one: the result is the old state, and the equalities that this takes are
    /// collected.
    Cover,
    /// To make a state that covers both.
    Join,
    /// To make one node of two of the same state: no variable is used again, because both are still about.
    Merge,
}

/// What an object of the new state is where the old one has a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engines::shape) enum Meeting {
    /// Its only node.
    Node,
    /// What follows it: the segment has no node.
    Follower,
}

/// Two states, or nodes of one, while they are paired.
#[derive(Debug)]
pub(in crate::engines::shape) struct Pairing<'s> {
    /// The one side.
    pub(in crate::engines::shape) new: &'s State,
    /// The other.
    pub(in crate::engines::shape) old: &'s State,
    /// What for.
    pub(in crate::engines::shape) purpose: Purpose,
    /// The result: the old state, changed along the way.
    pub(in crate::engines::shape) result: State,
    /// What the result's variables stand for in the new state.
    pub(in crate::engines::shape) in_new: FxHashMap<Term, Term>,
    /// What the result's fresh variables stand for in the old state.
    pub(in crate::engines::shape) in_old: FxHashMap<Term, Term>,
    /// Covering only: a term of the new state and one of the old that must be equal once the old one's variables are replaced.
    pub(in crate::engines::shape) equalities: Vec<(Term, Term)>,
    /// Numeric values met on the way: the result's term, the new state's, the old state's.
    pub(in crate::engines::shape) numbers: Vec<(Term, Term, Term)>,
    /// The variables that were made, in order.
    pub(in crate::engines::shape) fresh: Vec<Term>,
    /// Constants of the two states that differ, and whether the program counts where they stand.
    pub(in crate::engines::shape) constants: Vec<(i128, i128, bool)>,
    /// Whether the program counts in the register that is being paired.
    pub(super) counting: bool,
    /// Objects of the old state by their partners in the new one.
    pub(in crate::engines::shape) partners: FxHashMap<ObjectId, ObjectId>,
    /// And the other way around.
    pub(in crate::engines::shape) taken: FxHashMap<ObjectId, ObjectId>,
    /// Segments of the old state with their patterns that have no node in the new one.
    pub(super) absent: FxHashSet<ObjectId>,
    /// What an object that meets a segment is taken for.
    pub(super) meeting: Meeting,
    /// Whether an object has met a segment, so that it could have been taken for something else.
    pub(super) met: bool,
    /// Whether a null pointer has met one to something that is gone: of the two only the null pointer tells anything.
    pub(super) dangling: bool,
    /// Merging only: what would let the nodes be paired.
    pub(super) wish: Option<Wish>,
    /// Merging only: what the links of the two nodes hold.
    pub(super) ends: Option<(Term, Term)>,
    /// Local variables that are links in segments that were paired: they lead to another node, or to what follows the last one.
    pub(super) links: FxHashSet<Term>,
    pub(super) values: FxHashMap<(Term, Term), Term>,
    waiting: Vec<(ObjectId, ObjectId)>,
}

impl<'s> Pairing<'s> {
    pub(in crate::engines::shape) fn new(new: &'s State, old: &'s State, purpose: Purpose) -> Self {
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
            constants: Vec::new(),
            counting: false,
            partners: FxHashMap::default(),
            taken: FxHashMap::default(),
            absent: FxHashSet::default(),
            meeting: Meeting::Node,
            met: false,
            dangling: false,
            wish: None,
            ends: None,
            links: FxHashSet::default(),
            values: FxHashMap::default(),
            waiting: Vec::new(),
        }
    }

    /// Says beforehand what the result's term for two values is.
    pub(super) fn seed(&mut self, new: Term, old: Term, result: Term) {
        self.values.insert((new, old), result);
    }

    /// A value of the new state that met one of the old state.
    pub(super) fn met_with(&self, old: Term) -> Option<Term> {
        self.values.keys().filter(|pair| pair.1 == old).map(|pair| pair.0).min()
    }

    /// Lets a variable of the old state stand for a term of the new one; false when it stands for another already.
    pub(super) fn claim(&mut self, variable: Term, term: Term) -> bool {
        *self.in_new.entry(variable).or_insert(term) == term
    }
}

impl Explorer<'_> {
    /// Pairs two states at the same place; `None` when their shapes differ.
    pub(in crate::engines::shape) fn pair_states<'s>(
        &mut self,
        new: &'s State,
        old: &'s State,
        purpose: Purpose,
    ) -> Option<Pairing<'s>> {
        if !may_pair(new, old) {
            return None;
        }
        for meeting in [Meeting::Node, Meeting::Follower] {
            let mut pairing = Pairing::new(new, old, purpose);
            pairing.meeting = meeting;
            if self.pair_all(&mut pairing).is_some() {
                return Some(pairing);
            }
            if !pairing.met {
                break;
            }
        }
        None
    }

    fn pair_all(&mut self, pairing: &mut Pairing<'_>) -> Option<()> {
        self.pair_roots(pairing)?;
        self.pair_what_waits(pairing)?;
        self.pair_absent_sequences(pairing)?;
        self.settle_absent(pairing);
        self.settle_locals(pairing)?;
        // What no root leads to would be dropped in silence; the heap may not lose anything.
        let kept = |state: &State, paired: &dyn Fn(ObjectId) -> bool| {
            state.memory.iter().all(|(id, o)| o.kind != ObjectKind::Heap || o.end != End::Live || paired(id))
        };
        let (partners, taken, absent) = (&pairing.partners, &pairing.taken, &pairing.absent);
        let all = kept(pairing.new, &|id| partners.contains_key(&id))
            && kept(pairing.old, &|id| taken.contains_key(&id) || absent.contains(&id));
        all.then_some(())
    }

    /// Pairs the contents of all objects that were paired, and of those that this leads to.
    pub(super) fn pair_what_waits(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let mut done = 0;
        let mut paired = Vec::new();
        loop {
            while let Some((a, b)) = p.waiting.pop() {
                self.pair_contents(p, a, b)?;
                paired.push((a, b));
            }
            // What lies at offsets that are terms comes last, when it is known what the variables in them stand for.
            let Some(&(a, b)) = paired.get(done) else { break };
            self.pair_indexed(p, a, b)?;
            done += 1;
        }
        // States that are paired have everything paired in the end, or nothing is.
        (p.purpose != Purpose::Merge || Self::owned_are_paired(p)).then_some(())
    }

    fn pair_roots(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let (new, old) = (p.new, p.old);
        if new.frames.len() != old.frames.len() || new.jumps != old.jumps || new.cut.len() != old.cut.len() {
            return None;
        }
        for global in self.globals.clone() {
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
            let counters = self.counters_of(a.function);
            for register in 0..a.regs.len() {
                p.counting = counters[register];
                if let (Some(x), Some(y)) = (a.regs[register], b.regs[register])
                    && p.purpose == Purpose::Join
                    && self.goes_through_tables((new, x), (old, y), a.function, register)
                {
                    p.constants.push(MARKED_PLACES);
                }
                let value = match (a.regs[register], b.regs[register]) {
                    (Some(x), Some(y)) => Some(self.pair_values(p, x, y)?),
                    // Reading it gives anything.
                    (_, None) => None,
                    (None, Some(_)) if p.purpose == Purpose::Cover => return None,
                    (None, Some(_)) => None,
                };
                if value != b.regs[register] {
                    Rc::make_mut(&mut p.result.frames[index]).regs[register] = value;
                }
            }
            p.counting = false;
        }
        for (index, (&x, &y)) in new.cut.iter().zip(old.cut.iter()).enumerate() {
            let value = self.pair_values(p, x, y)?;
            if value != y {
                Rc::make_mut(&mut p.result.cut)[index] = value;
            }
        }
        for (buffer, _) in old.jumps.iter() {
            self.pair_values(p, *buffer, *buffer)?;
        }
        Some(())
    }

    /// Whether a register that holds different numbers goes through the cells of a table one by one. How far it has come says which of the
    /// table's lists are as before.
    fn goes_through_tables(
        &mut self,
        (new, x): (&State, Term),
        (old, y): (&State, Term),
        function: FuncId,
        register: usize,
    ) -> bool {
        let values = (new.path.value(&self.terms, x), old.path.value(&self.terms, y));
        matches!(values, (Some(x), Some(y)) if x != y)
            && self.limited_in(function)[register]
            && self.has_table(new)
            && self.has_table(old)
    }

    /// Pairs two objects; their contents are paired later.
    pub(in crate::engines::shape) fn pair_objects(
        &mut self,
        p: &mut Pairing<'_>,
        a: ObjectId,
        b: ObjectId,
    ) -> Option<()> {
        match (p.partners.get(&a), p.taken.get(&b)) {
            // The only node of a segment is the partner of its pattern, too.
            (Some(_), Some(&taken)) => return (taken == a).then_some(()),
            (None, None) if !p.absent.contains(&b) => {}
            _ => return None,
        }
        let (x, y) = (p.new.memory.get(a), p.old.memory.get(b));
        if (x.kind, x.end, x.constant) != (y.kind, y.end, y.constant) {
            return None;
        }
        // What exists from the start is only ever itself.
        let unique = matches!(x.kind, ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca | ObjectKind::Variadic);
        if !unique && a != b {
            return None;
        }
        shapes::same_role(p.purpose, x, y)?;
        if x.segment.is_none() && y.segment.is_some() {
            p.met = true;
        }
        let (base_a, base_b, size_a, size_b) = (x.base, y.base, x.size, y.size);
        if p.purpose != Purpose::Merge && !self.claim_base(p, base_a, base_b) {
            return None;
        }
        p.partners.insert(a, b);
        p.taken.insert(b, a);
        let size = self.pair_sizes(p, size_a, size_b)?;
        if size != size_b {
            p.result.memory.get_mut(b).size = size;
        }
        p.waiting.push((a, b));
        Some(())
    }

    /// Pairs two sizes. Where they are the same of two different numbers, the result is that of what these are.
    fn pair_sizes(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        if let (Purpose::Join, &[a], &[b]) = (p.purpose, &*self.variables_of(x), &*self.variables_of(y))
            && a != b
            && self.terms.width(a) == self.terms.width(b)
            && Substitution::new([(b, a)]).apply(&mut self.terms, y) == x
        {
            let number = self.pair_values(p, a, b)?;
            return Some(Substitution::new([(b, number)]).apply(&mut self.terms, y));
        }
        self.pair_values(p, x, y)
    }

    /// Lets the base of an old object stand for that of a new one; false where it stands for another.
    pub(super) fn claim_base(&mut self, p: &mut Pairing<'_>, new: Term, old: Term) -> bool {
        let (high_new, high_old) = (self.address_variable(new), self.address_variable(old));
        if self.terms.width(high_new) == self.terms.width(high_old) {
            return p.claim(high_old, high_new);
        }
        // The base of a segment or of a pattern is a variable as a whole.
        high_old == old && p.claim(old, new)
    }

    /// The variable in a base: all of it, or its bits above the alignment.
    fn address_variable(&self, base: Term) -> Term {
        self.terms.variables_of(base).first().copied().unwrap_or(base)
    }

    /// Pairs what two objects hold, into the result's object.
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

    /// Pairs what the cells of two objects hold.
    pub(super) fn pair_cells(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (new, old) = (p.new, p.old);
        let (x, y) = (new.memory.get(a), old.memory.get(b));
        let initial = if x.initial() == y.initial() { x.initial().clone() } else { Initial::Undefined };
        if p.purpose == Purpose::Cover && initial != *y.initial() {
            return None;
        }
        if p.purpose == Purpose::Merge
            && let Some(wish) = self.wish_for_whole_cells(old, a, b)
        {
            p.wish = p.wish.or(Some(wish));
            return None;
        }
        let mut cells = Vec::new();
        let mut runs = common_cells(x, y);
        // Sizes of what a node owns are compared when it is known which of its numbers stand against each other.
        let is_pointer =
            |cell: &(u64, u32, Term)| 8 * cell.1 == self.pointer_bits && self.target(old, cell.2).is_object();
        let pointers: FxHashSet<u64> = y.cells().filter(is_pointer).map(|cell| cell.0).collect();
        runs.sort_by_key(|run| pointers.contains(&run.0));
        self.upper_levels_first(old, y, &mut runs);
        for (at, len) in runs {
            let (left, right) = (self.content(x, at, len), self.content(y, at, len));
            match (left, right) {
                (Some(left), Some(right)) => match self.pair_values(p, left, right) {
                    Some(value) => cells.push((at, value)),
                    None => {
                        if p.purpose == Purpose::Merge && p.wish.is_none() {
                            p.wish = self.wish(old, (a, left), (b, right), at);
                        }
                        return None;
                    }
                },
                // Nothing is known of these bytes in one of the states.
                (_, None) => {}
                (None, Some(_)) if p.purpose == Purpose::Cover => return None,
                (None, Some(_)) => {}
            }
        }
        if p.purpose != Purpose::Cover {
            cells.sort_unstable_by_key(|&(at, _)| at);
            p.result.memory.get_mut(b).set_contents(initial, cells, &self.terms);
        }
        Some(())
    }

    /// Pairs what two objects hold at offsets that are terms: those of the old object that the new one has, too.
    fn pair_indexed(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, y) = (p.new.memory.get(a), p.old.memory.get(b));
        let same_size = self.terms.as_const(p.result.memory.get(b).size).is_some();
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
            kept.push(Indexed { at, term: self.terms.constant(0, 8) });
        }
        let end = self.last_byte(y);
        for old in y.indexed().iter().filter(|old| !is_string || old.at != end) {
            let variables = self.variables_of(old.at);
            let stands_for = |v: &Term| (*v, p.in_new.get(v).copied().unwrap_or(*v));
            let mut in_new = Substitution::new(variables.iter().map(stands_for));
            let at = in_new.apply(&mut self.terms, old.at);
            let width = self.terms.width(old.term);
            let found = x.indexed().iter().rev().find(|new| new.at == at && self.terms.width(new.term) == width);
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

    /// Where the last byte of an object is.
    fn last_byte(&mut self, object: &Object) -> Term {
        let one = self.terms.constant(1, self.terms.width(object.size));
        self.terms.sub(object.size, one)
    }

    /// Whether an object remembers its last byte as one at an offset that is a term.
    fn remembers_end(&mut self, object: &Object) -> bool {
        let end = self.last_byte(object);
        object.indexed().iter().any(|indexed| indexed.at == end && self.terms.width(indexed.term) == 8)
    }

    /// Whether the last byte of an object is 0: it holds a string that fills it. Strings of different sizes have no other byte in common.
    fn ends_with_zero(&mut self, state: &State, object: &Object) -> bool {
        let end = self.last_byte(object);
        let remembered = object.indexed().iter().rev().find(|i| i.at == end && self.terms.width(i.term) == 8);
        let value = match (remembered, self.terms.as_const(end)) {
            (Some(indexed), _) => Some(indexed.term),
            (None, Some(end)) if end < u128::from(u64::MAX) => self.content(object, end as u64, 1),
            _ => None,
        };
        value.is_some_and(|value| state.path.value(&self.terms, value) == Some(0))
    }

    /// The value of bytes that lie in one cell or in none.
    fn content(&mut self, object: &Object, at: u64, len: u32) -> Option<Term> {
        match object.cell_at(at) {
            Some((start, cell_len, term)) => {
                debug_assert!(at + u64::from(len) <= start + u64::from(cell_len), "a common cell lies in one cell");
                Some(self.terms.extract(term, 8 * (at - start) as u32, 8 * len))
            }
            None => object.known_initial(at, len, &mut self.terms),
        }
    }
}

/// Whether two states have so many nodes and lists that they may be paired: a node of the old state is one of the new state, a list meets
/// a list or nothing, and nothing on the new side is left over. Patterns count, because what the only node of a list owns meets them.
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

/// The runs of bytes in which each of two objects has one cell or none, where at least one has a cell.
fn common_cells(x: &Object, y: &Object) -> Vec<(u64, u32)> {
    // At each boundary, how many cells begin or end there.
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
