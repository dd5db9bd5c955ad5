//! What is still reachable: the mark phase behind `leak` and `unfreed` (papers: slcpa, appendix A.1; cycles need no care here,
//! since every object is visited once).

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::FxHashSet;

use super::Explorer;
use super::state::{Choice, State};
use crate::liveness::Liveness;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Segment;
use crate::memory::symbolic::Object;

impl Explorer<'_> {
    /// Reports the heap objects that are still there when the program ends: `leak` where nothing points to them. The frames that
    /// are still active count as pointing; those of callers that a call is analysed apart from are asked later.
    pub(super) fn check_end(&mut self, state: &State, loc: Loc) {
        if state.context != 0 {
            self.ended.push((state.context, loc));
        }
        // Whether it was more than read, only a run can say.
        if self.options.kinds.contains(&CheckKind::Uninitialised) && state.choices.iter().any(Choice::is_unset) {
            self.report(state, CheckKind::Uninitialised, Checks::NONE, loc);
        }
        let heap = self.heap_of(state, |_| true);
        if heap.is_empty() {
            return;
        }
        let reach = self.reach(state, Roots::Named);
        if heap.iter().any(|&id| self.is_lost(&reach, id)) {
            self.report(state, CheckKind::Leak, Checks::NONE, loc);
        }
        self.report(state, CheckKind::Unfreed, Checks::NONE, loc);
    }

    /// The heap objects of a state that are live and `counted`; not those that stand for nodes of which there are none.
    pub(super) fn heap_of(&mut self, state: &State, counted: impl Fn(ObjectId) -> bool) -> Vec<ObjectId> {
        let live = |o: &Object| o.kind == ObjectKind::Heap && o.end == End::Live && !o.pattern;
        let heap = state.memory.iter().filter(|&(id, o)| live(o) && counted(id)).map(|(id, _)| id);
        let mut heap: Vec<ObjectId> = heap.collect();
        heap.retain(|&id| !self.surely_empty(state, id));
        heap
    }

    /// Reports a leak when some live heap object can't be reached any more.
    pub(super) fn check_lost(&mut self, state: &State, loc: Loc) -> bool {
        let live = |o: &Object| o.kind == ObjectKind::Heap && o.end == End::Live && !o.pattern;
        let heap: Vec<ObjectId> = state.memory.iter().filter(|(_, o)| live(o)).map(|(id, _)| id).collect();
        if heap.is_empty() {
            return false;
        }
        let reach = self.reach(state, Roots::Named);
        let lost = heap
            .iter()
            .any(|&id| !reach.reached.contains(&id) && !self.surely_empty(state, id) && self.is_lost(&reach, id));
        if lost {
            self.report(state, CheckKind::Leak, Checks::NONE, loc);
        }
        lost
    }

    /// Whether an object stands for nodes of which there are none.
    pub(super) fn surely_empty(&mut self, state: &State, id: ObjectId) -> bool {
        let Some(length) = state.memory.get(id).segment.as_ref().filter(|s| s.min == 0).map(|s| s.length) else {
            return false;
        };
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(length, zero);
        self.follows(state, none)
    }

    /// Whether an object can't be reached. Where nobody can tell, that is a gap.
    fn is_lost(&mut self, reach: &Reach, id: ObjectId) -> bool {
        if reach.reached.contains(&id) {
            return false;
        }
        let hidden = reach.hidden.contains(&id);
        if hidden && self.options.kinds.contains(&CheckKind::Leak) {
            self.gaps.insert("an object is reachable only through an address in pieces or arithmetic".to_owned());
        }
        !hidden
    }

    pub(super) fn reach(&mut self, state: &State, roots: Roots) -> Reach {
        let mut reach = Reach::default();
        for (id, object) in state.memory.iter() {
            let root = match object.kind {
                ObjectKind::Heap => false,
                ObjectKind::Alloca => roots == Roots::Named,
                _ => true,
            };
            if object.end == End::Live && root {
                reach.waiting.push(id);
                reach.reached.insert(id);
            }
        }
        for frame in &state.frames {
            // Variables count; of the temporaries those that are still needed.
            let Some(body) = &self.program.functions[frame.function.index()].body else { continue };
            let liveness = self.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            let live = liveness.before(body, frame.block.index(), frame.inst);
            for (index, value) in frame.regs.iter().enumerate() {
                if let Some(value) = *value
                    && (live[index] || roots == Roots::Needed || body.regs[index].name.is_some())
                {
                    self.mark(state, value, &mut reach);
                }
            }
        }
        for &value in state.cut.iter() {
            self.mark(state, value, &mut reach);
        }
        while let Some(id) = reach.waiting.pop() {
            state.memory.get(id).values().for_each(|value| self.mark(state, value, &mut reach));
        }
        // What only a hidden address leads to is hidden, too.
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

    /// Marks the object that a value points to; a dead one leads nowhere. Objects whose addresses the value only mentions are
    /// hidden in it.
    fn mark(&self, state: &State, value: Term, reach: &mut Reach) {
        let mut term = value;
        while let Node::Ite(condition, a, b) = *self.terms.node(term)
            && let Some(truth) = state.path.value(&self.terms, condition)
        {
            term = if truth == 1 { a } else { b };
        }
        let pointed = match self.terms.node(term) {
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
            _ => self.bases.get(&term).map(|&id| (id, term)),
        };
        let pointed = pointed.filter(|(id, _)| state.memory.find(*id).is_some());
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

    /// Marks what a pointer to one end of a segment leads to: all of the nodes and what lies at both ends; where there may be no
    /// node, the pointer may be nothing but what lies at the other end.
    fn mark_segment(&self, state: &State, id: ObjectId, segment: &Segment, from_last: bool, reach: &mut Reach) {
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

    /// Calls `found` with every object whose address occurs in a value, except in terms that were seen.
    pub(super) fn mentioned(&self, value: Term, seen: &mut FxHashSet<Term>, mut found: impl FnMut(ObjectId)) {
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

/// Where the mark phase starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Roots {
    /// At variables, at temporaries that are still needed, and at all memory that is not on the heap.
    Named,
    /// At all registers of a state that has forgotten those it does not need, and at memory that has a name.
    Needed,
}

/// What can be reached.
#[derive(Default)]
pub(super) struct Reach {
    /// Objects that a pointer leads to.
    pub(super) reached: FxHashSet<ObjectId>,
    /// Objects whose address occurs in a value that is no pointer to them: a part of it, or the result of arithmetic.
    pub(super) hidden: FxHashSet<ObjectId>,
    /// Segments with the end that they were reached from, the last one or the first.
    entered: FxHashSet<(ObjectId, bool)>,
    waiting: Vec<ObjectId>,
    /// Terms that were searched for addresses.
    seen: FxHashSet<Term>,
}
