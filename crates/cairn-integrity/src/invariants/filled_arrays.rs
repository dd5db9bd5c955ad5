//! How far local arrays of links are filled.
//!
//! Loops fill such arrays one by one, as with the path down a tree. At a loop head an array is valid up to an element
//! whose index is in a register ([`Filling`]); the elements after it may hold anything. Whether the first element is
//! null is known as well, because many loops that go back through such an array end there. These facts are found like
//! all others: those of the first arrival are weakened until they are inductive.

use cairn_ir::{Body, Inst, Operand, Reg};
use cairn_rules::Term;

use super::super::cut_points::{LocalArray, local_arrays, with_nulls, without_arrays};
use super::super::limits::{FILLED_ARRAY_STEPS, INDEX_REGISTERS};
use super::super::solver::{Flow, PathSolver, Range};
use super::super::state::{State, Value};
use super::Fact;

/// How far an array is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Filling {
    slot: usize,
    /// All elements are valid before the one whose index is this register plus the constant,
    until: (Reg, i64),
    /// except for the one with this index.
    hole: Option<Reg>,
}

impl Filling {
    /// Returns whether another fact implies this one.
    fn is_implied_by(&self, other: &Filling) -> bool {
        other != self
            && other.until.0 == self.until.0
            && other.until.1 >= self.until.1
            && (other.hole.is_none() || other.hole == self.hole)
    }

    fn uses(&self, reg: Reg) -> bool {
        self.until.0 == reg || self.hole == Some(reg)
    }
}

/// Returns the known facts that still hold, or on the first arrival all that hold.
pub(super) fn fillings(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    body: &Body,
    (facts, arrays): (&[Fact], &[LocalArray]),
    known: Option<&[Filling]>,
) -> Vec<Filling> {
    let mut out = Vec::new();
    for array in arrays {
        let possible = match known {
            Some(known) => known.iter().copied().filter(|filling| array.is_slot(filling.slot)).collect(),
            None => possible(array.slot(), body, facts),
        };
        for filling in possible {
            if is_filled(solver, state, (facts, arrays), array, &filling) {
                out.push(filling);
            }
        }
    }
    out
}

fn is_filled(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    (facts, arrays): (&[Fact], &[LocalArray]),
    array: &LocalArray,
    filling: &Filling,
) -> bool {
    let registers = [Some(filling.until.0), filling.hole];
    if registers.into_iter().flatten().any(|reg| !facts[reg.index()].is_integer()) {
        return false;
    }
    let class = array.class();
    let (Some(intact), Some(until)) = (solver.theory().intact(class), index(state, filling.until)) else {
        return false;
    };
    let level = solver.level();
    let others: Vec<LocalArray> = arrays.iter().filter(|other| !other.is_slot(array.slot())).copied().collect();
    let mut heap = without_arrays(solver, state.heaps.current(class), class, &others);
    let behind = array.element(solver, until);
    heap = with_nulls(solver, heap, behind, array.last());
    if let Some(hole) = filling.hole.and_then(|reg| index(state, (reg, 0))) {
        let hole = array.element(solver, hole);
        let new = solver.new_heap();
        let args = [Term::constant(heap), hole, Term::constant(0), Term::constant(new)];
        let put = solver.constraint(solver.theory().heaps().put, &args);
        solver.note(put);
        heap = new;
    }
    let goal = solver.constraint(intact, &[Term::constant(heap)]);
    let proved = solver.is_refuted_within(FILLED_ARRAY_STEPS, &[!goal]);
    solver.backtrack(level);
    proved
}

/// Returns the slots of the arrays, of the known ones, whose first element is null.
pub(super) fn null_starts(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    arrays: &[LocalArray],
    known: Option<&[usize]>,
) -> Vec<usize> {
    let mut out = Vec::new();
    for array in arrays.iter().filter(|array| known.is_none_or(|known| known.contains(&array.slot()))) {
        let value = solver.any();
        let cell = solver.cell(state.heaps.term(array.class()), array.first(), value);
        let null = solver.is_null(value);
        if solver.is_refuted(&[cell, !null]) {
            out.push(array.slot());
        }
    }
    out
}

fn index(state: &State, (reg, more): (Reg, i64)) -> Option<Term> {
    match state.reg(reg) {
        Value::Term(term) => Some(term + more),
        _ => None,
    }
}

/// Assumes the facts about all local arrays at a loop head.
pub(super) fn assume(
    solver: &mut PathSolver<'_, '_>,
    state: &mut State,
    facts: &[Fact],
    fillings: &[Filling],
    null_starts: &[usize],
) -> Flow {
    for array in local_arrays(solver, state) {
        let contents = solver.new_heap();
        array.restore(solver, &mut state.heaps, contents)?;
        if null_starts.contains(&array.slot()) {
            let null = solver.cell(Term::constant(contents), array.first(), Term::constant(0));
            solver.assume(null)?;
        }
        let Some(predicate) = solver.theory().filled(array.class()) else { continue };
        let mine: Vec<&Filling> = fillings.iter().filter(|filling| array.is_slot(filling.slot)).collect();
        for &filling in &mine {
            if mine.iter().any(|other| filling.is_implied_by(other)) {
                continue;
            }
            let Some(until) = index(state, filling.until) else { continue };
            let behind = array.element(solver, until);
            let hole = filling.hole.and_then(|reg| index(state, (reg, 0)));
            let hole = hole.map_or(behind, |hole| array.element(solver, hole));
            let args = [Term::constant(contents), behind, array.last(), hole, Term::constant(0)];
            let filled = solver.constraint(predicate, &args);
            solver.assume(filled)?;
        }
        for (number, fact) in facts.iter().enumerate() {
            let reg = Reg::new(number);
            if let (Fact::Range(low, high), true) = (fact, mine.iter().any(|filling| filling.uses(reg))) {
                bound_element(solver, state, &array, reg, (*low, *high))?;
            }
        }
    }
    Ok(())
}

/// Assumes for the address of an element what the bounds of its index imply.
fn bound_element(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    array: &LocalArray,
    reg: Reg,
    (low, high): Range,
) -> Flow {
    let Some(index) = index(state, (reg, 0)) else { return Ok(()) };
    let element = array.element(solver, index);
    if let Some(low) = low {
        let lit = solver.at_most(array.constant_element(low), element);
        solver.assume(lit)?;
    }
    if let Some(high) = high {
        let lit = solver.at_most(element, array.constant_element(high));
        solver.assume(lit)?;
    }
    Ok(())
}

/// Returns all facts that could hold for an array.
///
/// The registers are those from which the code computes indices of the array.
fn possible(slot: usize, body: &Body, facts: &[Fact]) -> Vec<Filling> {
    let mut registers = index_registers(slot, body);
    registers.retain(|reg| facts[reg.index()].is_integer());
    registers.truncate(INDEX_REGISTERS);
    let mut out = Vec::new();
    for &until in &registers {
        for more in [1, 0] {
            for hole in std::iter::once(None).chain(registers.iter().copied().map(Some)) {
                out.push(Filling { slot, until: (until, more), hole });
            }
        }
    }
    out
}

/// Returns the variables from which indices of a slot are computed, in the block where they are used.
fn index_registers(slot: usize, body: &Body) -> Vec<Reg> {
    let mut out = Vec::new();
    for block in &body.blocks {
        let mut wanted: Vec<Reg> = Vec::new();
        for inst in block.insts.iter().rev() {
            match inst {
                Inst::PtrAdd { base: Operand::Slot(base), index: Operand::Reg(index), .. } if base.index() == slot => {
                    wanted.push(*index);
                }
                Inst::Move { dst, .. } | Inst::Convert { dst, .. } | Inst::Binary { dst, .. }
                    if wanted.contains(dst) =>
                {
                    inst.for_operands(&mut |operand| {
                        if let Operand::Reg(reg) = operand {
                            wanted.push(reg);
                        }
                    });
                }
                _ => {}
            }
        }
        out.extend(wanted.into_iter().filter(|reg| body.regs[reg.index()].name.is_some()));
    }
    out.sort_unstable();
    out.dedup();
    out
}
