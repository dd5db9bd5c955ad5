//! Reachability of heap objects, streams and folders, for the checks `leak`, `unfreed` and `file-leak`.
//!
//! This is a mark phase (papers: slcpa, appendix A.1). Cycles need no special care, since every object is visited
//! once.

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_portfolio::Reason;
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::FxHashSet;

use crate::allocation::Target;
use crate::planted;
use crate::state::State;
use crate::{Carried, Machine, Mode, Role, StateData};
use cairn_ir::analysis::liveness::Liveness;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Segment;
use cairn_memory::symbolic::Object;

impl<M: Mode> Machine<'_, M> {
    /// Reports the heap objects that are still live when the program ends.
    ///
    /// All of them are `unfreed`; those that nothing points to are also a `leak`. Variables of active frames count as
    /// pointers. [`Mode::end`] handles the frames of callers that are not part of the state, because the call is
    /// analysed separately.
    pub(crate) fn check_end(&mut self, state: &State<M>, loc: Loc) {
        M::end(self, state, loc);
        self.report_lost_files(state, loc);
        let heap = self.heap_of(state, |_| true);
        if heap.is_empty() && !owes(state) {
            return;
        }
        let reach = self.reach(state, Roots::Named);
        if heap.iter().any(|&id| self.is_lost(&reach, id)) || !self.debts(state, &reach).is_empty() {
            self.report(state, CheckKind::Leak, Checks::NONE, loc);
        }
        if !heap.is_empty() {
            self.report(state, CheckKind::Unfreed, Checks::NONE, loc);
        }
    }

    /// Reports a leak if the program aborts after it has lost an object. Objects that it still holds are no fault there.
    pub(crate) fn check_abort(&mut self, state: &State<M>, loc: Loc) {
        self.report_lost_files(state, loc);
        if self.options.kinds.contains(&CheckKind::Leak) {
            self.check_lost(state, loc);
        }
    }

    /// Reports the streams and folders that are lost, and forgets them.
    pub fn check_lost_files(&mut self, state: &mut State<M>, loc: Loc) {
        for id in self.report_lost_files(state, loc) {
            state.memory.get_mut(id).end = End::Freed;
        }
    }

    /// Reports the streams and folders that are open and unreachable, and returns them.
    pub fn report_lost_files(&mut self, state: &State<M>, loc: Loc) -> Vec<ObjectId> {
        let is_open = |object: &Object| object.kind == ObjectKind::Resource && object.end == End::Live;
        if !self.options.kinds.contains(&CheckKind::FileLeak) || !state.memory.iter().any(|(_, o)| is_open(o)) {
            return Vec::new();
        }
        let reach = self.reach(state, Roots::Named);
        let open: Vec<ObjectId> = state.memory.iter().filter(|(_, object)| is_open(object)).map(|(id, _)| id).collect();
        let lost: Vec<ObjectId> = open.into_iter().filter(|&id| self.is_lost(&reach, id)).collect();
        if !lost.is_empty() {
            self.report(state, CheckKind::FileLeak, Checks::NONE, loc);
        }
        lost
    }

    /// Returns the live heap objects of a state that are `counted`, without segments that are certain to be empty.
    pub fn heap_of(&mut self, state: &State<M>, counted: impl Fn(ObjectId) -> bool) -> Vec<ObjectId> {
        let live = |o: &Object| o.kind == ObjectKind::Heap && o.end == End::Live && !o.pattern;
        let heap = state.memory.iter().filter(|&(id, o)| live(o) && counted(id)).map(|(id, _)| id);
        let mut heap: Vec<ObjectId> = heap.collect();
        heap.retain(|&id| !self.surely_empty(state, id));
        heap
    }

    /// Reports a leak if some live heap object is no longer reachable, or a value that the state owes its callers is lost.
    pub fn check_lost(&mut self, state: &State<M>, loc: Loc) -> bool {
        let live = |o: &Object| o.kind == ObjectKind::Heap && o.end == End::Live && !o.pattern;
        let heap: Vec<ObjectId> = state.memory.iter().filter(|(_, o)| live(o)).map(|(id, _)| id).collect();
        if heap.is_empty() && !owes(state) {
            return false;
        }
        let reach = self.reach(state, Roots::Named);
        let lost = heap
            .iter()
            .any(|&id| !reach.reached.contains(&id) && !self.surely_empty(state, id) && self.is_lost(&reach, id))
            || planted!(56, !self.debts(state, &reach).is_empty(), false);
        if lost {
            self.report(state, CheckKind::Leak, Checks::NONE, loc);
        }
        lost
    }

    /// Returns the live heap objects, streams and folders of a state that are unreachable, and those for which that cannot be decided.
    pub fn lost(&mut self, state: &State<M>) -> (Vec<ObjectId>, Vec<ObjectId>) {
        let reach = self.reach(state, Roots::Named);
        let mut owned = self.heap_of(state, |_| true);
        let open = |object: &Object| object.kind == ObjectKind::Resource && object.end == End::Live;
        owned.extend(state.memory.iter().filter(|(_, object)| open(object)).map(|(id, _)| id));
        let owned = owned.into_iter().filter(|id| !reach.reached.contains(id));
        owned.partition(|id| !reach.hidden.contains(id))
    }

    /// Frees the heap objects that nothing leads to any more.
    pub fn forget_lost(&mut self, state: &mut State<M>) {
        let reach = self.reach(state, Roots::Needed);
        let lost: Vec<ObjectId> = state
            .memory
            .iter()
            .filter(|(id, object)| {
                object.kind == ObjectKind::Heap
                    && object.end == End::Live
                    && !object.pattern
                    && !reach.reached.contains(id)
                    && !reach.hidden.contains(id)
            })
            .map(|(id, _)| id)
            .collect();
        for id in lost {
            if state.memory.get(id).segment.is_some() {
                Self::remove_segment(state, id);
            } else {
                state.memory.get_mut(id).end = End::Freed;
            }
        }
    }

    /// Returns whether an object is a segment that is certain to have no node.
    pub fn surely_empty(&mut self, state: &State<M>, id: ObjectId) -> bool {
        let Some(length) = state.memory.get(id).segment.as_ref().filter(|s| s.min == 0).map(|s| s.length) else {
            return false;
        };
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(length, zero);
        planted!(57, self.follows(state, none), true)
    }

    /// Returns whether an object is unreachable. If that cannot be decided, the execution is incomplete.
    fn is_lost(&mut self, reach: &Reach, id: ObjectId) -> bool {
        if reach.reached.contains(&id) {
            return false;
        }
        let hidden = reach.hidden.contains(&id);
        if hidden && [CheckKind::Leak, CheckKind::FileLeak].iter().any(|kind| self.options.kinds.contains(kind)) {
            self.gaps.insert(Reason::HiddenPointer);
        }
        !hidden
    }

    /// Returns the values that a state owes its callers and no longer holds. A null pointer is never owed.
    pub fn debts(&mut self, state: &State<M>, reach: &Reach) -> Vec<Term> {
        let owed = state.extra.carried().iter().filter(|carried| carried.role == Role::Owed);
        let owed = owed.map(|carried| carried.value).filter(|&value| state.path.value(&self.terms, value) != Some(0));
        let mut debts: Vec<Term> = owed.collect();
        debts.retain(|&value| !self.holds(reach, value));
        debts
    }

    /// Returns whether a reachable register or cell holds a value or a constant offset of it.
    pub fn holds(&mut self, reach: &Reach, value: Term) -> bool {
        let Some(held) = &reach.held else { return false };
        held.contains(&value) || held.iter().any(|&other| self.is_offset_of(other, value))
    }

    /// Returns whether two values differ by a constant.
    pub fn is_offset_of(&mut self, one: Term, other: Term) -> bool {
        if self.terms.width(one) != self.terms.width(other) || self.terms.as_const(other).is_some() {
            return false;
        }
        let offset = self.terms.sub(one, other);
        self.terms.as_const(offset).is_some()
    }

    /// Marks the objects that are reachable from the roots.
    pub fn reach(&mut self, state: &State<M>, roots: Roots) -> Reach {
        let reach = if owes(state) { Reach::with_values() } else { Reach::default() };
        self.mark_roots(state, roots, reach)
    }

    /// Marks the objects that are reachable from the roots, and collects the values on the way.
    pub fn reach_with_values(&mut self, state: &State<M>, roots: Roots) -> Reach {
        self.mark_roots(state, roots, Reach::with_values())
    }

    fn mark_roots(&mut self, state: &State<M>, roots: Roots, mut reach: Reach) -> Reach {
        for (id, object) in state.memory.iter() {
            let root = match object.kind {
                ObjectKind::Heap | ObjectKind::Resource => false,
                ObjectKind::Alloca => roots == Roots::Named,
                _ => true,
            };
            if object.end == End::Live && root {
                reach.waiting.push(id);
                reach.reached.insert(id);
            }
        }
        for frame in &state.frames {
            // Named variables always count, temporaries only while they are live.
            let Some(body) = &self.program.functions[frame.function.index()].body else { continue };
            let liveness = self.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            let live = liveness.before(body, frame.block.index(), frame.inst);
            for (index, value) in frame.regs.iter().enumerate() {
                if let Some(value) = *value
                    && (live[index] || roots != Roots::Named || body.regs[index].name.is_some())
                {
                    self.mark(state, value, &mut reach);
                }
            }
        }
        for &Carried { value, role } in state.extra.carried() {
            if planted!(58, role == Role::Root, true) || roots == Roots::Needed {
                self.mark(state, value, &mut reach);
            } else {
                let hidden = &mut reach.hidden;
                self.mentioned(value, &mut reach.seen, |id| {
                    hidden.insert(id);
                });
            }
        }
        self.mark_waiting(state, &mut reach);
        // An object that is reachable only through a hidden address is hidden as well.
        let mut waiting: Vec<ObjectId> = reach.hidden.iter().copied().collect();
        while let Some(id) = waiting.pop() {
            let Some(object) = state.memory.find(id).filter(|object| object.end == End::Live) else { continue };
            object.for_values(&mut |value| {
                self.mentioned(value, &mut reach.seen, |id| {
                    if reach.hidden.insert(id) {
                        waiting.push(id);
                    }
                });
            });
        }
        reach
    }

    /// Marks the objects that are reachable from a further value.
    pub fn reach_from(&self, state: &State<M>, value: Term, reach: &mut Reach) {
        self.mark(state, value, reach);
        self.mark_waiting(state, reach);
    }

    fn mark_waiting(&self, state: &State<M>, reach: &mut Reach) {
        while let Some(id) = reach.waiting.pop() {
            state.memory.get(id).values().for_each(|value| self.mark(state, value, reach));
        }
    }

    /// Returns the object that a pointer leads into, and the address in the pointer.
    pub fn pointed(&self, pointer: Term) -> Option<(ObjectId, Term)> {
        match self.terms.node(pointer) {
            Node::Sum(sum) => {
                let mut bases = sum
                    .monomials
                    .iter()
                    .filter_map(|&(term, coefficient)| self.bases.get(&term).map(|&id| (id, term, coefficient)));
                match (bases.next(), bases.next()) {
                    (Some((id, base, 1)), None) => Some((id, base)),
                    _ => None,
                }
            }
            _ => self.bases.get(&pointer).map(|&id| (id, pointer)),
        }
    }

    /// Marks the object that a value points to. A dead object leads nowhere.
    ///
    /// Objects whose addresses merely occur in the value are hidden in it.
    fn mark(&self, state: &State<M>, value: Term, reach: &mut Reach) {
        let mut term = value;
        while let Node::Ite(condition, a, b) = *self.terms.node(term)
            && let Some(truth) = state.path.value(&self.terms, condition)
        {
            term = if truth == 1 { a } else { b };
        }
        if let Some(held) = &mut reach.held {
            held.insert(term);
        }
        let pointed = self.pointed(term).filter(|(id, _)| state.memory.find(*id).is_some());
        let Some((id, base)) = pointed else {
            let hidden = &mut reach.hidden;
            self.mentioned(term, &mut reach.seen, |id| {
                hidden.insert(id);
            });
            return;
        };
        let object = state.memory.get(id);
        if let Some(segment) = &object.segment {
            self.mark_segment(state, id, segment, base != object.base, reach);
        } else if object.end == End::Live && reach.reached.insert(id) {
            reach.waiting.push(id);
        }
    }

    /// Marks everything that a pointer to one end of a segment leads to: its nodes and the values at both ends.
    ///
    /// If the segment may be empty, the pointer may equal the value at the other end, so that only this value is
    /// marked.
    fn mark_segment(&self, state: &State<M>, id: ObjectId, segment: &Segment, from_last: bool, reach: &mut Reach) {
        reach.reached.insert(id);
        if !reach.entered.insert((id, from_last)) {
            return;
        }
        let (forth, back) = if segment.min > 0 { (true, true) } else { (!from_last, from_last) };
        if forth {
            self.mark(state, segment.next, reach);
        }
        if back && let Some(back) = segment.back {
            self.mark(state, back.prev, reach);
        }
        for pattern in segment.patterns(&state.memory) {
            if reach.reached.insert(pattern) && segment.min > 0 {
                state.memory.get(pattern).for_values(&mut |value| self.mark(state, value, reach));
            }
        }
    }

    /// Returns every value that the program can still read, with or without those at symbolic offsets.
    pub fn values_in_reach(&mut self, state: &State<M>, with_indexed: bool) -> Vec<Term> {
        let reach = self.reach(state, Roots::Needed);
        let mut values: Vec<Term> = state.frames.iter().flat_map(|f| f.regs.iter().flatten().copied()).collect();
        values.extend(state.extra.carried().iter().map(|carried| carried.value));
        for &id in &reach.reached {
            let object = state.memory.get(id);
            values.push(object.size);
            if with_indexed {
                values.extend(object.indexed().iter().flat_map(|i| [i.at, i.term]));
            }
            values.extend(object.cells().map(|(_, _, term)| term));
            if let Some(segment) = &object.segment {
                segment.for_terms(&mut |term| values.push(term));
                for id in segment.patterns(&state.memory) {
                    let pattern = state.memory.get(id);
                    values.push(pattern.size);
                    pattern.for_values(&mut |term| values.push(term));
                }
            }
        }
        values
    }

    /// Returns a condition on which the target of some pointer depends.
    pub fn undecided_pointer(&mut self, state: &State<M>) -> Option<Term> {
        let segments = state.memory.iter().filter_map(|(_, object)| object.segment.as_deref());
        let forks: Vec<Term> = segments.filter_map(|segment| segment.fork).collect();
        for value in self.values_in_reach(state, true) {
            if self.terms.width(value) == self.pointer_bits
                && let Target::Either(condition) = self.target(state, value)
                && !forks.contains(&condition)
            {
                return Some(condition);
            }
        }
        None
    }

    /// Like [`Self::undecided_pointer`], for pointers in memory.
    ///
    /// Usually there is no candidate, and the search is skipped.
    pub(crate) fn undecided_link(&mut self, state: &State<M>) -> Option<Term> {
        let is_choice = |value: Term| {
            matches!(self.terms.node(value), Node::Ite(..)) && self.terms.width(value) == self.pointer_bits
        };
        let any = state.memory.iter().any(|(_, object)| !object.pattern && object.values().any(is_choice));
        if any { self.undecided_pointer(state) } else { None }
    }

    /// Calls `found` with every object whose address occurs in a value, skipping terms that were seen.
    pub fn mentioned(&self, value: Term, seen: &mut FxHashSet<Term>, mut found: impl FnMut(ObjectId)) {
        let mut stack = vec![value];
        while let Some(term) = stack.pop() {
            if let Some(&id) = self.bases.get(&term) {
                found(id);
            } else if seen.insert(term) {
                self.terms.for_operands(term, |operand| stack.push(operand));
            }
        }
    }
}

/// The roots of the mark phase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    /// Variables, live temporaries, and all memory that is not on the heap.
    Named,
    /// All registers, all named memory and all carried values, for a state that has already dropped its dead registers.
    Needed,
    /// The same without the carried values that keep nothing reachable.
    Kept,
}

/// Returns whether a state owes a value to its callers.
fn owes<M: Mode>(state: &State<M>) -> bool {
    state.extra.carried().iter().any(|carried| carried.role == Role::Owed)
}

/// The result of the mark phase.
#[derive(Clone, Default)]
pub struct Reach {
    /// Objects that a pointer leads to.
    pub reached: FxHashSet<ObjectId>,
    /// Objects whose address occurs in a value that does not point to them.
    ///
    /// Such a value holds a part of the address, or the result of arithmetic on it.
    pub hidden: FxHashSet<ObjectId>,
    /// The values of the reached registers and cells, if they are collected.
    pub held: Option<FxHashSet<Term>>,
    /// Segments with the end that they were reached from: true for the last node, false for the first.
    entered: FxHashSet<(ObjectId, bool)>,
    waiting: Vec<ObjectId>,
    /// Terms that were searched for addresses.
    seen: FxHashSet<Term>,
}

impl Reach {
    fn with_values() -> Self {
        Self { held: Some(FxHashSet::default()), ..Self::default() }
    }
}
