//! What is known of a term without asking a solver: bits that are always 0 or 1, and unsigned bounds.

use crate::term::{Node, Op, Term, Terms, mask, signed};

/// Bits and bounds that hold under every assignment of the variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits that are 0.
    pub zeros: u128,
    /// Bits that are 1.
    pub ones: u128,
    /// Least value, unsigned.
    pub min: u128,
    /// Greatest value, unsigned.
    pub max: u128,
}

impl Facts {
    /// Nothing is known.
    pub const fn unknown(width: u32) -> Self {
        Self { zeros: !mask(width), ones: 0, min: 0, max: mask(width) }
    }

    /// It is this value.
    pub const fn exactly(bits: u128) -> Self {
        Self { zeros: !bits, ones: bits, min: bits, max: bits }
    }

    /// It lies between these values.
    fn between(width: u32, min: u128, max: u128) -> Self {
        Self { min, max, ..Self::unknown(width) }.settle(width)
    }

    /// The value, when only one is possible.
    pub fn value(self) -> Option<u128> {
        (self.min == self.max).then_some(self.min)
    }

    /// Bits tell of bounds and bounds of bits: each tightens the other.
    fn settle(mut self, width: u32) -> Self {
        self.min = self.min.max(self.ones);
        self.max = self.max.min(!self.zeros & mask(width));
        // The leading bits on which both bounds agree are known.
        let differ = self.min ^ self.max;
        let known = if differ == 0 { u128::MAX } else { !(u128::MAX >> differ.leading_zeros()) };
        self.ones |= self.min & known;
        self.zeros |= !self.min & known;
        self.zeros |= !mask(width);
        self
    }

    /// Least and greatest value as signed numbers.
    pub fn signed_bounds(self, width: u32) -> (i128, i128) {
        let sign = 1 << (width - 1);
        if self.zeros & sign != 0 || self.ones & sign != 0 {
            (signed(self.min, width), signed(self.max, width))
        } else {
            (signed(sign, width), signed(sign - 1, width))
        }
    }

    /// The facts of a node whose operands are in the table.
    pub(crate) fn of(terms: &Terms, width: u32, node: &Node) -> Self {
        let get = |t: Term| terms.facts(t);
        let unknown = Self::unknown(width);
        match *node {
            Node::Const(bits) => Self::exactly(bits),
            Node::Var(_) => unknown,
            Node::Sum(ref sum) => {
                let (mut min, mut max) = (Some(sum.constant), Some(sum.constant));
                // Trailing zeros that all parts share stay zero.
                let mut low = sum.constant.trailing_zeros();
                for &(term, coefficient) in &sum.monomials {
                    let facts = get(term);
                    min = min.and_then(|m| m.checked_add(facts.min.checked_mul(coefficient)?));
                    max = max.and_then(|m| m.checked_add(facts.max.checked_mul(coefficient)?));
                    low = low.min(coefficient.trailing_zeros() + facts.zeros.trailing_ones().min(width));
                }
                let known = Self { zeros: unknown.zeros | mask(low.min(width)), ..unknown };
                match (min, max) {
                    (Some(min), Some(max)) if max <= mask(width) => Self { min, max, ..known }.settle(width),
                    _ => known.settle(width),
                }
            }
            Node::Binary(op, a, b) => {
                let (a_width, (fa, fb)) = (terms.width(a), (get(a), get(b)));
                match op {
                    Op::And => {
                        Self { zeros: fa.zeros | fb.zeros, ones: fa.ones & fb.ones, min: 0, max: fa.max.min(fb.max) }
                            .settle(width)
                    }
                    Op::Xor => Self {
                        zeros: (fa.zeros & fb.zeros) | (fa.ones & fb.ones),
                        ones: (fa.zeros & fb.ones) | (fa.ones & fb.zeros),
                        ..unknown
                    }
                    .settle(width),
                    Op::Concat => {
                        let low = terms.width(b);
                        Self {
                            zeros: (fa.zeros << low) | (fb.zeros & mask(low)) | unknown.zeros,
                            ones: (fa.ones << low) | fb.ones,
                            min: (fa.min << low) | fb.min,
                            max: (fa.max << low) | fb.max,
                        }
                        .settle(width)
                    }
                    Op::Mul => match fa.max.checked_mul(fb.max) {
                        Some(max) if max <= mask(width) => Self::between(width, fa.min * fb.min, max),
                        _ => unknown,
                    },
                    Op::UDiv if fb.min > 0 => Self::between(width, fa.min / fb.max, fa.max / fb.min),
                    Op::URem if fb.min > 0 => Self::between(width, 0, fa.max.min(fb.max - 1)),
                    Op::URem => Self::between(width, 0, fa.max),
                    Op::LShr => {
                        let least = u32::try_from(fb.min).unwrap_or(u32::MAX);
                        Self::between(width, 0, fa.max.checked_shr(least).unwrap_or(0))
                    }
                    Op::Eq => {
                        if fa.ones & fb.zeros != 0 || fa.zeros & fb.ones != 0 || fa.max < fb.min || fb.max < fa.min {
                            Self::exactly(0)
                        } else {
                            unknown
                        }
                    }
                    Op::ULt => {
                        if fa.max < fb.min {
                            Self::exactly(1)
                        } else if fa.min >= fb.max {
                            Self::exactly(0)
                        } else {
                            unknown
                        }
                    }
                    Op::SLt => {
                        let (a_min, a_max) = fa.signed_bounds(a_width);
                        let (b_min, b_max) = fb.signed_bounds(a_width);
                        if a_max < b_min {
                            Self::exactly(1)
                        } else if a_min >= b_max {
                            Self::exactly(0)
                        } else {
                            unknown
                        }
                    }
                    Op::UDiv | Op::SDiv | Op::SRem | Op::Shl | Op::AShr => unknown,
                }
            }
            Node::Not(a) => {
                let fa = get(a);
                let all = mask(width);
                Self { zeros: fa.ones | !all, ones: fa.zeros & all, min: all - fa.max, max: all - fa.min }
            }
            Node::SExt(a) => {
                let (from, fa) = (terms.width(a), get(a));
                let sign = 1 << (from - 1);
                let above = mask(width) & !mask(from);
                if fa.zeros & sign != 0 {
                    fa
                } else if fa.ones & sign != 0 {
                    Self { zeros: fa.zeros & !above, ones: fa.ones | above, min: fa.min | above, max: fa.max | above }
                } else {
                    Self { zeros: unknown.zeros | (fa.zeros & mask(from)), ones: fa.ones, ..unknown }.settle(width)
                }
            }
            Node::Extract(a, low) => {
                let fa = get(a);
                let known =
                    Self { zeros: (fa.zeros >> low) | unknown.zeros, ones: (fa.ones >> low) & mask(width), ..unknown };
                // Bounds survive when nothing above the extracted bits can be set.
                if fa.max >> low <= mask(width) {
                    Self { min: fa.min >> low, max: fa.max >> low, ..known }.settle(width)
                } else {
                    known.settle(width)
                }
            }
            Node::Ite(_, a, b) => {
                let (fa, fb) = (get(a), get(b));
                Self {
                    zeros: fa.zeros & fb.zeros,
                    ones: fa.ones & fb.ones,
                    min: fa.min.min(fb.min),
                    max: fa.max.max(fb.max),
                }
            }
        }
    }
}
