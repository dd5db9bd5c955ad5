//! Unknown numbers of usual size.
//!
//! A sum or product of unknown numbers can wrap around, and then a buffer is too small for its contents. Whether sizes fit is up to
//! callers, so a path counts only if numbers of usual size lead along it. Numbers that the code compares with a constant may have any
//! value, because the code shows that it expects them.

use cairn_exec::{Machine, Possible};
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::FxHashSet;

use crate::limits::USUAL_BITS;
use crate::mode::{Analysing, State};

/// Returns the state with a model of usual numbers; `None` if no such numbers lead along its path.
pub(crate) fn with_usual_numbers(machine: &mut Machine<'_, Analysing>, state: &State) -> Option<State> {
    let conditions = state.path.conditions();
    let tested: FxHashSet<Term> =
        conditions.iter().filter_map(|&condition| tested_variable(machine, condition)).collect();
    let mut seen = FxHashSet::default();
    let mut usual = machine.terms.truth();
    for condition in conditions {
        for &variable in machine.terms.variables_of(condition).iter() {
            if !seen.insert(variable) || tested.contains(&variable) || machine.bases.contains_key(&variable) {
                continue;
            }
            let width = machine.terms.width(variable);
            let Some(&(_, bits)) = USUAL_BITS.iter().find(|(size, _)| *size == width) else { continue };
            let most = machine.terms.constant(1 << bits, width);
            let range = machine.terms.constant(1 << (bits + 1), width);
            let shifted = machine.terms.add(variable, most);
            let is_usual = machine.terms.ult(shifted, range);
            usual = machine.terms.and(usual, is_usual);
        }
    }
    if machine.terms.evaluate(usual, state.path.model()) == 1 {
        return Some(state.clone());
    }
    match machine.possible(state, usual) {
        Possible::Yes(model) => {
            let mut state = state.clone();
            state.path.assume(&machine.terms, usual, Some(model));
            Some(state)
        }
        Possible::No => None,
        Possible::Unknown => Some(state.clone()),
    }
}

/// Returns the variable that a condition compares with a constant.
fn tested_variable(machine: &Machine<'_, Analysing>, condition: Term) -> Option<Term> {
    let mut condition = condition;
    while let Node::Not(inner) = machine.terms.node(condition) {
        condition = *inner;
    }
    let Node::Binary(_, a, b) = machine.terms.node(condition) else { return None };
    let variable = |term: Term| {
        let mut term = term;
        while let Node::SExt(inner) | Node::Extract(inner, _) = machine.terms.node(term) {
            term = *inner;
        }
        matches!(machine.terms.node(term), Node::Var(_)).then_some(term)
    };
    match (machine.terms.as_const(*a), machine.terms.as_const(*b)) {
        (None, Some(_)) => variable(*a),
        (Some(_), None) => variable(*b),
        _ => None,
    }
}
