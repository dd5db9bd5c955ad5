//! Hiding of pointers that a recursive call only carries along.
//!
//! Examples are the pointer from a child to its parent, or a parent that is passed to be stored in a child. Through
//! its parent, a node leads to the whole tree. Every call of a recursion would then have the whole tree as its
//! footprint, each time at another node. Once a function has several contexts, such pointers are hidden: the callee
//! gets an unconstrained variable instead. At the return, the pointer replaces that variable again. A callee that
//! dereferences the variable raises an alarm, so hiding only loses information.

use cairn_ir::{FuncId, Inst, Operand};
use cairn_smt::Term;

use crate::Lattice;
use crate::State;
use crate::fold::references::is_node;
use cairn_exec::allocation::Target;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;

/// Hidden pointers with the variables in their place.
type HiddenPointers = Vec<(Term, Term)>;

impl Lattice<'_> {
    /// Hides the pointers that the innermost call, which has just begun, only carries along.
    pub(crate) fn hide_carried_pointers(&mut self, state: &mut State) -> HiddenPointers {
        let mut hidden = Vec::new();
        let function = state.top().function;
        let values: Vec<(usize, Term)> =
            state.top().regs.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?))).collect();
        for (register, value) in values {
            if self.machine.terms.width(value) != self.machine.pointer_bits {
                continue;
            }
            let (Target::Object(id, _) | Target::Segment(id, Side::First, _)) = self.any_target(state, value) else {
                continue;
            };
            if !is_node(state.memory.get(id)) {
                continue;
            }
            if self.is_only_carried(function, register) {
                let variable = self.hidden_variable(state, value, &mut hidden);
                state.top_mut().regs[register] = Some(variable);
            } else {
                self.hide_parent(state, id, &mut hidden);
            }
        }
        hidden
    }

    /// Hides the pointer from a node to its parent.
    fn hide_parent(&mut self, state: &mut State, child: ObjectId, hidden: &mut HiddenPointers) {
        if let Some(back) = state.memory.get(child).segment.as_ref().and_then(|segment| segment.back) {
            if back.last.is_none() && self.is_parent(state, child, back.prev) {
                let variable = self.hidden_variable(state, back.prev, hidden);
                if let Some(segment) = &mut state.memory.get_mut(child).segment
                    && let Some(back) = &mut std::rc::Rc::make_mut(segment).back
                {
                    back.prev = variable;
                }
            }
            return;
        }
        if state.memory.get(child).segment.is_some() {
            return;
        }
        let cells: Vec<(u64, u32, Term)> = state.memory.get(child).cells().collect();
        for (at, len, value) in cells {
            if 8 * len == self.machine.pointer_bits && self.is_parent(state, child, value) {
                let variable = self.hidden_variable(state, value, hidden);
                state.memory.get_mut(child).write(at, variable, &mut self.machine.terms);
            }
        }
    }

    /// Returns whether a pointer leads to a node of the same size that points back.
    fn is_parent(&mut self, state: &State, child: ObjectId, pointer: Term) -> bool {
        let Target::Object(parent, _) = self.any_target(state, pointer) else { return false };
        let (x, y) = (state.memory.get(parent), state.memory.get(child));
        parent != child && is_node(x) && x.segment.is_none() && x.size == y.size && {
            let cells: Vec<Term> = x.cells().map(|cell| cell.2).collect();
            cells.into_iter().any(|value| {
                self.machine.terms.width(value) == self.machine.pointer_bits
                    && matches!(self.any_target(state, value),
                        Target::Object(id, _) | Target::Segment(id, Side::First, _) if id == child)
            })
        }
    }

    /// Returns the variable in the place of a hidden pointer.
    fn hidden_variable(&mut self, state: &mut State, pointer: Term, hidden: &mut HiddenPointers) -> Term {
        if let Some(known) = hidden.iter().find(|variable| variable.0 == pointer) {
            return known.1;
        }
        let variable = self.machine.terms.variable("outside", self.machine.pointer_bits);
        state.path.give(variable, self.machine.terms.evaluate(pointer, state.path.model()));
        hidden.push((pointer, variable));
        variable
    }

    /// Returns whether a function only stores a parameter or passes it on.
    ///
    /// A parameter that is compared does not qualify, because its actual address matters then.
    fn is_only_carried(&self, function: FuncId, register: usize) -> bool {
        let parameters = self.machine.program.functions[function.index()].signature.params.len();
        let Some(body) = &self.machine.program.functions[function.index()].body else { return false };
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
