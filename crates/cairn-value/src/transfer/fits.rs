//! Requirements on the operands of integer operations: overflow of signed arithmetic, and amounts of shifts.

use cairn_ir::inst::FitsOp;
use cairn_ir::{CheckKind, Checks, Operand, Ty};

use crate::analysis::Analysis;
use crate::analysis::state::State;
use crate::domain::number::{Num, signed};
use crate::domain::value::Value;

/// How far a condition is followed back.
const DEPTH: u32 = 8;

/// The bounds of a number.
type Bounds = (i128, i128);

impl Analysis<'_> {
    /// Checks that the result of an operation fits its type. Returns whether that is possible.
    pub(super) fn require_result(
        &mut self,
        state: &mut State,
        op: FitsOp,
        ty: Ty,
        (lhs, rhs): (Operand, Operand),
        checks: Checks,
    ) -> bool {
        let (a, b) = (self.operand(state, lhs, ty), self.operand(state, rhs, ty));
        let width = self.width(ty);
        let number = |value: &Value| value.plain().filter(|_| width <= 64 && !value.may_be_uninit());
        let (Some(x), Some(y)) = (number(&a), number(&b)) else {
            self.alarm(checks, CheckKind::Overflow);
            return true;
        };
        if always_fits(op, x, y, width) {
            return true;
        }
        self.alarm(checks, CheckKind::Overflow);
        let (left, right) = fitting(op, bounds(x, width), bounds(y, width), width);
        [(lhs, x, a, left), (rhs, y, b, right)].into_iter().all(|(operand, old, value, (low, high))| {
            let ((Ok(low), Ok(high)), Operand::Reg(reg)) = ((i64::try_from(low), i64::try_from(high)), operand) else {
                return true;
            };
            if low > high {
                return false;
            }
            let Some(num) = old.meet(Num::between_signed(low, high, width), width) else { return false };
            num == old || self.refine(state, reg, Value { num: Some(num), ..value }, DEPTH)
        })
    }
}

/// Returns the signed bounds of a number.
fn bounds(num: Num, width: u32) -> Bounds {
    let (low, high) = num.signed(width);
    (low.into(), high.into())
}

/// Returns the bounds of a type.
fn of_type(width: u32) -> Bounds {
    let greatest = i128::from(signed((1 << (width - 1)) - 1, width));
    (-greatest - 1, greatest)
}

/// Returns whether an operation fits its type for all values of its operands.
fn always_fits(op: FitsOp, x: Num, y: Num, width: u32) -> bool {
    let ((a, b), (c, d)) = (bounds(x, width), bounds(y, width));
    let (least, greatest) = of_type(width);
    match op {
        FitsOp::Below => x.unsigned(width).1 < y.unsigned(width).0,
        FitsOp::Div => a > least || !(c..=d).contains(&-1),
        FitsOp::Shl => a >= 0 && c >= 0 && d < width.into() && b <= greatest >> d,
        FitsOp::Add => a + c >= least && b + d <= greatest,
        FitsOp::Sub => a - d >= least && b - c <= greatest,
        FitsOp::Mul => [a * c, a * d, b * c, b * d].iter().all(|product| (least..=greatest).contains(product)),
    }
}

/// Returns bounds of the operands in executions in which an operation fits its type.
fn fitting(op: FitsOp, (a, b): Bounds, (c, d): Bounds, width: u32) -> (Bounds, Bounds) {
    let (least, greatest) = of_type(width);
    match op {
        FitsOp::Add => {
            let left = (a.max(least - d), b.min(greatest - c));
            (left, (c.max(least - b), d.min(greatest - a)))
        }
        FitsOp::Sub => {
            let left = (a.max(least + c), b.min(greatest + d));
            (left, (c.max(a - greatest), d.min(b - least)))
        }
        FitsOp::Shl => ((a.max(0), b), (c.max(0), d.min(i128::from(width) - 1))),
        FitsOp::Mul if c == d && c > 0 => ((a.max(least / c), b.min(greatest / c)), (c, d)),
        FitsOp::Mul if a == b && a > 0 => ((a, b), (c.max(least / a), d.min(greatest / a))),
        FitsOp::Mul | FitsOp::Div | FitsOp::Below => ((a, b), (c, d)),
    }
}
