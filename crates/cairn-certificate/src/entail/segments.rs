//! Segments of `R` as chains and trees of objects and segments of `S`.
//!
//! A list of `R` begins at the value of its address in `S`. It is followed node by node: an object of `S` is a node if it is like a copy of
//! the node's pattern in which the local variables are fresh. A list of `S` is a part of it if an arbitrary node of one is like
//! an arbitrary node of the other (induction over the length). The list ends at the value of its last link.

use std::collections::{BTreeSet, VecDeque};

use cairn_exec::allocation::Target;
use cairn_exec::{Machine, Mode};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Segment, Sequence, Side};
use cairn_smt::Term;

use super::trees::Subtree;
use super::{Matching, OUTSIDE, Task};

/// The rest of a list of `R`.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    /// The segment.
    id: ObjectId,
    /// The end from which the list is followed.
    side: Side,
    /// The address in `S` of the next node, if there is one.
    from: Term,
    /// The number of nodes before the rest, in `S`.
    count: Term,
    /// A lower bound of this number.
    nodes: u32,
    /// The pointer to the node before the rest, in `R`. From the last node, it is the node after the rest.
    prev: Option<Term>,
    /// The values of the sequences before the rest, in `R`.
    marks: Vec<Term>,
    choice: Option<Choice>,
}

/// How a list or tree of `R` goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// It is empty.
    Stop,
    /// An object of `S` is its node. On a path through a tree, the flag selects the child.
    Node(ObjectId, bool),
    /// A segment of `S` is a part of it.
    Segment(ObjectId),
    /// A list of `S`, which may be a path through a tree, begins a tree.
    Path(ObjectId),
}

impl<M: Mode> Matching<M> {
    /// Begins with a segment of `R` whose address has a value.
    pub(super) fn begin_segment(&mut self, machine: &mut Machine<'_, M>, id: ObjectId) -> Option<()> {
        let object = self.r.memory.get(id);
        let (base, segment) = (object.base, object.segment.clone()?);
        let from = self.image(machine, base);
        let prev = segment.back.map(|back| back.prev);
        self.tasks.push(if segment.links.len() == 1 {
            let count = machine.terms.constant(0, machine.pointer_bits);
            let marks = segment.sequences.iter().map(|sequence| sequence.before).collect();
            Task::List(Rest { id, side: Side::First, from, count, nodes: 0, prev, marks, choice: None })
        } else {
            let scope = self.scope_of_r.get(&id).copied().unwrap_or(OUTSIDE);
            Task::Tree(Subtree { id, from, prev, scope, is_whole: true, choice: None })
        });
        Some(())
    }

    /// Begins with the last node of a list of `R` whose first node is still unknown. Returns whether there is such a list.
    pub(super) fn begin_at_last(&mut self, machine: &mut Machine<'_, M>) -> bool {
        let open = self.r.memory.iter().filter(|(id, object)| !object.pattern && !self.found.contains(id));
        let mut lists = open.filter_map(|(id, object)| Some((id, object.segment.clone()?)));
        let known = lists.find_map(|(id, segment)| {
            let last = segment.last().filter(|&last| self.is_known(machine, last))?;
            segment.sequences.is_empty().then_some((id, last, segment.next))
        });
        let Some((id, last, next)) = known else { return false };
        self.found.insert(id);
        let from = self.image(machine, last);
        let count = machine.terms.constant(0, machine.pointer_bits);
        let (prev, marks) = (Some(next), Vec::new());
        self.tasks.push(Task::List(Rest { id, side: Side::Last, from, count, nodes: 0, prev, marks, choice: None }));
        true
    }

    /// Returns how a list or tree may go on at an address, the most promising first.
    pub(super) fn choices(
        &mut self,
        machine: &mut Machine<'_, M>,
        segment: &Segment,
        (from, side): (Term, Side),
        may_be_empty: bool,
    ) -> Vec<Choice> {
        let mut choices = Vec::new();
        match machine.target(&self.s, from) {
            Target::Object(own, offset) if machine.terms.as_const(offset) == Some(0) && self.is_free(own) => {
                choices.push(Choice::Node(own, true));
                if segment.fork.is_some() {
                    choices.push(Choice::Node(own, false));
                }
            }
            Target::Segment(own, end, offset)
                if end == side && machine.terms.as_const(offset) == Some(0) && self.is_free(own) =>
            {
                let is_list = self.s.memory.get(own).segment.as_ref().is_some_and(|part| part.links.len() == 1);
                choices.push(if is_list && segment.links.len() > 1 { Choice::Path(own) } else { Choice::Segment(own) });
            }
            _ => {}
        }
        if may_be_empty {
            let at = machine.terms.constant(u128::from(segment.at), machine.pointer_bits);
            let end = machine.terms.add(from, at);
            let beyond = match (side, segment.back) {
                (Side::Last, Some(back)) => back.prev,
                _ => segment.next,
            };
            if !self.is_known(machine, beyond) {
                choices.push(Choice::Stop);
            } else {
                let next = self.image(machine, beyond);
                let equal = machine.terms.eq(next, end);
                if next == end {
                    choices.insert(0, Choice::Stop);
                } else if machine.terms.evaluate(equal, self.s.path.model()) == 1 {
                    choices.push(Choice::Stop);
                }
            }
        }
        choices
    }

    /// Returns whether an object or segment of `S` can still be a node.
    fn is_free(&self, own: ObjectId) -> bool {
        let object = self.s.memory.get(own);
        object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern && !self.taken.contains(&own)
    }

    /// Chooses how to go on, and adds the other ways to the alternatives.
    pub(super) fn choose(
        &self,
        choices: &[Choice],
        alternatives: &mut VecDeque<Self>,
        task: impl Fn(Choice) -> Task,
    ) -> Option<Choice> {
        let (&first, others) = choices.split_first()?;
        for &other in others {
            let mut alternative = self.clone();
            alternative.tasks.push(task(other));
            alternatives.push_back(alternative);
        }
        Some(first)
    }

    /// Matches the next part of a list.
    pub(super) fn match_list(
        &mut self,
        machine: &mut Machine<'_, M>,
        rest: Rest,
        alternatives: &mut VecDeque<Self>,
    ) -> Option<()> {
        let segment = self.r.memory.get(rest.id).segment.clone()?;
        let choice = match rest.choice {
            Some(choice) => choice,
            None => {
                let choices = self.choices(machine, &segment, (rest.from, rest.side), rest.nodes >= segment.min);
                self.choose(&choices, alternatives, |choice| Task::List(Rest { choice: Some(choice), ..rest.clone() }))?
            }
        };
        let next = match choice {
            Choice::Stop => return self.end_list(machine, &segment, &rest),
            Choice::Node(own, way) => self.list_node(machine, &segment, rest, (own, way))?,
            Choice::Segment(own) => self.list_part(machine, &segment, rest, own)?,
            Choice::Path(_) => return None,
        };
        self.tasks.push(Task::List(next));
        Some(())
    }

    /// Ends a list: its last link, its length, its last node and its sequences are those that were found.
    fn end_list(&mut self, machine: &mut Machine<'_, M>, segment: &Segment, rest: &Rest) -> Option<()> {
        let at = machine.terms.constant(u128::from(segment.at), machine.pointer_bits);
        let end = machine.terms.add(rest.from, at);
        self.tasks.push(Task::Value(segment.length, rest.count));
        self.bound_count(machine, rest.count, rest.nodes)?;
        if let (Side::Last, Some(back), Some(next)) = (rest.side, segment.back, rest.prev) {
            self.tasks.push(Task::Value(back.prev, end));
            let first = self.r.memory.get(rest.id).base;
            let first = machine.terms.add(first, at);
            self.equate(machine, first, next);
            return Some(());
        }
        self.tasks.push(Task::Value(segment.next, end));
        if let (Some(last), Some(prev)) = (segment.last(), rest.prev) {
            let last = machine.terms.add(last, at);
            self.equate(machine, last, prev);
        }
        for (sequence, &mark) in segment.sequences.iter().zip(&rest.marks) {
            self.equate(machine, sequence.last, mark);
        }
        Some(())
    }

    /// Assumes the bounds of a number of nodes of `S`: nodes are aligned to 16 bytes, so there are fewer nodes than addresses.
    pub(super) fn bound_count(&mut self, machine: &mut Machine<'_, M>, count: Term, least: u32) -> Option<()> {
        let most = machine.terms.constant(1 << (machine.pointer_bits - 4), machine.pointer_bits);
        let least = machine.terms.constant(u128::from(least), machine.pointer_bits);
        for bounded in [machine.terms.ult(count, most), machine.terms.ule(least, count)] {
            self.s = machine.assume(self.s.clone(), bounded)?;
        }
        Some(())
    }

    /// Demands that two values of `R` are equal.
    fn equate(&mut self, machine: &mut Machine<'_, M>, one: Term, other: Term) {
        let equal = machine.terms.eq(one, other);
        self.conditions.push(equal);
        self.equations.push((one, other));
    }

    /// Takes an object of `S` as the next node.
    fn list_node(
        &mut self,
        machine: &mut Machine<'_, M>,
        segment: &Segment,
        rest: Rest,
        (own, way): (ObjectId, bool),
    ) -> Option<Rest> {
        let scope = self.scope_of_r.get(&rest.id).copied().unwrap_or(OUTSIDE);
        let link = self.fresh(machine, "link", machine.pointer_bits, scope);
        let way = machine.terms.constant(u128::from(way), 1);
        let (forth, back) = match rest.side {
            Side::First => (Some(link), rest.prev),
            Side::Last => (rest.prev, Some(link)),
        };
        let mut given: Vec<(Term, Term)> = segment.links.iter().copied().zip(forth).collect();
        given.extend(segment.back_link.zip(back));
        given.extend(segment.fork.map(|fork| (fork, way)));
        let node = self.node_of_r(machine, segment, given, scope).node;
        self.match_node(machine, node, own)?;
        let next = self.linked(machine, node, own, link)?;
        let at = machine.terms.constant(u128::from(segment.at), machine.pointer_bits);
        let one = machine.terms.constant(1, machine.pointer_bits);
        let mut marks = Vec::new();
        for (sequence, &before) in segment.sequences.iter().zip(&rest.marks) {
            let (_, _, mark) = self.r.memory.get(node).cell_at(sequence.at).filter(|cell| cell.0 == sequence.at)?;
            let step = step(machine, sequence, before, mark)?;
            self.conditions.push(step);
            marks.push(mark);
        }
        let base = self.r.memory.get(node).base;
        Some(Rest {
            from: machine.terms.sub(next, at),
            count: machine.terms.add(rest.count, one),
            nodes: rest.nodes.saturating_add(1),
            prev: rest.prev.map(|_| machine.terms.add(base, at)),
            marks,
            choice: None,
            id: rest.id,
            side: rest.side,
        })
    }

    /// Takes a segment of `S` as the next part.
    fn list_part(
        &mut self,
        machine: &mut Machine<'_, M>,
        segment: &Segment,
        rest: Rest,
        own: ObjectId,
    ) -> Option<Rest> {
        let part = self.s.memory.get(own).segment.clone()?;
        if part.last().is_some() != segment.last().is_some() {
            return None;
        }
        let scope = self.scope_of_r.get(&rest.id).copied().unwrap_or(OUTSIDE);
        self.match_any_node(machine, segment, own, scope)?;
        let at = machine.terms.constant(u128::from(segment.at), machine.pointer_bits);
        if rest.side == Side::Last {
            self.tasks.push(Task::Value(rest.prev?, part.next));
            let first = machine.terms.add(self.s.memory.get(own).base, at);
            let variable = self.fresh(machine, "first", machine.pointer_bits, scope);
            self.bind(machine, variable, first);
            return Some(Rest {
                from: machine.terms.sub(part.back?.prev, at),
                count: machine.terms.add(rest.count, part.length),
                nodes: rest.nodes.saturating_add(part.min),
                prev: Some(variable),
                ..rest
            });
        }
        if let (Some(prev), Some(back)) = (rest.prev, part.back) {
            self.tasks.push(Task::Value(prev, back.prev));
        }
        let mut marks = Vec::new();
        for (sequence, &before) in segment.sequences.iter().zip(&rest.marks) {
            let Some(same) = part.sequences.iter().find(|other| other.at == sequence.at) else {
                marks.push(self.constant_part(machine, &part, sequence, before)?);
                continue;
            };
            let (own, others) = (machine.terms.as_const(before), self.s.path.value(&machine.terms, same.before));
            match (own, others) {
                (Some(own), Some(other)) if own != other => {
                    (part.min > 0 && goes_on(own, &sequence.steps, other, &same.steps)).then_some(())?;
                }
                _ => {
                    same.steps.is_subset(&sequence.steps).then_some(())?;
                    self.tasks.push(Task::Value(before, same.before));
                }
            }
            let mark = self.fresh(machine, "mark", machine.terms.width(same.last), scope);
            self.bind(machine, mark, same.last);
            marks.push(mark);
        }
        let mut prev = None;
        if let (Some(_), Some(last)) = (rest.prev, part.last()) {
            let variable = self.fresh(machine, "last", machine.pointer_bits, scope);
            let last = machine.terms.add(last, at);
            self.bind(machine, variable, last);
            prev = Some(variable);
        }
        Some(Rest {
            from: machine.terms.sub(part.next, at),
            count: machine.terms.add(rest.count, part.length),
            nodes: rest.nodes.saturating_add(part.min),
            prev,
            marks,
            choice: None,
            id: rest.id,
            side: rest.side,
        })
    }

    /// Lets a part of `S` whose nodes all have the same constant be a part of a sequence. Returns the constant.
    fn constant_part(
        &mut self,
        machine: &mut Machine<'_, M>,
        part: &Segment,
        sequence: &Sequence,
        before: Term,
    ) -> Option<Term> {
        let (_, _, mark) = self.s.memory.get(part.node).cell_at(sequence.at).filter(|cell| cell.0 == sequence.at)?;
        // The path condition holds for the local variables of every node.
        let bits = self.s.path.value(&machine.terms, mark)?;
        let mark = machine.terms.constant(bits, machine.terms.width(mark));
        // Without a node, the sequence would end with the value before the part.
        (part.min > 0 && sequence.steps.contains(&(bits, bits))).then_some(())?;
        let step = step(machine, sequence, before, mark)?;
        self.conditions.push(step);
        Some(mark)
    }
}

/// Returns whether a sequence goes on from `value` like a part that begins after `other`, for all values that the part may have.
///
/// The first value of the part follows `other` in the part, and `value` in the sequence.
fn goes_on(value: u128, steps: &BTreeSet<(u128, u128)>, other: u128, part: &BTreeSet<(u128, u128)>) -> bool {
    let after = |from: u128| part.iter().filter(move |step| step.0 == from).map(|step| step.1);
    let (mut reached, mut waiting) = (BTreeSet::new(), Vec::new());
    for first in after(other) {
        if !steps.contains(&(value, first)) {
            return false;
        }
        waiting.push(first);
    }
    while let Some(from) = waiting.pop() {
        if reached.insert(from) {
            if !after(from).all(|to| steps.contains(&(from, to))) {
                return false;
            }
            waiting.extend(after(from));
        }
    }
    true
}

/// Returns the condition that one value of a sequence follows another.
fn step<M: Mode>(machine: &mut Machine<'_, M>, sequence: &Sequence, before: Term, mark: Term) -> Option<Term> {
    let width = machine.terms.width(mark);
    if machine.terms.width(before) != width {
        return None;
    }
    let mut any = machine.terms.falsity();
    for &(from, to) in &sequence.steps {
        let (from, to) = (machine.terms.constant(from, width), machine.terms.constant(to, width));
        let (begins, ends) = (machine.terms.eq(before, from), machine.terms.eq(mark, to));
        let both = machine.terms.and(begins, ends);
        any = machine.terms.or(any, both);
    }
    Some(any)
}
