//! Strided intervals on the circle of integers modulo a power of two.
//!
//! A [`Num`] starts somewhere on the circle and goes upwards in equal steps. One representation thus serves signed and unsigned
//! arithmetic, and wrap-around loses nothing: `{-1, 0, 1}` is an arc of three values in both readings. Integers of more than 64 bits are
//! not tracked; their operations use the full circle of 64 bits.

/// A set of integers: `lo`, `lo + stride`, … up to `lo + span`, modulo the width, which the caller knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Num {
    /// The first value of the arc.
    pub lo: u64,
    /// The distance from the first to the last value, a multiple of the stride.
    pub span: u64,
    /// The distance between neighbours; 0 exactly if there is one value.
    pub stride: u64,
}

/// Returns the greatest unsigned value of a width.
pub const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

const fn sign(width: u32) -> u64 {
    1 << (if width >= 64 { 63 } else { width - 1 })
}

/// Sign-extends a value of a width.
pub const fn signed(value: u64, width: u32) -> i64 {
    if width >= 64 {
        value as i64
    } else {
        let shift = 64 - width;
        ((value << shift) as i64) >> shift
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the largest power of two that divides a number; 0 for 0.
const fn low_bit(value: u64) -> u64 {
    value & value.wrapping_neg()
}

impl Num {
    /// The set with one value.
    pub const fn constant(value: u64, width: u32) -> Self {
        Num { lo: value & mask(width), span: 0, stride: 0 }
    }

    /// All values of a width.
    pub const fn full(width: u32) -> Self {
        Num { lo: 0, span: mask(width), stride: 1 }
    }

    /// All values of a width that leave the remainder of `lo` modulo a power of two.
    fn full_modulo(lo: u64, modulus: u64, width: u32) -> Self {
        let modulus = low_bit(modulus);
        if modulus <= 1 || modulus > mask(width) {
            return if modulus > mask(width) { Num::constant(lo, width) } else { Num::full(width) };
        }
        Num { lo: lo & (modulus - 1), span: mask(width) - (modulus - 1), stride: modulus }
    }

    /// The unsigned values from `low` to `high`.
    pub const fn between(low: u64, high: u64) -> Self {
        Num { lo: low, span: high - low, stride: if high == low { 0 } else { 1 } }
    }

    /// The signed values from `low` to `high`.
    pub const fn between_signed(low: i64, high: i64, width: u32) -> Self {
        let span = (high as u64).wrapping_sub(low as u64);
        Num { lo: low as u64 & mask(width), span, stride: if span == 0 { 0 } else { 1 } }
    }

    /// Returns the value, if there is only one.
    pub const fn value(self) -> Option<u64> {
        if self.span == 0 { Some(self.lo) } else { None }
    }

    /// Returns whether the set holds every value of a width.
    pub const fn is_full(self, width: u32) -> bool {
        self.span == mask(width) && self.stride <= 1
    }

    /// Returns the number of values minus one.
    pub const fn steps(self) -> u64 {
        match self.span.checked_div(self.stride) {
            Some(steps) => steps,
            None => 0,
        }
    }

    /// Returns whether a value belongs to the set.
    pub const fn contains(self, value: u64, width: u32) -> bool {
        let distance = value.wrapping_sub(self.lo) & mask(width);
        distance <= self.span && (self.stride <= 1 || distance.is_multiple_of(self.stride))
    }

    /// Returns whether all values of another set belong to this set.
    pub fn covers(self, other: Num, width: u32) -> bool {
        let distance = other.lo.wrapping_sub(self.lo) & mask(width);
        if self.is_full(width) {
            return true;
        }
        distance <= self.span
            && other.span <= self.span - distance
            && (self.stride <= 1 || (distance.is_multiple_of(self.stride) && other.stride.is_multiple_of(self.stride)))
            && (self.stride != 0 || other.stride == 0)
    }

    /// Returns the least and the greatest unsigned value.
    pub const fn unsigned(self, width: u32) -> (u64, u64) {
        match self.lo.checked_add(self.span) {
            Some(high) if high <= mask(width) => (self.lo, high),
            _ => (0, mask(width)),
        }
    }

    /// Returns the least and the greatest signed value.
    pub const fn signed(self, width: u32) -> (i64, i64) {
        let top = sign(width);
        let start = (self.lo ^ top) & mask(width);
        match start.checked_add(self.span) {
            Some(end) if end <= mask(width) => (signed(start ^ top, width), signed((end ^ top) & mask(width), width)),
            _ => (signed(top, width), signed(top - 1, width)),
        }
    }

    fn arc(lo: u64, span: u64, stride: u64, width: u32) -> Self {
        let span = if stride > 1 { span - span % stride } else { span };
        if span >= mask(width) && stride <= 1 {
            return Num::full(width);
        }
        Num { lo: lo & mask(width), span, stride: if span == 0 { 0 } else { stride.max(1) } }
    }

    /// Returns a set that covers both sets.
    pub fn join(self, other: Num, width: u32) -> Num {
        if self == other || self.covers(other, width) {
            return self;
        }
        if other.covers(self, width) {
            return other;
        }
        let from = |a: Num, b: Num| -> Option<Num> {
            let distance = b.lo.wrapping_sub(a.lo) & mask(width);
            let end = distance.checked_add(b.span).filter(|&end| end <= mask(width))?;
            let span = end.max(a.span);
            let stride = gcd(gcd(a.stride, b.stride), distance);
            Some(Num::arc(a.lo, span, stride, width))
        };
        match (from(self, other), from(other, self)) {
            (Some(a), Some(b)) if (b.span, b.stride) < (a.span, a.stride) && b.span != a.span => b,
            (Some(a), _) => a,
            (None, Some(b)) => b,
            (None, None) => {
                let stride = gcd(gcd(self.stride, other.stride), other.lo.wrapping_sub(self.lo) & mask(width));
                Num::full_modulo(self.lo, stride, width)
            }
        }
    }

    /// Returns a set that covers both sets, and one that repeated widening reaches after few steps.
    ///
    /// The bound that has grown moves to the next threshold; thresholds are sorted by their value as unsigned integers.
    pub fn widen(self, other: Num, width: u32, thresholds: &[u64]) -> Num {
        let joined = self.join(other, width);
        if joined == self {
            return self;
        }
        let grows_down = joined.lo != self.lo;
        let top = mask(width);
        let end = joined.lo.wrapping_add(joined.span) & top;
        let grows_up = end != self.lo.wrapping_add(self.span) & top;
        let (mut lo, mut high) = (joined.lo, end);
        if grows_up {
            high = next_above(high, joined.lo, width, thresholds);
        }
        if grows_down {
            lo = next_below(lo, high, width, thresholds);
        }
        let span = high.wrapping_sub(lo) & top;
        if span < joined.span {
            return Num::full_modulo(joined.lo, joined.stride, width);
        }
        // The start may have moved off the grid.
        let shift = joined.lo.wrapping_sub(lo) & top;
        let stride = joined.stride.max(1);
        let (lo, span) = (lo.wrapping_add(shift % stride) & top, span - shift % stride);
        Num::arc(lo, span, stride, width)
    }

    /// Returns a set that covers the common values; `None` if there are none.
    pub fn meet(self, other: Num, width: u32) -> Option<Num> {
        if let Some(value) = self.value() {
            return other.contains(value, width).then_some(self);
        }
        if let Some(value) = other.value() {
            return self.contains(value, width).then_some(other);
        }
        if other.covers(self, width) {
            return Some(self);
        }
        if self.covers(other, width) {
            return Some(other);
        }
        let (fine, coarse) = if self.stride >= other.stride { (other, self) } else { (self, other) };
        // The result keeps the grid of the coarser set.
        let (a, b) = (coarse, fine);
        let ahead = b.lo.wrapping_sub(a.lo) & mask(width);
        let behind = a.lo.wrapping_sub(b.lo) & mask(width);
        let starts_in_a = ahead <= a.span;
        let starts_in_b = behind <= b.span;
        match (starts_in_a, starts_in_b) {
            (false, false) => None,
            // Two arcs may meet at both ends.
            (true, true) => Some(if a.span <= b.span { a } else { b }),
            (true, false) => {
                let step = a.stride.max(1);
                let skip = ahead.div_ceil(step).checked_mul(step)?;
                let end = (ahead.saturating_add(b.span)).min(a.span);
                (skip <= end).then(|| Num::arc(a.lo.wrapping_add(skip), end - skip, a.stride, width))
            }
            (false, true) => {
                let end = (b.span - behind).min(a.span);
                Some(Num::arc(a.lo, end, a.stride, width))
            }
        }
    }

    /// Returns the set without one value, as far as an arc can express that; `None` if nothing is left.
    pub fn without(self, value: u64, width: u32) -> Option<Num> {
        if self.span == 0 {
            return (self.lo != value & mask(width)).then_some(self);
        }
        let last = self.lo.wrapping_add(self.span) & mask(width);
        if self.is_full(width) {
            let lo = value.wrapping_add(1) & mask(width);
            return Some(Num::arc(lo, mask(width) - 1, 1, width));
        }
        if value & mask(width) == self.lo {
            let lo = self.lo.wrapping_add(self.stride);
            return Some(Num::arc(lo, self.span - self.stride, self.stride, width));
        }
        if value & mask(width) == last {
            return Some(Num::arc(self.lo, self.span - self.stride, self.stride, width));
        }
        Some(self)
    }

    /// Sum modulo the width.
    pub fn add(self, other: Num, width: u32) -> Num {
        let lo = self.lo.wrapping_add(other.lo) & mask(width);
        let stride = gcd(self.stride, other.stride);
        match self.span.checked_add(other.span) {
            Some(span) if span < mask(width) => Num::arc(lo, span, stride, width),
            _ => Num::full_modulo(lo, stride, width),
        }
    }

    /// Negation modulo the width.
    pub fn neg(self, width: u32) -> Num {
        let lo = self.lo.wrapping_add(self.span).wrapping_neg() & mask(width);
        Num { lo, ..self }
    }

    /// Difference modulo the width.
    pub fn sub(self, other: Num, width: u32) -> Num {
        self.add(other.neg(width), width)
    }

    /// Product with a constant, modulo the width.
    pub fn scale(self, factor: u64, width: u32) -> Num {
        let signed_factor = signed(factor & mask(width), width);
        let base = if signed_factor < 0 { self.neg(width) } else { self };
        let factor = signed_factor.unsigned_abs();
        let lo = base.lo.wrapping_mul(factor) & mask(width);
        if factor == 0 || self.span == 0 {
            return Num::constant(lo, width);
        }
        match (base.span.checked_mul(factor), base.stride.checked_mul(factor)) {
            (Some(span), Some(stride)) if span < mask(width) => Num::arc(lo, span, stride, width),
            _ => Num::full_modulo(lo, low_bit(base.stride).saturating_mul(low_bit(factor)), width),
        }
    }

    /// Product modulo the width.
    pub fn mul(self, other: Num, width: u32) -> Num {
        if let Some(value) = other.value() {
            return self.scale(value, width);
        }
        if let Some(value) = self.value() {
            return other.scale(value, width);
        }
        let ((a, b), (c, d)) = (self.unsigned(width), other.unsigned(width));
        if let Some(high) = b.checked_mul(d).filter(|&high| high <= mask(width)) {
            return Num::between(a * c, high);
        }
        let ((a, b), (c, d)) = (self.signed(width), other.signed(width));
        let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| i128::from(x) * i128::from(y));
        Num::from_corners(corners.into_iter(), width)
    }

    /// The signed range of some values, or everything if they do not fit.
    fn from_corners(corners: impl Iterator<Item = i128> + Clone, width: u32) -> Num {
        let (low, high) = (corners.clone().min().unwrap_or(0), corners.max().unwrap_or(0));
        let fits = low >= i128::from(signed(sign(width), width)) && high <= i128::from(signed(sign(width) - 1, width));
        if fits { Num::between_signed(low as i64, high as i64, width) } else { Num::full(width) }
    }

    /// Bitwise and.
    pub fn and(self, other: Num, width: u32) -> Num {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return Num::constant(a & b, width);
        }
        let ((a_low, a_high), (b_low, b_high)) = (self.unsigned(width), other.unsigned(width));
        for (value, low, high) in [(other.value(), a_low, a_high), (self.value(), b_low, b_high)] {
            let Some(bits) = value else { continue };
            // A mask of the low bits keeps values that fit; a mask of the high bits rounds down.
            if bits.wrapping_add(1) & bits == 0 && high <= bits {
                return if value == other.value() { self } else { other };
            }
            let cleared = low_bit(bits);
            if cleared > 1 && bits | (cleared - 1) == mask(width) {
                return Num::arc(low & bits, (high & bits) - (low & bits), cleared, width);
            }
        }
        Num::between(0, a_high.min(b_high))
    }

    /// Bitwise or; `exclusive` selects the exclusive one.
    pub fn or(self, other: Num, width: u32, exclusive: bool) -> Num {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return Num::constant(if exclusive { a ^ b } else { a | b }, width);
        }
        let ((a_low, a_high), (b_low, b_high)) = (self.unsigned(width), other.unsigned(width));
        let bits = 64 - (a_high | b_high).leading_zeros();
        let low = if exclusive { 0 } else { a_low.max(b_low) };
        Num::between(low, mask(bits.max(1)).min(mask(width)))
    }

    /// Left shift; the amount is taken modulo the width.
    pub fn shl(self, amount: Num, width: u32) -> Num {
        let Some(bits) = shift_amount(amount, width) else { return Num::full(width) };
        if bits.0 == bits.1 {
            return self.scale(1 << bits.0, width);
        }
        let (low, high) = self.unsigned(width);
        match high.checked_mul(1 << bits.1) {
            Some(high) if high <= mask(width) => Num::between(low << bits.0, high),
            _ => Num::full(width),
        }
    }

    /// Logical right shift.
    pub fn lshr(self, amount: Num, width: u32) -> Num {
        let (least, most) = shift_amount(amount, width).unwrap_or((0, width - 1));
        let (low, high) = self.unsigned(width);
        Num::between(low >> most, high >> least)
    }

    /// Arithmetic right shift.
    pub fn ashr(self, amount: Num, width: u32) -> Num {
        let (least, most) = shift_amount(amount, width).unwrap_or((0, width - 1));
        let (low, high) = self.signed(width);
        let corners = [low >> least, low >> most, high >> least, high >> most].map(i128::from);
        Num::from_corners(corners.into_iter(), width)
    }

    /// Quotient of unsigned values; the divisor is not 0.
    pub fn udiv(self, other: Num, width: u32) -> Num {
        let ((a, b), (c, d)) = (self.unsigned(width), other.unsigned(width));
        Num::between(a / d.max(1), b / c.max(1))
    }

    /// Remainder of unsigned values; the divisor is not 0.
    pub fn urem(self, other: Num, width: u32) -> Num {
        let ((_, b), (c, d)) = (self.unsigned(width), other.unsigned(width));
        if b < c { self } else { Num::between(0, b.min(d.max(1) - 1)) }
    }

    /// Quotient of signed values; the divisor is not 0 and the quotient fits.
    pub fn sdiv(self, other: Num, width: u32) -> Num {
        let ((a, b), (c, d)) = (self.signed(width), other.signed(width));
        let mut divisors = vec![];
        if c <= -1 {
            divisors.extend([c, d.min(-1)]);
        }
        if d >= 1 {
            divisors.extend([c.max(1), d]);
        }
        if divisors.is_empty() {
            return Num::full(width);
        }
        let quotients: Vec<i128> = divisors
            .iter()
            .flat_map(|&y| [i128::from(a) / i128::from(y), i128::from(b) / i128::from(y)])
            .chain((a <= 0 && b >= 0).then_some(0))
            .collect();
        let most = i128::from(signed(sign(width) - 1, width));
        Num::from_corners(quotients.iter().map(|&q| q.min(most)), width)
    }

    /// Remainder of signed values; the divisor is not 0.
    pub fn srem(self, other: Num, width: u32) -> Num {
        let ((a, b), (c, d)) = (self.signed(width), other.signed(width));
        let largest = (c.unsigned_abs().max(d.unsigned_abs()) - 1) as i128;
        let low = if a >= 0 { 0 } else { i128::from(a).max(-largest) };
        let high = if b <= 0 { 0 } else { i128::from(b).min(largest) };
        if a >= 0 && c >= 1 && i128::from(b) < i128::from(c) {
            return self;
        }
        Num::from_corners([low, high].into_iter(), width)
    }

    /// Conversion to a narrower type.
    pub fn truncate(self, to: u32) -> Num {
        if self.span < mask(to) {
            return Num { lo: self.lo & mask(to), ..self };
        }
        Num::full_modulo(self.lo & mask(to), self.stride, to)
    }

    /// Conversion of an unsigned value to a wider type.
    pub fn zero_extend(self, from: u32) -> Num {
        match self.lo.checked_add(self.span) {
            Some(high) if high <= mask(from) => self,
            _ => {
                let step = low_bit(self.stride);
                if step > 1 {
                    Num { lo: self.lo & (step - 1), span: mask(from) - (step - 1), stride: step }
                } else {
                    Num::full(from)
                }
            }
        }
    }

    /// Conversion of a signed value to a wider type.
    pub fn sign_extend(self, from: u32, to: u32) -> Num {
        let start = (self.lo ^ sign(from)) & mask(from);
        if start.checked_add(self.span).is_some_and(|end| end <= mask(from)) {
            return Num { lo: signed(self.lo, from) as u64 & mask(to), ..self };
        }
        let (low, high) = self.signed(from);
        let step = low_bit(self.stride);
        if step > 1 {
            let low = low.wrapping_add((self.lo & (step - 1)) as i64);
            let span = (high as u64).wrapping_sub(low as u64);
            return Num::arc(low as u64 & mask(to), span, step, to);
        }
        Num::between_signed(low, high, to)
    }
}

fn shift_amount(amount: Num, width: u32) -> Option<(u32, u32)> {
    let (low, high) = amount.unsigned(width);
    (high < u64::from(width)).then_some((low as u32, high as u32))
}

/// Returns the first threshold at or above a bound, walking up from it; the walk stays below `start` on the circle.
fn next_above(bound: u64, start: u64, width: u32, thresholds: &[u64]) -> u64 {
    let top = mask(width);
    let reach = start.wrapping_sub(1).wrapping_sub(bound) & top;
    let at = thresholds.partition_point(|&t| t < bound);
    let candidates = thresholds[at..].iter().chain(&thresholds[..at]).map(|&t| t & top);
    let found = candidates.map(|t| t.wrapping_sub(bound) & top).filter(|&d| d <= reach).min();
    bound.wrapping_add(found.unwrap_or(reach)) & top
}

/// Returns the first threshold at or below a bound, walking down from it; the walk stays above `end` on the circle.
fn next_below(bound: u64, end: u64, width: u32, thresholds: &[u64]) -> u64 {
    let top = mask(width);
    let reach = bound.wrapping_sub(1).wrapping_sub(end) & top;
    let found = thresholds.iter().map(|&t| bound.wrapping_sub(t & top) & top).filter(|&d| d <= reach).min();
    bound.wrapping_sub(found.unwrap_or(reach)) & top
}

#[cfg(test)]
mod tests;
