//! One variable is ahead of another along a chain of links.
//!
//! A loop in which one variable goes twice as fast as another finds the middle of a list: the slow one does not come to
//! the end. Such facts are found like all others: those of the first arrival are kept as long as they are inductive.

use cairn_ir::Reg;
use cairn_rules::{Lit, Term};

use super::super::solver::{Flow, PathSolver};
use super::super::state::{State, Value};
use super::super::types::ClassId;
use super::Fact;

/// The node of one register is ahead of that of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ahead {
    from: Reg,
    to: Reg,
    class: ClassId,
}

impl Ahead {
    fn literal(self, solver: &mut PathSolver<'_, '_>, state: &State, facts: &[Fact]) -> Option<Lit> {
        let predicate = solver.theory().ahead(self.class)?;
        let node = |reg: Reg| match state.reg(reg) {
            Value::Term(term) if facts[reg.index()].is_node() => Some(term),
            _ => None,
        };
        let args = [state.heaps.term(self.class), node(self.from)?, node(self.to)?];
        Some(solver.constraint(predicate, &args))
    }
}

/// Returns the known facts that still hold, or on the first arrival those between nodes that are one link apart.
pub(super) fn chains(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    facts: &[Fact],
    known: Option<&[Ahead]>,
) -> Vec<Ahead> {
    let possible = match known {
        Some(known) => known.to_vec(),
        None => neighbours(solver, state, facts),
    };
    let mut out = Vec::new();
    for ahead in possible {
        if let Some(holds) = ahead.literal(solver, state, facts)
            && solver.is_refuted(&[!holds])
        {
            out.push(ahead);
        }
    }
    out
}

/// Returns the pairs of registers with nodes of which one is known to link to the other.
fn neighbours(solver: &PathSolver<'_, '_>, state: &State, facts: &[Fact]) -> Vec<Ahead> {
    let at = |term: Term| {
        let holds = |index: &usize| {
            facts[*index].is_node() && matches!(state.frame().regs[*index], Value::Term(held) if held == term)
        };
        (0..facts.len()).filter(holds).map(Reg::new).collect::<Vec<_>>()
    };
    let mut out = Vec::new();
    for cell in state.heaps.held() {
        let class = cell.class;
        let offset = solver.theory().ahead(class).and_then(|_| solver.types().chain_offset(class));
        let Some(offset) = offset else { continue };
        for from in at(cell.address - offset) {
            out.extend(at(cell.value).into_iter().map(|to| Ahead { from, to, class }));
        }
    }
    out
}

/// Assumes the facts at a loop head.
pub(super) fn assume(solver: &mut PathSolver<'_, '_>, state: &State, facts: &[Fact], chains: &[Ahead]) -> Flow {
    for &ahead in chains {
        if let Some(holds) = ahead.literal(solver, state, facts) {
            solver.assume(holds)?;
        }
    }
    Ok(())
}
