//! Facts that no type declares and on which a fault may depend: the number of nodes behind a link, and the numbers in nodes.
//!
//! A stack with pointers to its begin, end and top relies on both, and so does an array with a member that counts its elements. An
//! execution on a graph that violates such a fact shows nothing about the function.

use cairn_ir::inst::Inst;
use cairn_ir::{Body, Operand, Reg, Terminator, Ty};

/// Returns whether the code on a line computes an address by such a fact; on any line, without a line.
///
/// `sizes` are the sizes of nodes: a step of such a size from a link leads to the next node of an array.
pub(super) fn relies_on_open_facts(body: &Body, line: Option<u32>, sizes: &[u64]) -> bool {
    body.blocks.iter().any(|block| {
        let insts = block.insts.iter().zip(&block.locs);
        let mut here = insts.filter(|(_, loc)| line.is_none_or(|line| loc.line == line));
        here.any(|(inst, _)| match *inst {
            Inst::PtrAdd { dst, base, index, scale } => {
                let is_size =
                    |bytes: i64| bytes != 0 && sizes.iter().any(|&size| bytes.unsigned_abs().is_multiple_of(size));
                let steps = match index {
                    // The address of a member may be as far away, but is no link.
                    Operand::Int(index) => is_size(index.wrapping_mul(scale)) && is_stored(body, dst),
                    _ => is_size(scale),
                };
                (steps && is_link(body, base)) || is_number_of_node(body, index)
            }
            _ => false,
        })
    })
}

/// Returns whether a value is stored or returned.
fn is_stored(body: &Body, value: Reg) -> bool {
    let value = Operand::Reg(value);
    body.blocks.iter().any(|block| {
        let is_store = |inst: &Inst| match inst {
            Inst::Store { src, .. } | Inst::Move { src, .. } => *src == value,
            _ => false,
        };
        block.end == Terminator::Return(Some(value)) || block.insts.iter().any(is_store)
    })
}

/// Returns whether a pointer is a link itself, not the address of a member: it was read from memory or passed.
fn is_link(body: &Body, pointer: Operand) -> bool {
    let Operand::Reg(reg) = pointer else { return false };
    sources(body, reg).into_iter().any(|source| matches!(source, Source::Loaded(Ty::Ptr) | Source::Other))
}

/// Returns whether a number was read from a node.
fn is_number_of_node(body: &Body, number: Operand) -> bool {
    let Operand::Reg(reg) = number else { return false };
    sources(body, reg).into_iter().any(|source| matches!(source, Source::Loaded(ty) if ty.is_int()))
}

/// The origin of a value in a register.
enum Source {
    /// Memory that is no variable.
    Loaded(Ty),
    /// An argument, or the result of a call.
    Other,
}

/// Returns the origins of the values that a register is computed from, whatever the path.
fn sources(body: &Body, reg: Reg) -> Vec<Source> {
    let mut found = Vec::new();
    let mut seen = vec![false; body.regs.len()];
    let mut waiting = vec![reg];
    while let Some(reg) = waiting.pop() {
        if std::mem::replace(&mut seen[reg.index()], true) {
            continue;
        }
        let mut is_set = false;
        for inst in body.blocks.iter().flat_map(|block| &block.insts).filter(|inst| inst.dst() == Some(reg)) {
            is_set = true;
            match inst {
                Inst::Load { addr: Operand::Slot(_), .. } => {}
                Inst::Load { ty, .. } => found.push(Source::Loaded(*ty)),
                // The address of a member is no link, and its base says nothing about it.
                Inst::PtrAdd { .. } => {}
                Inst::Call(_) => found.push(Source::Other),
                other => other.for_operands(&mut |operand| {
                    if let Operand::Reg(next) = operand {
                        waiting.push(next);
                    }
                }),
            }
        }
        if !is_set {
            found.push(Source::Other);
        }
    }
    found
}
