//! Addresses in an execution that stands for all others: only the object and the offset of a pointer are known.
//!
//! Another execution may place objects elsewhere, and may place a new object where a dead one was. A result that depends on that is
//! uninitialised.

use cairn_ir::Ty;
use cairn_ir::inst::CompareOp;

use crate::arithmetic;
use crate::arithmetic::definedness::{self, Scalar};
use crate::arithmetic::value::Value;
use crate::limits::NO_OBJECT_BELOW;
use crate::run::machine::Machine;
use crate::translate::op::At;
use cairn_memory::{End, ObjectKind};

impl Machine<'_> {
    /// Compares two pointers.
    pub fn compare_pointers(&mut self, op: CompareOp, dst: At, a: At, b: At) {
        let width = self.program.target.pointer_bits();
        let (left, right) = (self.get(a), self.get(b));
        let result = if left.is_undefined() || right.is_undefined() {
            let (a, b) = (self.read_scalar(a, Ty::Ptr), self.read_scalar(b, Ty::Ptr));
            definedness::compare(op, Ty::I64, width, a, b)
        } else if self.same_object(left, right) {
            Scalar::defined(arithmetic::compare(op, Ty::I64, width, left.bits.into(), right.bits.into()).into())
        } else if matches!(op, CompareOp::Eq | CompareOp::Ne) && self.surely_differ(left, right) {
            Scalar::defined((op == CompareOp::Ne).into())
        } else {
            Scalar::unset(1)
        };
        self.write_scalar(dst, Ty::I1, result);
    }

    /// Computes the distance of two pointers.
    pub fn subtract_pointers(&mut self, dst: At, a: At, b: At) {
        let (left, right) = (self.get(a), self.get(b));
        let width = self.program.target.pointer_bits();
        let is_known = !left.is_undefined() && !right.is_undefined() && self.same_object(left, right);
        let distance = arithmetic::truncate(left.bits.wrapping_sub(right.bits).into(), width) as u64;
        self.set(dst, if is_known { Value::int(distance) } else { Value::unset(width) });
    }

    /// Converts a pointer to a number.
    pub fn number_of_pointer(&mut self, dst: At, src: At) {
        let pointer = self.get(src);
        let width = self.program.target.pointer_bits();
        self.set(dst, if pointer.object() != 0 { Value::unset(width) } else { pointer });
    }

    /// Returns whether two pointers belong to the same lifetime of an object, or are both numbers.
    fn same_object(&self, a: Value, b: Value) -> bool {
        let (a, b) = (a.pointer(), b.pointer());
        a.object == b.object && a.life == b.life
    }

    /// Returns whether two pointers of different objects differ in every execution.
    fn surely_differ(&self, a: Value, b: Value) -> bool {
        match (a.object(), b.object()) {
            (0, _) => self.is_no_address(a.bits),
            (_, 0) => self.is_no_address(b.bits),
            // Two lifetimes of one entry of the table: one of them has ended.
            (one, other) => one != other && self.is_inside(a) && self.is_inside(b) && !self.may_be_merged(a, b),
        }
    }

    /// Returns whether a number is too small or too large to be the address of an object.
    fn is_no_address(&self, bits: u64) -> bool {
        let width = self.program.target.pointer_bits();
        bits < NO_OBJECT_BELOW || arithmetic::truncate(u128::from(bits.wrapping_neg()), width) < NO_OBJECT_BELOW.into()
    }

    /// Returns whether a pointer points into a live object, and not to its end.
    fn is_inside(&self, pointer: Value) -> bool {
        let pointer = pointer.pointer();
        self.memory.info(pointer.object, pointer.life).is_some_and(|info| {
            let shape = info.shape;
            shape.end == End::Live && pointer.address.wrapping_sub(shape.base) < shape.size
        })
    }

    /// Returns whether two objects may be one, because nothing can be written to them.
    fn may_be_merged(&self, a: Value, b: Value) -> bool {
        let is_constant = |value: Value| {
            let pointer = value.pointer();
            let shape = self.memory.info(pointer.object, pointer.life).map(|info| info.shape);
            shape.is_some_and(|shape| shape.constant && shape.kind == ObjectKind::Static)
        };
        is_constant(a) && is_constant(b)
    }
}
