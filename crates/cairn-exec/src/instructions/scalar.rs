//! Operations on scalars whose result may depend on the targets of pointers.

use cairn_ir::inst::MathFn;
use cairn_ir::{CompareOp, ConvertOp, Reg, Ty};
use cairn_smt::Term;

use crate::allocation::Target;
use crate::memory::access::Undecided;
use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::scalar::float_terms;

impl<M: Mode> Machine<'_, M> {
    /// Applies a function of `math.h`; `None` if nothing is known about the result.
    pub(crate) fn math(
        &mut self,
        function: MathFn,
        state: &State<M>,
        dst: Option<Reg>,
        values: &[Term],
    ) -> Option<Term> {
        let ty = self.reg_ty(state, dst?);
        float_terms::math(&mut self.terms, function, ty, self.program.target, values)
    }

    pub(crate) fn compare(
        &mut self,
        state: &mut State<M>,
        op: CompareOp,
        ty: Ty,
        a: Term,
        b: Term,
    ) -> Result<Term, Undecided> {
        if ty.is_float() {
            return Ok(float_terms::compare(&mut self.terms, op, ty, a, b));
        }
        let addresses = self.terms.width(a) == self.pointer_bits;
        Ok(match op {
            CompareOp::Eq | CompareOp::Ne => {
                let equal = if addresses { self.pointers_equal(state, a, b)? } else { self.terms.eq(a, b) };
                if op == CompareOp::Eq { equal } else { self.terms.not(equal) }
            }
            CompareOp::ULt | CompareOp::ULe if addresses => {
                let (mut a, mut b) = (a, b);
                // Within one object, pointers are ordered like their offsets, as long as these do not wrap.
                if let (Target::Object(p, x), Target::Object(q, y)) = (self.target(state, a), self.target(state, b))
                    && p == q
                    && self.is_near(state, p, x)
                    && self.is_near(state, p, y)
                {
                    let half = self.terms.constant(1 << (self.pointer_bits - 1), self.pointer_bits);
                    a = self.terms.add(x, half);
                    b = self.terms.add(y, half);
                }
                if op == CompareOp::ULt { self.terms.ult(a, b) } else { self.terms.ule(a, b) }
            }
            CompareOp::SLt => self.terms.slt(a, b),
            CompareOp::SLe => self.terms.sle(a, b),
            CompareOp::ULt => self.terms.ult(a, b),
            CompareOp::ULe => self.terms.ule(a, b),
            _ => self.terms.variable("float", 1),
        })
    }

    pub(crate) fn convert(&mut self, op: ConvertOp, from: Ty, to: Ty, value: Term) -> Term {
        let width = to.bits(self.program.target);
        match op {
            ConvertOp::Trunc => self.terms.extract(value, 0, width),
            ConvertOp::ZExt => self.terms.zext(value, width),
            ConvertOp::SExt => self.terms.sext(value, width),
            ConvertOp::PtrToInt | ConvertOp::IntToPtr => value,
            _ => float_terms::convert(&mut self.terms, op, from, to, self.program.target, value),
        }
    }
}
