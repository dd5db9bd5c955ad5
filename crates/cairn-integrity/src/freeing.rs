//! Parameters that a function may free, directly or through the functions that it calls.
//!
//! A call is taken by contract, and the contract of graphs says nothing about lifetimes. So that a caller is not called safe although it
//! uses a node that its callee has freed, the arguments of freeing parameters count as freed after the call.

use cairn_ir::program::Param;
use cairn_ir::{Body, Callee, FuncId, Inst, Intrinsic, Operand, Program, Reg};

use super::allocators::{Deallocator, deallocator};

/// Returns, for each function, the positions of the parameters that it may free.
///
/// The analysis follows copies between registers and ignores the order of instructions.
pub(super) fn freed_parameters(program: &Program, named: &[Deallocator]) -> Vec<Vec<usize>> {
    let mut freed: Vec<Vec<usize>> = (0..program.functions.len())
        .map(|id| deallocator(program, named, FuncId::new(id)).into_iter().collect())
        .collect();
    loop {
        let mut changed = false;
        for (index, function) in program.functions.iter().enumerate() {
            let Some(body) = &function.body else { continue };
            let found = freed_in(body, &freed);
            if found.iter().any(|position| !freed[index].contains(position)) {
                freed[index] = found;
                changed = true;
            }
        }
        if !changed {
            return freed;
        }
    }
}

/// Returns the positions of the parameters that a body may free.
fn freed_in(body: &Body, freed: &[Vec<usize>]) -> Vec<usize> {
    // The registers that may be freed, found backwards through copies.
    let mut marked = vec![false; body.regs.len()];
    let mark = |operand: Operand, marked: &mut [bool]| match operand {
        Operand::Reg(reg) => !std::mem::replace(&mut marked[reg.index()], true),
        _ => false,
    };
    let mut slots = vec![false; body.slots.len()];
    loop {
        let mut changed = false;
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            match inst {
                Inst::Call(call) => {
                    let Callee::Function(id) = call.callee else { continue };
                    for &position in &freed[id.index()] {
                        if let Some(arg) = call.args.get(position) {
                            changed |= mark(arg.value, &mut marked);
                        }
                    }
                }
                Inst::Intrinsic { op, args, .. } if frees(op) => {
                    if let Some(&pointer) = args.first() {
                        changed |= mark(pointer, &mut marked);
                    }
                }
                Inst::Move { dst, src, .. } if marked[dst.index()] => changed |= mark(*src, &mut marked),
                Inst::Convert { dst, src, .. } if marked[dst.index()] => changed |= mark(*src, &mut marked),
                // A parameter whose address is taken lives in a slot.
                Inst::Load { dst, addr: Operand::Slot(slot), .. } if marked[dst.index()] => {
                    changed |= !std::mem::replace(&mut slots[slot.index()], true);
                }
                Inst::Store { src, addr: Operand::Slot(slot), .. } if slots[slot.index()] => {
                    changed |= mark(*src, &mut marked);
                }
                _ => {}
            }
        }
        if !changed {
            break;
        }
    }
    let is_marked = |reg: Reg| marked[reg.index()];
    let positions = body.params.iter().enumerate();
    positions
        .filter(|(_, param)| matches!(**param, Param::Reg(reg) if is_marked(reg)))
        .map(|(index, _)| index)
        .collect()
}

/// Returns whether a body may free memory.
pub(super) fn frees_memory(body: &Body, freed: &[Vec<usize>]) -> bool {
    body.blocks.iter().flat_map(|block| &block.insts).any(|inst| match inst {
        Inst::Call(call) => matches!(call.callee, Callee::Function(id) if !freed[id.index()].is_empty()),
        Inst::Intrinsic { op, .. } => frees(op),
        _ => false,
    })
}

/// Returns whether an intrinsic frees its first argument.
fn frees(op: &Intrinsic) -> bool {
    matches!(op, Intrinsic::HeapFree | Intrinsic::HeapRealloc)
}
