//! Arithmetic on terms: exact where the path allows it, bounds otherwise.

use cairn_ir::inst::DivideOp;
use cairn_ir::layout::Target;
use cairn_ir::{BinaryOp, CompareOp, ConvertOp, Ty};
use cairn_rules::{Lit, Term};

use super::super::limits::NULL_PAGE;
use super::super::solver::PathSolver;
use super::super::state::Value;
use super::super::types::Demands;

/// Operations on values. They depend on the path, and show facts about the cells that values were read from.
pub(super) struct ValueOps<'a, 'c, 'p> {
    pub(super) solver: &'a mut PathSolver<'c, 'p>,
    pub(super) demands: &'a mut Demands,
    pub(super) target: Target,
}

impl<'a, 'c, 'p> ValueOps<'a, 'c, 'p> {
    pub fn new(solver: &'a mut PathSolver<'c, 'p>, demands: &'a mut Demands, target: Target) -> Self {
        Self { solver, demands, target }
    }

    fn is_refuted(&mut self, lit: Lit) -> bool {
        self.solver.is_refuted(&[lit])
    }

    /// Returns whether a term is certainly not negative.
    fn is_nonnegative(&mut self, term: Term) -> bool {
        let negative = !self.solver.at_most(Term::constant(0), term);
        self.is_refuted(negative)
    }

    /// Computes a binary operation on integers.
    pub fn binary(&mut self, op: BinaryOp, ty: Ty, lhs: Term, rhs: Term) -> Value {
        let constants = (self.solver.constant(lhs), self.solver.constant(rhs));
        let bits = ty.bits(self.target);
        if let (Some(a), Some(b)) = constants {
            return fold(op, bits, a, b).map_or(Value::Unknown, Value::constant);
        }
        let step = match (op, constants) {
            (BinaryOp::Add, (_, Some(b))) => Some((lhs, b)),
            (BinaryOp::Add, (Some(a), _)) => Some((rhs, a)),
            (BinaryOp::Sub, (_, Some(b))) => Some((lhs, b.wrapping_neg())),
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, (_, Some(mask))) => return self.mask(op, lhs, mask),
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, (Some(mask), _)) => return self.mask(op, rhs, mask),
            _ => None,
        };
        match step {
            Some((term, step)) => self.add(term, step, bits),
            None => self.with_tag(op, lhs, rhs).unwrap_or(Value::Unknown),
        }
    }

    fn add(&mut self, term: Term, step: i64, bits: u32) -> Value {
        if self.solver.is_address(term) {
            // Addresses of nodes are far from where a sum wraps around.
            return if step.abs() < NULL_PAGE { Value::Term(term + step) } else { Value::Unknown };
        }
        let limit = if bits >= 63 { i64::MAX / 4 } else { (1 << (bits - 1)) - 1 };
        let wraps = if step >= 0 {
            !self.solver.at_most(term, Term::constant(limit.saturating_sub(step)))
        } else {
            !self.solver.at_most(Term::constant((-limit).saturating_sub(step)), term)
        };
        if self.is_refuted(wraps) { Value::Term(term + step) } else { Value::Unknown }
    }

    /// Compares two integers or addresses.
    pub fn compare(&mut self, op: CompareOp, ty: Ty, a: Term, b: Term) -> Value {
        if ty == Ty::Ptr
            && let (false, Some(difference)) =
                (matches!(op, CompareOp::Eq | CompareOp::Ne), self.solver.difference(a, b))
        {
            // Addresses in one object are in the order of their offsets.
            let holds = match op {
                CompareOp::ULt | CompareOp::SLt => difference < 0,
                _ => difference <= 0,
            };
            return Value::Test(if holds { Lit::TRUE } else { Lit::FALSE });
        }
        Value::Test(match op {
            CompareOp::Eq => self.solver.equal(a, b),
            CompareOp::Ne => !self.solver.equal(a, b),
            CompareOp::SLt => self.solver.at_most(a + 1, b),
            CompareOp::SLe => self.solver.at_most(a, b),
            CompareOp::ULt | CompareOp::ULe if ty != Ty::Ptr => {
                // Signed and unsigned order agree where no sign is set.
                let signs = [a, b].map(|term| !self.solver.at_most(Term::constant(0), term));
                let signed = signs.into_iter().all(|sign| self.is_refuted(sign));
                let below = self.solver.theory().below();
                match (op, signed) {
                    (CompareOp::ULt, true) => self.solver.at_most(a + 1, b),
                    (_, true) => self.solver.at_most(a, b),
                    (CompareOp::ULt, false) => self.solver.constraint(below, &[a, b]),
                    (_, false) => !self.solver.constraint(below, &[b, a]),
                }
            }
            _ => return Value::Unknown,
        })
    }

    /// Converts a value. Returns `None` for an unknown value that the conversion keeps.
    pub fn convert(&mut self, op: ConvertOp, to: Ty, value: Value) -> Option<Value> {
        Some(match (op, value) {
            (ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::SExt, Value::Term(_)) => value,
            (ConvertOp::SExt, Value::Unknown) => return None,
            (ConvertOp::ZExt, Value::Test(_)) => value,
            (ConvertOp::ZExt, Value::Term(term)) => {
                if self.is_nonnegative(term) {
                    value
                } else {
                    Value::Unknown
                }
            }
            (ConvertOp::Trunc, Value::Term(term)) => match self.solver.constant(term) {
                Some(constant) => {
                    let bits = to.bits(self.target);
                    Value::constant((constant << (64 - bits)) >> (64 - bits))
                }
                None if self.solver.is_address(term) => Value::Unknown,
                None => {
                    let most = (1_i64 << (to.bits(self.target).min(63) - 1)) - 1;
                    let small = self.solver.at_most(term, Term::constant(most));
                    let large = self.solver.at_most(Term::constant(-most - 1), term);
                    if self.is_refuted(!small) && self.is_refuted(!large) { value } else { Value::Unknown }
                }
            },
            _ => Value::Unknown,
        })
    }

    fn between(&mut self, low: i64, high: i64) -> Value {
        Value::Term(self.solver.between(low, high))
    }

    /// Returns an integer with the bounds that a conversion implies.
    pub fn bounds_after_conversion(&mut self, op: ConvertOp, from: Ty, to: Ty) -> Value {
        let bits = |ty: Ty| ty.bits(self.target);
        match op {
            ConvertOp::ZExt if from.is_int() && bits(from) <= 32 => self.between(0, (1 << bits(from)) - 1),
            ConvertOp::SExt if from.is_int() && bits(from) <= 32 => {
                self.between(-1 << (bits(from) - 1), (1 << (bits(from) - 1)) - 1)
            }
            ConvertOp::Trunc if (8..=16).contains(&bits(to)) => {
                self.between(-1 << (bits(to) - 1), (1 << (bits(to) - 1)) - 1)
            }
            _ => Value::Unknown,
        }
    }

    /// Returns an integer with the bounds that a mask or a shift implies.
    pub fn bounds_of_bits(&mut self, op: BinaryOp, ty: Ty, lhs: Term, rhs: Term) -> Value {
        let constants = (self.solver.constant(lhs), self.solver.constant(rhs));
        let bits = ty.bits(self.target);
        match (op, constants) {
            (BinaryOp::And, (Some(mask), _) | (_, Some(mask))) if mask >= 0 => self.between(0, mask),
            (BinaryOp::LShr, (_, Some(amount))) if (1..i64::from(bits)).contains(&amount) => {
                self.between(0, i64::MAX >> (63 - (i64::from(bits) - amount).min(63)))
            }
            _ => Value::Unknown,
        }
    }

    /// Returns an integer with the bounds of a quotient or remainder by a constant.
    pub fn divide(&mut self, op: DivideOp, lhs: Term, rhs: Term) -> Value {
        let Some(by) = self.solver.constant(rhs).filter(|&by| by > 0) else { return Value::Unknown };
        let positive = self.is_nonnegative(lhs);
        match op {
            DivideOp::URem => self.between(0, by - 1),
            DivideOp::SRem => self.between(if positive { 0 } else { 1 - by }, by - 1),
            DivideOp::UDiv | DivideOp::SDiv if positive => {
                let quotient = self.solver.between(0, i64::MAX / by);
                let less = self.solver.at_most(quotient, lhs);
                self.solver.note(less);
                Value::Term(quotient)
            }
            _ => Value::Unknown,
        }
    }
}

/// Computes a binary operation on constants of a number of bits.
fn fold(op: BinaryOp, bits: u32, a: i64, b: i64) -> Option<i64> {
    let amount = (b as u32) % bits.max(1);
    let unsigned = if bits >= 64 { a as u64 } else { (a as u64) & ((1 << bits) - 1) };
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a.wrapping_shl(amount),
        BinaryOp::LShr => (unsigned >> amount) as i64,
        BinaryOp::AShr => a >> amount,
        BinaryOp::FDiv => return None,
    };
    Some(if bits >= 64 { value } else { (value << (64 - bits)) >> (64 - bits) })
}
