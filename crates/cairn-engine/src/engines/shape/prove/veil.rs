//! Pointers that a call of a recursion only carries along: from a child to its parent, or a parent that is passed to be stored in a child.
//!
//! By way of its parent a node leads to all of its tree, so each call of a recursion would be made on the whole, at another node of it.
//! Where there are several such calls already, pointers of this kind are *veiled*: the call gets a value of which nothing is known in
//! their place, and what it returns with holds the pointer again where it holds that value. A call that does look at what the pointer leads to
//! fails there, so this forgets something and invents nothing.

use cairn_ir::{FuncId, Inst, Operand};
use cairn_smt::Term;

use super::references::is_node;
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;

/// Pointers, with the values in their places.
type Veils = Vec<(Term, Term)>;

impl Explorer<'_> {
    /// Veils what the innermost call, which has just begun, is passed and only carries along.
    pub(super) fn veil(&mut self, state: &mut State) -> Veils {
        let mut veils = Vec::new();
        let function = state.top().function;
        let values: Vec<(usize, Term)> =
            state.top().regs.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?))).collect();
        for (register, value) in values {
            if self.terms.width(value) != self.pointer_bits {
                continue;
            }
            let (Target::Object(id, _) | Target::Segment(id, Side::First, _)) = self.target(state, value) else {
                continue;
            };
            if !is_node(state.memory.get(id)) {
                continue;
            }
            if self.is_only_carried(function, register) {
                let veil = self.veil_for(state, value, &mut veils);
                state.top_mut().regs[register] = Some(veil);
            } else {
                self.veil_parent(state, id, &mut veils);
            }
        }
        veils
    }

    /// Veils the pointer by which a node leads to its parent.
    fn veil_parent(&mut self, state: &mut State, child: ObjectId, veils: &mut Veils) {
        if let Some(back) = state.memory.get(child).segment.as_ref().and_then(|segment| segment.back) {
            if back.last.is_none() && self.is_parent(state, child, back.prev) {
                let veil = self.veil_for(state, back.prev, veils);
                if let Some(segment) = &mut state.memory.get_mut(child).segment
                    && let Some(back) = &mut std::rc::Rc::make_mut(segment).back
                {
                    back.prev = veil;
                }
            }
            return;
        }
        if state.memory.get(child).segment.is_some() {
            return;
        }
        let cells: Vec<(u64, u32, Term)> = state.memory.get(child).cells().collect();
        for (at, len, value) in cells {
            if 8 * len == self.pointer_bits && self.is_parent(state, child, value) {
                let veil = self.veil_for(state, value, veils);
                state.memory.get_mut(child).write(at, veil, &mut self.terms);
            }
        }
    }

    /// Whether a pointer leads to a node of the same kind that leads back.
    fn is_parent(&mut self, state: &State, child: ObjectId, pointer: Term) -> bool {
        let Target::Object(parent, _) = self.target(state, pointer) else { return false };
        let (x, y) = (state.memory.get(parent), state.memory.get(child));
        parent != child && is_node(x) && x.segment.is_none() && x.size == y.size && {
            let cells: Vec<Term> = x.cells().map(|cell| cell.2).collect();
            cells.into_iter().any(|value| {
                self.terms.width(value) == self.pointer_bits
                    && matches!(self.target(state, value),
                        Target::Object(id, _) | Target::Segment(id, Side::First, _) if id == child)
            })
        }
    }

    /// The value that stands for a pointer.
    fn veil_for(&mut self, state: &mut State, pointer: Term, veils: &mut Veils) -> Term {
        if let Some(known) = veils.iter().find(|veil| veil.0 == pointer) {
            return known.1;
        }
        let veil = self.terms.variable("outside", self.pointer_bits);
        state.path.give(veil, self.terms.evaluate(pointer, state.path.model()));
        veils.push((pointer, veil));
        veil
    }

    /// Whether a function does nothing with a parameter but store it or pass it on. Where it compares the parameter, it matters whose address
    /// that is.
    fn is_only_carried(&self, function: FuncId, register: usize) -> bool {
        let parameters = self.program.functions[function.index()].signature.params.len();
        let Some(body) = &self.program.functions[function.index()].body else { return false };
        let is = |operand: Operand| matches!(operand, Operand::Reg(own) if own.index() == register);
        register < parameters
            && body.blocks.iter().flat_map(|block| &block.insts).all(|inst| match inst {
                Inst::Store { addr, .. } => !is(*addr),
                Inst::Call(_) => true,
                _ => {
                    let mut used = false;
                    inst.for_operands(&mut |operand| used |= is(operand));
                    !used
                }
            })
    }
}
