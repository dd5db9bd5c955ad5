//! Local arrays of links that are filled one by one, as a path down a tree is: how far they are filled is what a loop has to know.
//!
//! At a loop head such an array is valid up to an element whose index is in a register ([`Filled`]); everything behind it may be
//! anything. Whether its first element is null is known, too: many loops that go back through such an array end there. What holds
//! is found as all the rest is: what is true at the first arrival is weakened until it is inductive. Only arrays whose address goes nowhere are looked at like this, so that no call changes them.

use cairn_ir::{Body, Inst, Operand, Reg};
use cairn_rules::Term;

use super::checker::{BUDGET, Checker, Flow};
use super::invariant::Fact;
use super::state::{Element, Reach, State, Value};
use super::types::ClassId;

/// Registers that are tried as indices.
const INDICES: usize = 3;

/// What one attempt may cost.
const STEPS: u64 = 4_000;

/// A local array of links.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalArray {
    /// The number of the slot.
    slot: usize,
    first: Term,
    last: Term,
    class: ClassId,
    width: i64,
}

impl LocalArray {
    /// Whether it is this slot.
    pub fn is(&self, slot: usize) -> bool {
        self.slot == slot
    }

    /// The class of its cells.
    pub fn class(&self) -> ClassId {
        self.class
    }
}

/// How far an array is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Filled {
    slot: usize,
    /// All elements before the one whose index is this register plus the constant,
    until: (Reg, i64),
    /// but for the one with this index.
    hole: Option<Reg>,
}

impl<'p> Checker<'_, 'p> {
    /// The arrays of links among the slots of the function.
    pub fn local_arrays(&self, state: &State) -> Vec<LocalArray> {
        let mut out = Vec::new();
        for (slot, &first) in state.frames[0].slots.iter().enumerate() {
            let Some(origin) = self.origin(first).filter(|origin| origin.reach == Reach::Private) else { continue };
            let Some(node) = origin.hint.map(|node| self.types.node(node)) else { continue };
            if let [cells] = node.cells.as_slice()
                && self.theory.filled(cells.class).is_some()
            {
                let (class, width) = (cells.class, self.types.class(cells.class).width as i64);
                let last = first + (cells.count as i64 - 1) * width;
                out.push(LocalArray { slot, first, last, class, width });
            }
        }
        out
    }

    /// A heap with null in all of the arrays.
    pub fn without_arrays(&mut self, heap: i64, class: ClassId, arrays: &[LocalArray]) -> i64 {
        let mut heap = heap;
        for array in arrays.iter().filter(|array| array.class == class) {
            heap = self.nulls(heap, array.first, array.last);
        }
        heap
    }

    fn nulls(&mut self, heap: i64, first: Term, last: Term) -> i64 {
        let new = self.another_heap();
        let args = [Term::constant(heap), first, last, Term::constant(0), Term::constant(new)];
        let fill = self.solver.constraint(self.theory.fill, &args);
        self.solver.assume(fill);
        new
    }

    /// The heaps of classes are new ones; in the arrays they hold what they did before.
    pub fn keep_arrays(&mut self, state: &mut State, before: &[i64], arrays: &[LocalArray]) -> Flow {
        for array in arrays {
            self.keep_array(state, before[array.class.0 as usize], array)?;
        }
        Ok(())
    }

    fn keep_array(&mut self, state: &mut State, old: i64, array: &LocalArray) -> Flow {
        let class = array.class.0 as usize;
        let new = self.another_heap();
        let (old, others) = (Term::constant(old), Term::constant(state.heaps[class]));
        let args = [old, array.first, array.last, others, Term::constant(new)];
        let keep = self.solver.constraint(self.theory.keep, &args);
        state.heaps[class] = new;
        state.held.retain(|(held, ..)| *held != array.class);
        self.assume(keep)
    }

    /// What is true of the arrays at a loop head: of what was known, or of all there is.
    pub fn fillings(
        &mut self,
        state: &State,
        body: &Body,
        facts: &[Fact],
        arrays: &[LocalArray],
        known: Option<&[Filled]>,
    ) -> Vec<Filled> {
        let mut out = Vec::new();
        for array in arrays {
            let possible = match known {
                Some(known) => known.iter().copied().filter(|filled| filled.slot == array.slot).collect(),
                None => possible(array.slot, body, facts),
            };
            for filled in possible {
                if self.is_filled(state, array, &filled, arrays, facts) {
                    out.push(filled);
                }
            }
        }
        out
    }

    fn is_filled(
        &mut self,
        state: &State,
        array: &LocalArray,
        filled: &Filled,
        arrays: &[LocalArray],
        facts: &[Fact],
    ) -> bool {
        let registers = [Some(filled.until.0), filled.hole].into_iter().flatten();
        if registers.into_iter().any(|reg| !is_index(facts[reg.index()])) {
            return false;
        }
        let class = array.class;
        let (Some(intact), Some(until)) = (self.theory.intact(class), self.index(state, filled.until)) else {
            return false;
        };
        let level = self.solver.level();
        let others: Vec<LocalArray> = arrays.iter().filter(|other| other.slot != array.slot).copied().collect();
        let mut heap = self.without_arrays(state.heaps[class.0 as usize], class, &others);
        let behind = self.offset(array.first, until, array.width);
        heap = self.nulls(heap, behind, array.last);
        if let Some(hole) = filled.hole.and_then(|reg| self.index(state, (reg, 0))) {
            let (hole, new) = (self.offset(array.first, hole, array.width), self.another_heap());
            let args = [Term::constant(heap), hole, Term::constant(0), Term::constant(new)];
            let put = self.solver.constraint(self.theory.put, &args);
            self.solver.assume(put);
            heap = new;
        }
        let goal = self.solver.constraint(intact, &[Term::constant(heap)]);
        self.solver.set_budget(STEPS);
        let proved = self.prove(&[!goal]).is_ok();
        self.solver.set_budget(BUDGET);
        self.solver.backtrack(level);
        proved
    }

    /// The arrays, of those that were, whose first element is null.
    pub fn stoppers(&mut self, state: &State, arrays: &[LocalArray], known: Option<&[usize]>) -> Vec<usize> {
        let mut out = Vec::new();
        for array in arrays.iter().filter(|array| known.is_none_or(|known| known.contains(&array.slot))) {
            let value = self.solver.fresh();
            let heap = Term::constant(state.heaps[array.class.0 as usize]);
            let cell = self.solver.constraint(self.theory.cell, &[heap, array.first, value]);
            let null = self.solver.equal(value, Term::constant(0));
            if self.prove(&[cell, !null]).is_ok() {
                out.push(array.slot);
            }
        }
        out
    }

    /// Whether an integer certainly does not have a value. What that says about addresses of elements is used.
    pub fn is_never(&mut self, term: Term, value: i64) -> bool {
        let mut lits = vec![self.solver.equal(term, Term::constant(value))];
        let known: Vec<(Element, Term)> = self.elements.iter().map(|(&element, &at)| (element, at)).collect();
        for (element, at) in known {
            if element.index.var == term.var {
                let index = value.wrapping_sub(term.offset).wrapping_add(element.index.offset);
                lits.push(self.solver.equal(at, element.base + index.wrapping_mul(element.scale)));
            }
        }
        self.prove(&lits).is_ok()
    }

    fn index(&self, state: &State, (reg, more): (Reg, i64)) -> Option<Term> {
        match state.frame().regs[reg.index()] {
            Value::Term(term) => Some(term + more),
            _ => None,
        }
    }

    /// What a loop head assumes of the arrays.
    pub fn assume_fillings(
        &mut self,
        state: &mut State,
        facts: &[Fact],
        fillings: &[Filled],
        stoppers: &[usize],
    ) -> Flow {
        for array in self.local_arrays(state) {
            let contents = self.another_heap();
            self.keep_array(state, contents, &array)?;
            if stoppers.contains(&array.slot) {
                let args = [Term::constant(contents), array.first, Term::constant(0)];
                let stopper = self.solver.constraint(self.theory.cell, &args);
                self.assume(stopper)?;
            }
            let Some(predicate) = self.theory.filled(array.class) else { continue };
            let mine: Vec<&Filled> = fillings.iter().filter(|filled| filled.slot == array.slot).collect();
            for &filled in &mine {
                // What another one says already is left out.
                let weaker = |other: &Filled| {
                    let (reg, more) = other.until;
                    other != filled
                        && reg == filled.until.0
                        && more >= filled.until.1
                        && (other.hole.is_none() || other.hole == filled.hole)
                };
                if mine.iter().any(|other| weaker(other)) {
                    continue;
                }
                let Some(until) = self.index(state, filled.until) else { continue };
                let behind = self.offset(array.first, until, array.width);
                let hole = filled.hole.and_then(|reg| self.index(state, (reg, 0)));
                let hole = hole.map_or(behind, |hole| self.offset(array.first, hole, array.width));
                let args = [Term::constant(contents), behind, array.last, hole, Term::constant(0)];
                let filled_to = self.solver.constraint(predicate, &args);
                self.assume(filled_to)?;
            }
            for (index, fact) in facts.iter().enumerate() {
                let used = |filled: &&Filled| filled.until.0.index() == index || filled.hole == Some(Reg::new(index));
                if let (Fact::Range(low, high), true) = (fact, mine.iter().any(used)) {
                    self.bound_element(state, &array, Reg::new(index), *low, *high)?;
                }
            }
        }
        Ok(())
    }

    /// Bounds of an index are bounds of the address of the element.
    fn bound_element(
        &mut self,
        state: &State,
        array: &LocalArray,
        index: Reg,
        low: Option<i64>,
        high: Option<i64>,
    ) -> Flow {
        let Some(index) = self.index(state, (index, 0)) else { return Ok(()) };
        let element = self.offset(array.first, index, array.width);
        let at = |bound: i64| array.first + bound.saturating_mul(array.width);
        if let Some(low) = low {
            let lit = self.solver.at_most(at(low), element);
            self.assume(lit)?;
        }
        if let Some(high) = high {
            let lit = self.solver.at_most(element, at(high));
            self.assume(lit)?;
        }
        Ok(())
    }
}

fn is_index(fact: Fact) -> bool {
    matches!(fact, Fact::Constant(_) | Fact::Range(..))
}

/// All that could be true of an array: the registers are those that the code makes indices of it from.
fn possible(slot: usize, body: &Body, facts: &[Fact]) -> Vec<Filled> {
    let mut registers = indices(slot, body);
    registers.retain(|reg| is_index(facts[reg.index()]));
    registers.truncate(INDICES);
    let mut out = Vec::new();
    for &until in &registers {
        for more in [1, 0] {
            for hole in std::iter::once(None).chain(registers.iter().copied().map(Some)) {
                out.push(Filled { slot, until: (until, more), hole });
            }
        }
    }
    out
}

/// The variables that indices of a slot are computed from, in the block where they are used.
fn indices(slot: usize, body: &Body) -> Vec<Reg> {
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
