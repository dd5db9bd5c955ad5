//! Optimisations of the translation.
//!
//! - A comparison whose only use is the following branch becomes one conditional jump.
//! - A pointer addition whose only use is the following access becomes part of that access.
//! - Register lifetimes that have no observable effect are dropped.

use cairn_ir::inst::{CompareOp, Local};
use cairn_ir::program::Block;
use cairn_ir::{BlockId, Checks, Inst, Loc, Operand, Reg, Terminator, Ty};

use super::Translator;
use crate::limits::LOOK_AHEAD;
use crate::translate::op::{At, Op};

/// A comparison whose only use is the following branch.
pub(crate) struct CompareBranch {
    pub op: CompareOp,
    /// The type of the operands.
    pub ty: Ty,
    pub a: At,
    pub b: At,
    /// The block to go to if the comparison holds.
    pub then: BlockId,
    /// The block to go to otherwise.
    pub other: BlockId,
    /// The location of the branch.
    pub loc: Loc,
    /// The checks of the branch.
    pub checks: Checks,
}

impl Translator<'_> {
    /// Returns whether an operand is the register, and nothing else reads it.
    pub fn only_use(&self, dst: Reg, operand: Operand) -> bool {
        operand == Operand::Reg(dst) && self.uses[dst.index()] == 1
    }

    /// Returns whether dropping an instruction has no observable effect.
    ///
    /// This holds for the start of the lifetime of a register that is assigned before it is read. It also holds for
    /// the end of a lifetime if the register holds no pointer, or if the function returns anyway.
    pub fn is_pointless(&self, block: &Block, at: usize) -> bool {
        match block.insts[at] {
            Inst::Enter(Local::Reg(reg)) => {
                for next in block.insts.iter().skip(at + 1).take(LOOK_AHEAD) {
                    let mut read = false;
                    next.for_operands(&mut |operand| read |= operand == Operand::Reg(reg));
                    if read {
                        return false;
                    }
                    if next.dst() == Some(reg) {
                        return true;
                    }
                }
                false
            }
            Inst::Leave(Local::Reg(reg)) => {
                self.ty(reg) != Ty::Ptr
                    || (matches!(block.end, Terminator::Return(_))
                        && block.insts[at..].iter().all(|inst| matches!(inst, Inst::Leave(_))))
            }
            _ => false,
        }
    }

    /// Fuses a pointer addition with the following access; returns whether it did.
    pub fn access_at(&mut self, first: &Inst, second: &Inst, loc: Loc) -> Result<bool, String> {
        let Inst::PtrAdd { dst: sum, base, index, scale } = first else { return Ok(false) };
        let word = self.word();
        if let Operand::Int(index) = *index {
            let Some(bytes) = index.checked_mul(*scale) else { return Ok(false) };
            match second {
                Inst::Load { dst, ty, addr, offset, checks } if self.only_use(*sum, *addr) => {
                    let Some(offset) = offset.checked_add(bytes) else { return Ok(false) };
                    self.load(*dst, *ty, *base, offset, loc, *checks)?;
                }
                Inst::Store { ty, addr, offset, src, checks }
                    if self.only_use(*sum, *addr) && *src != Operand::Reg(*sum) =>
                {
                    let Some(offset) = offset.checked_add(bytes) else { return Ok(false) };
                    self.store(*ty, *base, offset, *src, loc, *checks)?;
                }
                _ => return Ok(false),
            }
            return Ok(true);
        }
        let Ok(scale) = u16::try_from(*scale) else { return Ok(false) };
        match second {
            Inst::Load { dst, ty, addr, offset: 0, checks } if self.only_use(*sum, *addr) => {
                let (dst, base, index) = (self.reg(*dst), self.operand(*base, Ty::Ptr)?, self.operand(*index, word)?);
                let op = match ty {
                    Ty::I8 => Op::Load8At { scale, dst, base, index },
                    Ty::I32 | Ty::F32 => Op::Load32At { scale, dst, base, index },
                    Ty::I64 | Ty::F64 => Op::Load64At { scale, dst, base, index },
                    Ty::Ptr if word == Ty::I32 => Op::LoadPtr32At { scale, dst, base, index },
                    Ty::Ptr => Op::LoadPtr64At { scale, dst, base, index },
                    _ => return Ok(false),
                };
                self.emit(op, loc, *checks);
            }
            Inst::Store { ty, addr, offset: 0, src, checks } if self.only_use(*sum, *addr) => {
                let (base, index) = (self.operand(*base, Ty::Ptr)?, self.operand(*index, word)?);
                let src = self.operand(*src, *ty)?;
                let op = match ty {
                    Ty::I8 => Op::Store8At { scale, src, base, index },
                    Ty::I32 | Ty::F32 => Op::Store32At { scale, src, base, index },
                    Ty::I64 | Ty::F64 => Op::Store64At { scale, src, base, index },
                    _ => return Ok(false),
                };
                self.emit(op, loc, *checks);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Translates a comparison and the following branch to one conditional jump.
    ///
    /// `index` is the number of the block that ends with the branch.
    pub fn compare_branch(&mut self, compare: CompareBranch, index: usize) {
        let CompareBranch { op, ty, a, b, then, other, loc, checks } = compare;
        let shift = (64 - ty.bits(self.program.target).min(64)) as u8;
        let next = index + 1;
        let jump = |op, a, b, to: BlockId| match op {
            CompareOp::Eq => Op::JumpEq { a, b, to: to.0 },
            CompareOp::Ne => Op::JumpNe { a, b, to: to.0 },
            CompareOp::ULt => Op::JumpULt { a, b, to: to.0 },
            CompareOp::ULe => Op::JumpULe { a, b, to: to.0 },
            CompareOp::SLt => Op::JumpSLt { shift, a, b, to: to.0 },
            _ => Op::JumpSLe { shift, a, b, to: to.0 },
        };
        if then.index() == next {
            let inverse = match op {
                CompareOp::Eq => jump(CompareOp::Ne, a, b, other),
                CompareOp::Ne => jump(CompareOp::Eq, a, b, other),
                CompareOp::ULt => jump(CompareOp::ULe, b, a, other),
                CompareOp::ULe => jump(CompareOp::ULt, b, a, other),
                CompareOp::SLt => jump(CompareOp::SLe, b, a, other),
                _ => jump(CompareOp::SLt, b, a, other),
            };
            self.jump(inverse, loc, checks);
            return;
        }
        self.jump(jump(op, a, b, then), loc, checks);
        if other.index() != next {
            self.jump(Op::Jump { to: other.0 }, loc, Checks::NONE);
        }
    }
}
