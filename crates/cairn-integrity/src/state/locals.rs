//! The objects of this call: variables in memory and allocations, and who may reach them.

use cairn_rules::Term;

use super::super::solver::{PathSolver, Reach};
use super::super::types::NodeId;
use super::State;

/// Objects of this call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    /// Whether some allocation of this call may be reachable from outside.
    pub escaped: bool,
    /// Whether the address of a local variable was stored outside of local variables.
    pub dangling: bool,
    /// Private allocations of this call, with their types.
    pub made: Vec<(Term, NodeId)>,
    /// The caller's memory for a struct result: uninitialised before the end, and not reachable otherwise.
    pub out: Option<(Term, NodeId)>,
    /// For each slot, whether its address may be known to others; empty when none is.
    pub leaked: Vec<bool>,
}

impl Locals {
    /// Returns whether the address of a slot may be known to others.
    pub fn is_leaked(&self, slot: usize) -> bool {
        self.leaked.get(slot).copied().unwrap_or(false)
    }
}

impl State {
    /// Returns whether an address lies in a slot.
    pub fn is_slot(&self, solver: &PathSolver<'_, '_>, term: Term) -> bool {
        let is_base = |term: Term| self.frames.iter().flat_map(|frame| &frame.slots).any(|slot| slot.var == term.var);
        is_base(term) || solver.spread(term).is_some_and(|spread| is_base(spread.root))
    }

    /// Marks the slots whose address others know once a value is handed on, and returns whether there may be any.
    pub fn leak(&mut self, solver: &mut PathSolver<'_, '_>, term: Term) -> bool {
        if solver.constant(term).is_some() || !(solver.is_address(term) || self.is_slot(solver, term)) {
            return false;
        }
        let mut found = false;
        let slots = self.slots().to_vec();
        self.locals.leaked.resize(slots.len(), false);
        for (index, &slot) in slots.iter().enumerate() {
            // The address of a slot that is only accessed directly is nowhere.
            if solver.reach(slot) != Reach::Public || (slot.var != term.var && !solver.may_be(term, slot)) {
                continue;
            }
            let same = is_address_of(solver, term, slot);
            found |= same;
            self.locals.leaked[index] |= same;
        }
        found || self.is_slot(solver, term)
    }
}

/// Returns whether a value may be the address of a slot or of a part of it, or be computed from it.
fn is_address_of(solver: &mut PathSolver<'_, '_>, term: Term, slot: Term) -> bool {
    let class = solver.origin(term).and_then(|origin| origin.class);
    let tag = class.map_or(0, |class| solver.types().class(class).tag);
    let mut addresses = solver.parts_of(slot);
    addresses.extend((term.offset != 0).then_some(slot + term.offset));
    slot.var == term.var
        || addresses.iter().any(|&address| {
            (0..=tag).any(|tag| {
                let same = solver.equal(term - tag, address);
                !solver.is_refuted(&[same])
            })
        })
}
