//! Facts about terms that need no solver: known bits, and unsigned and signed bounds.

use crate::term::{Node, Op, Term, Terms, mask, signed};

/// Bits and bounds that hold under every assignment, or under every assignment that a path condition allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits known to be 0, including those above the width.
    pub zeros: u128,
    /// Bits known to be 1.
    pub ones: u128,
    /// The unsigned lower bound.
    pub min: u128,
    /// The unsigned upper bound.
    pub max: u128,
    /// The signed lower bound.
    pub signed_min: i128,
    /// The signed upper bound.
    pub signed_max: i128,
}

impl Facts {
    /// Returns facts that hold for every value.
    pub const fn unknown(width: u32) -> Self {
        let sign = 1u128 << (width - 1);
        Self {
            zeros: !mask(width),
            ones: 0,
            min: 0,
            max: mask(width),
            signed_min: signed(sign, width),
            signed_max: (sign - 1) as i128,
        }
    }

    /// Returns the facts of a constant.
    pub const fn exactly_of(bits: u128, width: u32) -> Self {
        let value = signed(bits, width);
        Self { zeros: !bits, ones: bits, min: bits, max: bits, signed_min: value, signed_max: value }
    }

    /// Returns the facts of a constant truth value.
    pub const fn exactly(truth: u128) -> Self {
        Self::exactly_of(truth, 1)
    }

    /// Returns the facts of a value in an unsigned range; the upper bound is clamped to the width.
    pub fn between(width: u32, min: u128, max: u128) -> Self {
        Self { min, max: max.min(mask(width)), ..Self::unknown(width) }.settle(width)
    }

    /// Returns the facts of a value in a signed range, clamped to the width.
    pub fn signed_between(width: u32, min: i128, max: i128) -> Self {
        let all = Self::unknown(width);
        Self { signed_min: min.max(all.signed_min), signed_max: max.min(all.signed_max), ..all }.settle(width)
    }

    /// Returns the value if the bounds allow only one.
    pub fn value(self) -> Option<u128> {
        (self.min == self.max).then_some(self.min)
    }

    /// Returns the conjunction of two sets of facts.
    ///
    /// If the two contradict each other, the result is `self`. This is sound because a
    /// contradiction means that the program point is unreachable.
    #[must_use]
    pub fn meet(self, other: Facts, width: u32) -> Self {
        let both = Self {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            min: self.min.max(other.min),
            max: self.max.min(other.max),
            signed_min: self.signed_min.max(other.signed_min),
            signed_max: self.signed_max.min(other.signed_max),
        };
        if both.contradictory() { self } else { both.settle(width) }
    }

    /// Excludes one value, which has an effect only if the value is a bound.
    #[must_use]
    pub fn without(mut self, value: u128, width: u32) -> Self {
        if self.min == self.max {
            return self;
        }
        if self.min == value {
            self.min += 1;
        } else if self.max == value {
            self.max -= 1;
        }
        let value = signed(value, width);
        if self.signed_min < self.signed_max {
            if self.signed_min == value {
                self.signed_min += 1;
            } else if self.signed_max == value {
                self.signed_max -= 1;
            }
        }
        self.settle(width)
    }

    fn contradictory(self) -> bool {
        self.zeros & self.ones != 0 || self.min > self.max || self.signed_min > self.signed_max
    }

    /// Tightens bounds by known bits, and known bits by bounds.
    fn settle(mut self, width: u32) -> Self {
        let before = self;
        let sign = 1u128 << (width - 1);
        self.min = self.min.max(self.ones);
        self.max = self.max.min(!self.zeros & mask(width));
        // If all values have the same sign, the signed and the unsigned bounds constrain each other.
        if self.signed_min >= 0 {
            self.min = self.min.max(self.signed_min as u128);
            self.max = self.max.min(self.signed_max as u128);
        } else if self.signed_max < 0 {
            self.min = self.min.max(self.signed_min as u128 & mask(width));
            self.max = self.max.min(self.signed_max as u128 & mask(width));
        }
        if self.max < sign || self.min >= sign {
            self.signed_min = self.signed_min.max(signed(self.min, width));
            self.signed_max = self.signed_max.min(signed(self.max, width));
        }
        if self.contradictory() {
            return before;
        }
        // The leading bits on which both bounds agree are known.
        let differ = self.min ^ self.max;
        let known = if differ == 0 { u128::MAX } else { !(u128::MAX >> differ.leading_zeros()) };
        self.ones |= self.min & known;
        self.zeros |= !self.min & known;
        self.zeros |= !mask(width);
        if self.contradictory() { before } else { self }
    }

    /// Computes the facts of a node whose operands are in the table.
    pub(crate) fn of(terms: &Terms, width: u32, node: &Node) -> Self {
        Self::from_operands(terms, width, node, &|operand| terms.facts(operand))
    }

    /// Computes the facts of a node from those of its operands.
    pub fn from_operands(terms: &Terms, width: u32, node: &Node, get: &dyn Fn(Term) -> Facts) -> Self {
        let unknown = Self::unknown(width);
        match *node {
            Node::Const(bits) => Self::exactly_of(bits, width),
            Node::Var(_) => unknown,
            Node::Sum(ref sum) => {
                let (mut min, mut max) = (Some(sum.constant), Some(sum.constant));
                let start = Some(signed(sum.constant, width));
                let (mut signed_min, mut signed_max) = (start, start);
                // Trailing zeros common to all summands remain zero.
                let mut low = sum.constant.trailing_zeros();
                for &(term, coefficient) in &sum.monomials {
                    let facts = get(term);
                    min = min.and_then(|m| m.checked_add(facts.min.checked_mul(coefficient)?));
                    max = max.and_then(|m| m.checked_add(facts.max.checked_mul(coefficient)?));
                    let factor = signed(coefficient, width);
                    let (a, b) = (facts.signed_min.checked_mul(factor), facts.signed_max.checked_mul(factor));
                    let (least, greatest) = if factor >= 0 { (a, b) } else { (b, a) };
                    signed_min = signed_min.and_then(|m| m.checked_add(least?));
                    signed_max = signed_max.and_then(|m| m.checked_add(greatest?));
                    low = low.min(coefficient.trailing_zeros() + facts.zeros.trailing_ones().min(width));
                }
                let mut facts = Self { zeros: unknown.zeros | mask(low.min(width)), ..unknown };
                if let (Some(min), Some(max)) = (min, max)
                    && max <= mask(width)
                {
                    facts = Self { min, max, ..facts };
                }
                if let (Some(least), Some(greatest)) = (signed_min, signed_max)
                    && least >= unknown.signed_min
                    && greatest <= unknown.signed_max
                {
                    facts = Self { signed_min: least, signed_max: greatest, ..facts };
                }
                facts.settle(width)
            }
            Node::Binary(op, a, b) => Self::of_binary(terms, width, op, (a, get(a)), (b, get(b))),
            Node::Not(a) => {
                let fa = get(a);
                let all = mask(width);
                Self {
                    zeros: fa.ones | !all,
                    ones: fa.zeros & all,
                    min: all - fa.max,
                    max: all - fa.min,
                    signed_min: !fa.signed_max,
                    signed_max: !fa.signed_min,
                }
            }
            Node::SExt(a) => {
                let (from, fa) = (terms.width(a), get(a));
                let low = mask(from - 1);
                Self {
                    zeros: unknown.zeros | (fa.zeros & low),
                    ones: fa.ones & low,
                    signed_min: fa.signed_min,
                    signed_max: fa.signed_max,
                    ..unknown
                }
                .settle(width)
            }
            Node::Extract(a, low) => {
                let fa = get(a);
                let known =
                    Self { zeros: (fa.zeros >> low) | unknown.zeros, ones: (fa.ones >> low) & mask(width), ..unknown };
                // The bounds carry over if no bit above the extracted ones can be set.
                if fa.max >> low <= mask(width) {
                    Self { min: fa.min >> low, max: fa.max >> low, ..known }.settle(width)
                } else if low == 0 && fa.signed_min >= unknown.signed_min && fa.signed_max <= unknown.signed_max {
                    Self { signed_min: fa.signed_min, signed_max: fa.signed_max, ..known }.settle(width)
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
                    signed_min: fa.signed_min.min(fb.signed_min),
                    signed_max: fa.signed_max.max(fb.signed_max),
                }
            }
        }
    }

    fn of_binary(terms: &Terms, width: u32, op: Op, (a, fa): (Term, Facts), (b, fb): (Term, Facts)) -> Self {
        let unknown = Self::unknown(width);
        let decided = |truth: bool, falsity: bool| match (truth, falsity) {
            (true, _) => Self::exactly(1),
            (_, true) => Self::exactly(0),
            _ => unknown,
        };
        match op {
            Op::And => {
                let max = fa.max.min(fb.max);
                Self { zeros: fa.zeros | fb.zeros, ones: fa.ones & fb.ones, max, ..unknown }.settle(width)
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
                    ..unknown
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
                let apart = fa.ones & fb.zeros != 0
                    || fa.zeros & fb.ones != 0
                    || fa.max < fb.min
                    || fb.max < fa.min
                    || fa.signed_max < fb.signed_min
                    || fb.signed_max < fa.signed_min;
                decided(fa.value().is_some() && fa.value() == fb.value(), apart)
            }
            Op::ULt => decided(fa.max < fb.min, fa.min >= fb.max || a == b),
            Op::SLt => decided(fa.signed_max < fb.signed_min, fa.signed_min >= fb.signed_max || a == b),
            Op::UDiv | Op::SDiv | Op::SRem | Op::Shl | Op::AShr => unknown,
        }
    }
}
