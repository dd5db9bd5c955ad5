//! Loops that count: their iterations are executed one by one as long as the loop condition is known.

use cairn_ir::{Block, Body, Inst, Operand, Reg, Terminator, Ty};

use super::super::state::{State, Value};
use super::Execution;
use super::paths::LoopBody;

impl<'p> Execution<'_, 'p> {
    /// Returns whether the next iteration of a loop is executed as it stands, because its condition is known here.
    pub(super) fn unrolls(&mut self, state: &State, head: usize) -> bool {
        let Some(body) = self.context.body(state.frame().function) else { return false };
        let Terminator::Branch { cond: Operand::Reg(cond), .. } = body.blocks[head].end else { return false };
        let kind = kind_of(body, head);
        if !self.paths.may_unroll(kind) {
            return false;
        }
        let is_decided = self.is_decided(state, body, head, cond);
        if is_decided {
            self.paths.note_unrolled(kind);
        }
        is_decided
    }

    /// Returns whether the condition of a loop head is known there: it compares a counter with its bound.
    fn is_decided(&mut self, state: &State, body: &'p Body, head: usize, cond: Reg) -> bool {
        let mut ahead = None;
        for inst in &body.blocks[head].insts {
            match inst {
                Inst::Compare { ty, dst, lhs, rhs, .. } if *dst == cond => {
                    let counts = |operand: &Operand| match operand {
                        Operand::Int(_) => true,
                        Operand::Reg(reg) => counts(body, head, *reg),
                        _ => false,
                    };
                    let steps = |operand: &Operand| *ty != Ty::Ptr || is_stepped(body, head, *operand);
                    if ![lhs, rhs].into_iter().all(counts) || ![lhs, rhs].into_iter().any(steps) {
                        return false;
                    }
                    let mut at = ahead.unwrap_or_else(|| state.clone());
                    return match (self.operand(&mut at, *lhs), self.operand(&mut at, *rhs)) {
                        (Value::Term(lhs), Value::Term(rhs)) => self.solver.difference(lhs, rhs).is_some(),
                        _ => false,
                    };
                }
                Inst::Move { .. } | Inst::Convert { .. } | Inst::Binary { .. } | Inst::PtrAdd { .. } => {
                    let at = ahead.get_or_insert_with(|| state.clone());
                    if self.instruction(at, inst, body.blocks[head].end_loc).is_err() {
                        return false;
                    }
                }
                other => {
                    if let Some(dst) = other.dst() {
                        ahead.get_or_insert_with(|| state.clone()).set_reg(dst, Value::Unknown);
                    }
                }
            }
        }
        false
    }
}

/// Returns whether the condition of a loop compares a counter with a constant.
pub(crate) fn counts_to_a_constant(body: &Body, head: usize) -> bool {
    let block = &body.blocks[head];
    let Terminator::Branch { cond: Operand::Reg(cond), .. } = block.end else { return false };
    block.insts.iter().any(|inst| match inst {
        Inst::Compare { dst, lhs: Operand::Reg(reg), rhs: Operand::Int(_), .. } if *dst == cond => {
            counts(body, head, *reg)
        }
        _ => false,
    })
}

/// Returns the blocks of a loop.
///
/// Blocks are in reverse postorder, so a loop ends with the last block that jumps to its head.
fn blocks_of(body: &Body, head: usize) -> &[Block] {
    let mut last = head;
    for (number, block) in body.blocks.iter().enumerate().skip(head) {
        block.end.for_successors(&mut |next| last = if next.index() == head { number } else { last });
    }
    &body.blocks[head..=last]
}

/// Returns whether a pointer goes from element to element in a loop.
fn is_stepped(body: &Body, head: usize, pointer: Operand) -> bool {
    let mut insts = blocks_of(body, head).iter().flat_map(|block| &block.insts);
    matches!(pointer, Operand::Reg(_))
        && insts.any(|inst| matches!(inst, Inst::PtrAdd { base, .. } if *base == pointer))
}

/// Returns whether a loop has calls, or branches other than its condition.
fn kind_of(body: &Body, head: usize) -> LoopBody {
    let blocks = blocks_of(body, head);
    let mut insts = blocks.iter().flat_map(|block| &block.insts);
    let is_straight = blocks[1..].iter().all(|block| matches!(block.end, Terminator::Jump(_)))
        && !insts.any(|inst| matches!(inst, Inst::Call(_)));
    if is_straight { LoopBody::Straight } else { LoopBody::Branching }
}

/// Returns whether a register has at most one assignment in a loop, which computes its value.
///
/// A value that was read from memory in the last iteration says nothing about this one.
fn counts(body: &Body, head: usize, reg: Reg) -> bool {
    let insts = blocks_of(body, head).iter().flat_map(|block| &block.insts);
    let mut assignments = insts.filter(|inst| inst.dst() == Some(reg));
    let computed = |inst: &Inst| {
        matches!(inst, Inst::Move { .. } | Inst::Convert { .. } | Inst::Binary { .. } | Inst::PtrAdd { .. })
    };
    assignments.next().is_none_or(computed) && assignments.next().is_none()
}
