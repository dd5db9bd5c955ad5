//! Choices of the translation that need no state: fast operations and switch tables.

use cairn_ir::inst::BinaryOp;
use cairn_ir::{Operand, Ty};

use crate::limits::DENSE_SPAN;
use crate::translate::op::{At, Op, SwitchTable};

/// Counts a use of a register.
pub(crate) fn count(uses: &mut [u32], operand: Operand) {
    if let Operand::Reg(reg) = operand
        && let Some(uses) = uses.get_mut(reg.index())
    {
        *uses += 1;
    }
}

/// Returns a constant of a switch as a number.
pub(crate) fn extend(value: i64, bits: u32, signed: bool) -> i128 {
    let value = i128::from(value);
    if signed || bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

pub(crate) fn switch_table(bits: u32, signed: bool, mut ranges: Vec<(i128, i128, u32)>, default: u32) -> SwitchTable {
    ranges.retain(|r| r.0 <= r.1);
    ranges.sort_unstable();
    let low = ranges.first().map_or(0, |r| r.0);
    let high = ranges.last().map_or(-1, |r| r.1);
    let span = high.saturating_sub(low).saturating_add(1);
    let mut dense = Vec::new();
    if span > 0 && span <= DENSE_SPAN.saturating_mul(ranges.len() as i128 + 1) {
        dense = vec![default; span as usize];
        for &(from, to, target) in &ranges {
            for value in from..=to {
                if let Some(entry) = dense.get_mut((value - low) as usize) {
                    *entry = target;
                }
            }
        }
    }
    let (ranges, dense) = (ranges.into_boxed_slice(), dense.into_boxed_slice());
    SwitchTable { bits, signed, ranges, dense, dense_low: low, default }
}

pub(crate) fn fast_binary(op: BinaryOp, ty: Ty, dst: At, a: At, b: At) -> Option<Op> {
    Some(match (op, ty) {
        (_, Ty::I128 | Ty::F16 | Ty::F80 | Ty::F128) => return None,
        (BinaryOp::And, _) => Op::And { dst, a, b },
        (BinaryOp::Or, _) => Op::Or { dst, a, b },
        (BinaryOp::Xor, _) => Op::Xor { dst, a, b },
        (BinaryOp::Add, Ty::I32) => Op::Add32 { dst, a, b },
        (BinaryOp::Sub, Ty::I32) => Op::Sub32 { dst, a, b },
        (BinaryOp::Mul, Ty::I32) => Op::Mul32 { dst, a, b },
        (BinaryOp::Shl, Ty::I32) => Op::Shl32 { dst, a, b },
        (BinaryOp::LShr, Ty::I32) => Op::LShr32 { dst, a, b },
        (BinaryOp::AShr, Ty::I32) => Op::AShr32 { dst, a, b },
        (BinaryOp::Add, Ty::I64) => Op::Add64 { dst, a, b },
        (BinaryOp::Sub, Ty::I64) => Op::Sub64 { dst, a, b },
        (BinaryOp::Mul, Ty::I64) => Op::Mul64 { dst, a, b },
        (BinaryOp::Shl, Ty::I64) => Op::Shl64 { dst, a, b },
        (BinaryOp::LShr, Ty::I64) => Op::LShr64 { dst, a, b },
        (BinaryOp::AShr, Ty::I64) => Op::AShr64 { dst, a, b },
        (BinaryOp::Add, Ty::F64) => Op::AddF64 { dst, a, b },
        (BinaryOp::Sub, Ty::F64) => Op::SubF64 { dst, a, b },
        (BinaryOp::Mul, Ty::F64) => Op::MulF64 { dst, a, b },
        (BinaryOp::FDiv, Ty::F64) => Op::DivF64 { dst, a, b },
        (BinaryOp::Add, Ty::F32) => Op::AddF32 { dst, a, b },
        (BinaryOp::Sub, Ty::F32) => Op::SubF32 { dst, a, b },
        (BinaryOp::Mul, Ty::F32) => Op::MulF32 { dst, a, b },
        (BinaryOp::FDiv, Ty::F32) => Op::DivF32 { dst, a, b },
        _ => return None,
    })
}
