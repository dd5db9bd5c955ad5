//! Facts that hold at the start of every iteration of a loop.
//!
//! Candidates are orders: of a variable and its value at the entry of the loop, small constants, and the other side of comparisons. Those
//! that the entry of a loop or one of its iterations refutes are dropped, until none is (Houdini). The entry of a loop may rest on the
//! candidates of loops before it in reverse postorder, and an iteration on all candidates: on those of the heads that were passed last.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::inst::CompareOp;
use cairn_smt::{Answer, Session, Term};

use crate::formula::{Formula, Side, State};
use crate::limits::{CONFLICTS, INVARIANT_QUERIES, INVARIANTS};

/// A candidate: an order of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Order {
    low: Bound,
    high: Bound,
    is_signed: bool,
}

/// A number in a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    /// A value at the start of the iteration.
    Value(usize),
    /// A value when the loop was entered.
    Entry(usize),
    Fixed(Term),
}

/// Returns facts about the starts of iterations, as terms that hold in all executions.
pub(crate) fn find(formula: &mut Formula, interrupt: &Arc<AtomicBool>) -> Vec<Term> {
    let mut active: Vec<(usize, Order)> = Vec::new();
    for index in 0..formula.loops.len() {
        let orders = candidates(formula, index);
        active.extend(orders.into_iter().map(|order| (index, order)));
    }
    active.truncate(INVARIANTS);
    let mut session = Session::new(interrupt.clone());
    session.set_conflict_budget(Some(CONFLICTS));
    let mut queries = 0;
    loop {
        let assumed = terms(formula, &active);
        // The variables at the head of a loop are not those at its entry, so that a contradiction of candidates would show no entry.
        let before: Vec<Vec<Term>> = (0..formula.loops.len())
            .map(|index| {
                let earlier: Vec<_> = active.iter().copied().filter(|&(of, _)| of < index).collect();
                terms(formula, &earlier)
            })
            .collect();
        let mut refuted = Vec::new();
        for (at, &(index, order)) in active.iter().enumerate() {
            if refuted.contains(&at) {
                continue;
            }
            for is_entry in [true, false] {
                let state = if is_entry { &formula.loops[index].entry } else { &formula.loops[index].next };
                let state = state.clone();
                let holds = condition(formula, index, &state, order);
                let fails = formula.terms.not(holds);
                queries += 1;
                if queries > INVARIANT_QUERIES || session.interrupted() {
                    return formula.facts.clone();
                }
                let facts = if is_entry { &before[index] } else { &assumed };
                let query: Vec<Term> = facts.iter().copied().chain([state.guard, fails]).collect();
                match session.check(&formula.terms, &query) {
                    Answer::Unsat(_) => {}
                    Answer::Sat(model) => {
                        // The same execution refutes other candidates of the loop.
                        for (other, &(of, order)) in active.iter().enumerate() {
                            let holds = if of == index { Some(condition(formula, index, &state, order)) } else { None };
                            if holds.is_some_and(|holds| formula.terms.evaluate(holds, &model) == 0)
                                && !refuted.contains(&other)
                            {
                                refuted.push(other);
                            }
                        }
                        break;
                    }
                    _ => {
                        refuted.push(at);
                        break;
                    }
                }
            }
        }
        if refuted.is_empty() {
            return assumed;
        }
        let mut at = 0;
        active.retain(|_| {
            at += 1;
            !refuted.contains(&(at - 1))
        });
    }
}

/// Returns the candidates of a loop.
fn candidates(formula: &mut Formula, index: usize) -> Vec<Order> {
    let known = &formula.loops[index];
    let (comparisons, variables) = (known.comparisons.clone(), known.variables.clone());
    let mut orders = Vec::new();
    let wraps = |side| matches!(side, Side::Value(value) if !formula.is_signed[value]);
    for (op, a, b) in comparisons {
        let (Some(low), Some(high)) = (bound(formula, a), bound(formula, b)) else { continue };
        let is_signed = match op {
            CompareOp::SLt | CompareOp::SLe => true,
            CompareOp::ULt | CompareOp::ULe => false,
            // A signed operand is converted if the other one is unsigned.
            _ => !wraps(a) && !wraps(b),
        };
        if !matches!((low, high), (Bound::Fixed(_), Bound::Fixed(_))) {
            orders.push(Order { low, high, is_signed });
            orders.push(Order { low: high, high: low, is_signed });
        }
    }
    for variable in variables {
        if !formula.is_number[variable] {
            continue;
        }
        let width = formula.terms.width(formula.loops[index].start.values[variable]);
        let is_signed = formula.is_signed[variable];
        let (value, entry) = (Bound::Value(variable), Bound::Entry(variable));
        orders.push(Order { low: entry, high: value, is_signed });
        orders.push(Order { low: value, high: entry, is_signed });
        for constant in [0, 1] {
            let constant = formula.terms.constant(constant, width);
            orders.push(Order { low: Bound::Fixed(constant), high: value, is_signed });
        }
    }
    orders.dedup();
    orders
}

/// Returns a side of a comparison as a number, if it is one.
fn bound(formula: &Formula, side: Side) -> Option<Bound> {
    match side {
        Side::Value(index) => formula.is_number[index].then_some(Bound::Value(index)),
        Side::Fixed(term) => Some(Bound::Fixed(term)),
    }
}

/// Returns the candidates as facts about all executions: if the loop is reached, they hold at the start of the iteration.
fn terms(formula: &mut Formula, active: &[(usize, Order)]) -> Vec<Term> {
    let mut facts = formula.facts.clone();
    for &(index, order) in active {
        let start = formula.loops[index].start.clone();
        let holds = condition(formula, index, &start, order);
        let unreached = formula.terms.not(start.guard);
        let fact = formula.terms.or(unreached, holds);
        if !formula.terms.is_true(fact) && !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    facts
}

/// Returns the condition that an order holds in a state of a loop.
fn condition(formula: &mut Formula, index: usize, state: &State, order: Order) -> Term {
    let term = |formula: &mut Formula, bound: Bound| match bound {
        Bound::Value(value) => state.values[value],
        Bound::Entry(value) => formula.loops[index].entry.values[value],
        Bound::Fixed(term) => term,
    };
    let (low, high) = (term(formula, order.low), term(formula, order.high));
    if formula.terms.width(low) != formula.terms.width(high) {
        return formula.terms.truth();
    }
    if order.is_signed { formula.terms.sle(low, high) } else { formula.terms.ule(low, high) }
}
