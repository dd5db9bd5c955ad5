//! What loops assume. At a loop head the paper assumes that the graph is closed and that variables are nodes. Here the assumption
//! is what the ways to the head have in common, weakened until it is inductive: which variables are nodes, and which cells may
//! hold anything because they are not initialised yet ("the graph is closed but for `last->next`"). The latter is the paper's
//! future work.

use cairn_ir::program::Param;
use cairn_ir::{Body, Inst, Loc, Operand, Reg};
use cairn_rules::{Lit, Term};

use super::ahead::{Ahead, SlotLink};
use super::checker::{Checker, Flow};
use super::cut::{Name, Settled};
use super::filled::Filled;
use super::state::{Origin, Reach, State, Value};
use super::types::NodeId;

/// Numbers that bounds are looked for among.
const LANDMARKS: usize = 24;

/// What is assumed of a register at a loop head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// Nothing.
    Any,
    /// It has this value.
    Constant(i64),
    /// It is an integer of at least, and at most, this.
    Range(Option<i64>, Option<i64>),
    /// It points that many bytes into a node.
    Node {
        node: NodeId,
        offset: i64,
        nonnull: bool,
        reach: Reach,
        /// Whether it is no slot that nothing links to.
        apart: bool,
    },
}

/// What a loop head assumes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Invariant {
    facts: Vec<Fact>,
    exempt: Vec<Name>,
    /// Registers whose node nothing else points to.
    isolated: Vec<bool>,
    escaped: bool,
    dangling: bool,
    leaked: Vec<bool>,
    /// Slots that nothing links to.
    unlinked: Vec<bool>,
    /// How far local arrays are filled.
    fillings: Vec<Filled>,
    /// The slots of arrays whose first element is null.
    stoppers: Vec<usize>,
    /// What is ahead of what.
    chains: Vec<Ahead>,
    /// Links in slots that are not null.
    set: Vec<SlotLink>,
}

impl<'p> Checker<'_, 'p> {
    /// A loop head: what it assumes is weakened to what holds here, and the graph is closed but for what it leaves out.
    pub fn arrive(&mut self, state: &mut State, head: usize) -> Flow {
        let Some(body) = self.body(self.function) else { return Ok(()) };
        self.look_for_freed(state, None, self.head_place(body, head));
        let live = self.liveness.as_ref().map_or_else(Vec::new, |live| live.before(body, head, 0));
        let known = self.invariants.get(&head).cloned();
        let mut facts = known.as_ref().map_or_else(|| vec![Fact::Any; body.regs.len()], |known| known.facts.clone());
        for (index, fact) in facts.iter_mut().enumerate() {
            if !live.get(index).copied().unwrap_or(false) {
                *fact = Fact::Any;
                continue;
            }
            let reg = Reg::new(index);
            let value = state.frame().regs[index];
            let declared = self.pointee(body.ctypes.reg(reg));
            if let Value::Term(term) = value {
                self.demand(term, declared)?;
            }
            *fact = match &known {
                None => self.fact(value, declared),
                Some(_) => self.weaken(*fact, value),
            };
        }
        let mut candidates = Vec::new();
        for (index, fact) in facts.iter().enumerate() {
            if let (Fact::Node { node, offset, .. }, Value::Term(term)) = (fact, state.frame().regs[index]) {
                let reg = Reg::new(index);
                self.links(term - *offset, *node, |at| Name::Reg(reg, at), &mut candidates);
            }
        }
        // A slot keeps its name; among registers, what was declared last is most likely what is being worked on.
        let arrays = self.local_arrays(state);
        self.slot_candidates(state, true, &arrays, &mut candidates);
        candidates.reverse();
        let exempt = known.as_ref().map_or_else(Vec::new, |known| known.exempt.clone());
        let chosen = (0..candidates.len()).filter(|&index| exempt.contains(&candidates[index].name)).collect();
        let chosen = match self.settle(state, &candidates, chosen, &arrays) {
            Ok(chosen) => chosen,
            Err(broken) => {
                let loc = self.head_place(body, head);
                return Err(self.broken(state, loc, "when a loop goes on", broken));
            }
        };
        let fillings = known.as_ref().map(|known| known.fillings.as_slice());
        let fillings = self.fillings(state, body, &facts, &arrays, fillings);
        let stoppers = known.as_ref().map(|known| known.stoppers.as_slice());
        let stoppers = self.stoppers(state, &arrays, stoppers);
        let chains = known.as_ref().map(|known| known.chains.as_slice());
        let chains = self.chains(state, &facts, chains);
        let set = self.set_links(state, known.as_ref().map(|known| known.set.as_slice()));
        let settled = self.blanked(state, &candidates, &chosen, &arrays);
        let mut isolated = known.as_ref().map_or_else(|| vec![true; body.regs.len()], |known| known.isolated.clone());
        for index in 0..body.regs.len() {
            isolated[index] &= match (facts[index], state.frame().regs[index]) {
                (Fact::Node { nonnull: true, offset: 0, reach: Reach::Private, .. }, Value::Term(base)) => {
                    let raw = settled.chosen.iter().any(|&at| candidates[at].cell.var == base.var);
                    raw && self.is_unlinked(&settled, base) && self.is_apart(state, &facts, index, base)
                }
                _ => false,
            };
        }
        let unlinked = self.unlinked_slots(state, known.as_ref(), &settled, &mut facts);
        let mut exempt = exempt;
        for index in chosen {
            let name = candidates[index].name;
            if !exempt.contains(&name) {
                exempt.push(name);
            }
        }
        let merge = |old: &[bool], new: &[bool]| -> Vec<bool> {
            let count = old.len().max(new.len());
            (0..count).map(|i| old.get(i).copied().unwrap_or(false) || new.get(i).copied().unwrap_or(false)).collect()
        };
        let next = Invariant {
            facts,
            exempt,
            isolated,
            escaped: state.escaped || known.as_ref().is_some_and(|known| known.escaped),
            dangling: state.dangling || known.as_ref().is_some_and(|known| known.dangling),
            unlinked,
            leaked: merge(&state.leaked, known.as_ref().map_or(&[], |known| &known.leaked)),
            fillings,
            stoppers,
            chains,
            set,
        };
        if known.is_none_or(|known| known != next) {
            self.invariants.insert(head, next);
            if !self.agenda.contains(&head) {
                self.agenda.push(head);
            }
        }
        Ok(())
    }

    /// The slots that nothing links to; the facts say which registers may still point to them.
    fn unlinked_slots(
        &mut self,
        state: &State,
        known: Option<&Invariant>,
        settled: &Settled,
        facts: &mut [Fact],
    ) -> Vec<bool> {
        let slots = state.frames[0].slots.clone();
        let mut unlinked = known.map_or_else(|| vec![true; slots.len()], |known| known.unlinked.clone());
        for (index, &slot) in slots.iter().enumerate() {
            unlinked[index] &= self.reach(slot) == Reach::Public && self.is_unlinked(settled, slot);
        }
        let mut fine = true;
        for (index, fact) in facts.iter_mut().enumerate() {
            let Fact::Node { offset, nonnull, apart, .. } = fact else { continue };
            let Value::Term(term) = state.frame().regs[index] else { continue };
            for &slot in slots.iter().zip(&unlinked).filter(|(_, unlinked)| **unlinked).map(|(slot, _)| slot) {
                let same = self.solver.equal(term - *offset, slot);
                *apart &= self.prove(&[same]).is_ok();
            }
            fine &= *apart || *nonnull;
        }
        if !fine {
            unlinked.fill(false);
        }
        if !unlinked.contains(&true) {
            for fact in facts {
                if let Fact::Node { apart, .. } = fact {
                    *apart = true;
                }
            }
        }
        unlinked
    }

    /// Whether no other register points to the node of this one.
    fn is_apart(&mut self, state: &State, facts: &[Fact], index: usize, base: Term) -> bool {
        for other in (0..facts.len()).filter(|&other| other != index) {
            if let (Fact::Node { offset, .. }, Value::Term(term)) = (facts[other], state.frame().regs[other]) {
                let same = self.solver.equal(term - offset, base);
                if self.prove(&[same]).is_err() {
                    return false;
                }
            }
        }
        true
    }

    fn head_place(&self, body: &Body, head: usize) -> Loc {
        let block = &body.blocks[head];
        block.locs.first().copied().unwrap_or(block.end_loc)
    }

    /// The strongest fact that a value has.
    fn fact(&mut self, value: Value, declared: Option<NodeId>) -> Fact {
        let Value::Term(term) = value else { return Fact::Any };
        if let Some(constant) = self.solver.constant(term) {
            return Fact::Constant(constant);
        }
        // A pointer to a cell of a node: which cell of which node is not what iterations have in common.
        let element = self.origin(term).is_some_and(|origin| origin.element.is_some());
        if let (Some(node), true) = (declared, element)
            && self.recognise_element(term, node).is_err()
        {
            return Fact::Any;
        }
        let inside = |node: NodeId| element || (term.offset != 0 && self.types.node(node).scalar);
        if let Some(node) = declared.filter(|&node| inside(node)) {
            let object = self.solver.constraint(self.theory.object(node), &[term]);
            let null = self.solver.equal(term, Term::constant(0));
            if self.prove(&[!object]).is_ok() && self.prove(&[null]).is_ok() {
                return Fact::Node { node, offset: 0, nonnull: true, reach: self.reach(term), apart: true };
            }
        }
        let base = Term { offset: 0, ..term };
        let hint = self.origin(term).and_then(|origin| origin.hint.map(|node| (node, origin.reach)));
        if let Some((node, reach)) = hint {
            let object = self.solver.constraint(self.theory.object(node), &[base]);
            let null = self.solver.equal(base, Term::constant(0));
            if self.prove(&[!object, !null]).is_ok() {
                let nonnull = self.prove(&[null]).is_ok();
                return Fact::Node { node, offset: term.offset, nonnull, reach, apart: true };
            }
            return Fact::Any;
        }
        self.within_bounds(self.landmarks.last().copied(), self.landmarks.first().copied(), term)
    }

    /// What a fact and a value have in common.
    fn weaken(&mut self, fact: Fact, value: Value) -> Fact {
        let Value::Term(term) = value else { return Fact::Any };
        match fact {
            Fact::Any => Fact::Any,
            Fact::Constant(constant) => {
                if self.solver.constant(term) == Some(constant) {
                    return fact;
                }
                match self.fact(value, None) {
                    Fact::Node { node, offset: 0, reach, .. } if constant == 0 => {
                        Fact::Node { node, offset: 0, nonnull: false, reach, apart: true }
                    }
                    Fact::Node { .. } => Fact::Any,
                    _ => self.within_bounds(Some(constant), Some(constant), term),
                }
            }
            Fact::Range(low, high) => self.within_bounds(low, high, term),
            Fact::Node { node, offset, nonnull, reach, apart } => {
                if offset == 0 && self.solver.constant(term) == Some(0) {
                    return Fact::Node { node, offset, nonnull: false, reach, apart };
                }
                let base = term - offset;
                let object = self.solver.constraint(self.theory.object(node), &[base]);
                let null = self.solver.equal(base, Term::constant(0));
                if self.prove(&[!object, !null]).is_err() {
                    return Fact::Any;
                }
                let nonnull = nonnull && self.prove(&[null]).is_ok();
                let other = self.reach(term);
                let reach = if reach == other { reach } else { Reach::Maybe };
                Fact::Node { node, offset, nonnull, reach, apart }
            }
        }
    }

    /// The closest bounds of a term that are no closer than these: themselves, or landmarks.
    pub fn within_bounds(&mut self, low: Option<i64>, high: Option<i64>, term: Term) -> Fact {
        let below = |low: i64| self.landmarks.iter().copied().filter(move |&landmark| landmark < low);
        let above = |high: i64| self.landmarks.iter().rev().copied().filter(move |&landmark| landmark > high);
        let lows: Vec<i64> = low.map_or_else(Vec::new, |low| below(low).chain([low]).collect());
        let highs: Vec<i64> = high.map_or_else(Vec::new, |high| above(high).chain([high]).collect());
        let mut low = self.closest(&lows, |checker, low| checker.solver.at_most(Term::constant(low), term));
        // One more, if the bound itself is never met: a loop that ends at the bottom of an array.
        if let (Some(&wanted), Some(found)) = (lows.last(), low)
            && found < wanted
            && self.is_never(term, found)
        {
            low = Some(found + 1);
        }
        let high = self.closest(&highs, |checker, high| checker.solver.at_most(term, Term::constant(high)));
        if low.is_none() && high.is_none() { Fact::Any } else { Fact::Range(low, high) }
    }

    /// The last one of several bounds, of which each implies those before it, that can be proved.
    fn closest(&mut self, bounds: &[i64], says: impl Fn(&mut Self, i64) -> Lit) -> Option<i64> {
        let holds = |checker: &mut Self, bound: i64| {
            let lit = says(checker, bound);
            checker.prove(&[!lit]).is_ok()
        };
        let (&first, &last) = (bounds.first()?, bounds.last()?);
        if holds(self, last) {
            return Some(last);
        }
        if first == last || !holds(self, first) {
            return None;
        }
        let (mut good, mut bad) = (0, bounds.len() - 1);
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if holds(self, bounds[middle]) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Some(bounds[good])
    }

    /// The numbers that integers of a function are compared with and the lengths of its arrays: bounds that loops keep to are
    /// found among them, and the search for them ends.
    pub fn landmarks_of(&mut self, body: &Body) -> Vec<i64> {
        let mut out = vec![0];
        let insts = body.blocks.iter().flat_map(|block| &block.insts);
        for operand in insts.filter_map(|inst| match inst {
            Inst::Compare { ty, lhs, rhs, .. } if ty.is_int() => Some([lhs, rhs]),
            _ => None,
        }) {
            for operand in operand {
                if let Operand::Int(value) = *operand {
                    // A loop that goes on below a number ends at it, or one further.
                    out.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
                }
            }
        }
        self.lengths.clear();
        for slot in body.ctypes.slots.iter().flatten() {
            let cells = self.types.of(*slot).map(|node| self.types.node(node).cells.clone()).unwrap_or_default();
            let lengths = cells.iter().filter(|cells| cells.count > 1).map(|cells| cells.count as i64);
            self.lengths.extend(lengths.filter(|length| !out.contains(length)));
        }
        out.extend(&self.lengths);
        out.sort_unstable();
        out.dedup();
        out.truncate(LANDMARKS);
        out
    }

    /// Goes on from a loop head with what it assumes. `None` where that contradicts itself.
    pub fn resume(&mut self, body: &'p Body, head: usize) -> Option<State> {
        let invariant = self.invariants.get(&head)?.clone();
        self.resumed(body, head, &invariant).ok()
    }

    fn resumed(&mut self, body: &'p Body, head: usize, invariant: &Invariant) -> Flow<State> {
        let mut state = self.blank(body, head, false)?;
        state.escaped = invariant.escaped;
        state.dangling = invariant.dangling;
        state.leaked.clone_from(&invariant.leaked);
        let mut fresh_objects = Vec::new();
        let (_, hidden) = self.parameter_types(body.ctypes.function, body.params.len());
        let hidden = match body.params.first() {
            Some(Param::Reg(reg)) if hidden => Some(reg.index()),
            _ => None,
        };
        for (index, &fact) in invariant.facts.iter().enumerate() {
            let value = match fact {
                Fact::Any => Value::Unknown,
                Fact::Constant(constant) => Value::Term(Term::constant(constant)),
                Fact::Range(low, high) => {
                    let mut origin = Origin::unknown();
                    // The length of an array is no bound that the code keeps to.
                    origin.by_length = high.is_some_and(|high| self.lengths.contains(&high));
                    origin.counter = high.is_none() || origin.by_length;
                    let term = self.variable(origin);
                    if let Some(low) = low {
                        let lit = self.solver.at_most(Term::constant(low), term);
                        self.assume(lit)?;
                    }
                    if let Some(high) = high {
                        let lit = self.solver.at_most(term, Term::constant(high));
                        self.assume(lit)?;
                    }
                    Value::Term(term)
                }
                Fact::Node { node, offset, nonnull, reach, apart } => {
                    let mut origin = Origin::unknown();
                    origin.hint = Some(node);
                    origin.reach = reach;
                    let base = self.variable(origin);
                    if invariant.isolated[index] || !apart {
                        self.assume_object(Some(node), base)?;
                    } else {
                        self.assume_node(node, base, 0)?;
                    }
                    if nonnull {
                        let lit = !self.solver.equal(base, Term::constant(0));
                        self.assume(lit)?;
                    }
                    if reach == Reach::Private {
                        state.made.push((base, node));
                    }
                    if hidden == Some(index) {
                        state.out = Some((base, node));
                    }
                    if invariant.isolated[index] {
                        let fresh = self.solver.constraint(self.theory.fresh, &[base, Term::constant(0)]);
                        fresh_objects.push(fresh);
                        fresh_objects.push(self.solver.constraint(self.theory.made, &[base]));
                    }
                    Value::Term(base + offset)
                }
            };
            state.frame_mut().regs[index] = value;
        }
        for (index, &unlinked) in invariant.unlinked.iter().enumerate() {
            if unlinked {
                let slot = state.frame().slots[index];
                fresh_objects.push(self.solver.constraint(self.theory.fresh, &[slot, Term::constant(0)]));
            }
        }
        for fresh in fresh_objects {
            self.assume(fresh)?;
        }
        self.assume_fillings(&mut state, &invariant.facts, &invariant.fillings, &invariant.stoppers)?;
        for &name in &invariant.exempt {
            let place = match name {
                Name::Reg(reg, at) => match (invariant.facts[reg.index()], state.frame().regs[reg.index()]) {
                    (Fact::Node { node, offset, .. }, Value::Term(term)) => Some((node, term - offset, at)),
                    _ => None,
                },
                Name::Slot(index, at) => {
                    let slot = state.frame().slots[index];
                    self.origin(slot).and_then(|origin| origin.hint).map(|node| (node, slot, at))
                }
                Name::Made => None,
            };
            let Some((node, base, at)) = place else { continue };
            let touched = self.types.node(node).touched(self.types, at as i64, 1);
            for (offset, class) in touched {
                let junk = self.variable(Origin::unknown());
                self.write(&mut state, class, base + offset as i64, junk)?;
            }
        }
        self.assume_chains(&mut state, &invariant.facts, &invariant.chains, &invariant.set)?;
        Ok(state)
    }
}
