//! IEEE 754 arithmetic as terms over the bits of a format, rounding to nearest with ties to even.
//!
//! IEEE 754 does not fix the sign and payload of a NaN result, so both are fresh variables.
//! Conversions of out-of-range values to integers are undefined in C; the result is that of gcc's
//! code on x86.

use crate::term::{Term, Terms};

/// A binary interchange format: a sign, a biased exponent, and a fraction with an implicit leading 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// The number of exponent bits.
    pub exponent: u32,
    /// The number of fraction bits.
    pub fraction: u32,
}

impl Format {
    /// The 16-bit format.
    pub const HALF: Format = Format { exponent: 5, fraction: 10 };
    /// The 32-bit format, `float`.
    pub const SINGLE: Format = Format { exponent: 8, fraction: 23 };
    /// The 64-bit format, `double`.
    pub const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    /// Returns the total number of bits.
    pub const fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// Returns the number of bits of a significand, including the implicit leading bit.
    const fn precision(self) -> u32 {
        self.fraction + 1
    }

    /// Returns the exponent bias.
    const fn bias(self) -> i128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Returns the bits of positive infinity.
    const fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.fraction
    }
}

/// The width of exponent arithmetic, wide enough for sums and differences of `double` exponents and any shift amount.
const EXPONENT_BITS: u32 = 16;

/// An unpacked number: `significand / 2^fraction · 2^exponent`.
///
/// The leading bit of the significand is 0 for subnormal numbers.
struct Parts {
    sign: Term,
    exponent: Term,
    significand: Term,
    nan: Term,
    infinite: Term,
    zero: Term,
}

impl Terms {
    fn exponent(&mut self, value: i128) -> Term {
        self.constant(value as u128, EXPONENT_BITS)
    }

    fn take_apart(&mut self, format: Format, x: Term) -> Parts {
        let sign = self.extract(x, format.bits() - 1, 1);
        let bits = self.extract(x, format.fraction, format.exponent);
        let fraction = self.extract(x, 0, format.fraction);
        let (none, all) = (self.constant(0, format.exponent), self.constant(u128::MAX, format.exponent));
        let no_fraction = self.constant(0, format.fraction);
        let (least, greatest) = (self.eq(bits, none), self.eq(bits, all));
        let whole = self.eq(fraction, no_fraction);
        let part = self.not(whole);
        let leading = self.not(least);
        let significand = self.concat(leading, fraction);
        // Subnormal numbers have the exponent of the least normal number.
        let one = self.constant(1, format.exponent);
        let bits = self.ite(least, one, bits);
        let exponent = self.zext(bits, EXPONENT_BITS);
        let bias = self.exponent(format.bias());
        Parts {
            sign,
            exponent: self.sub(exponent, bias),
            significand,
            nan: self.and(greatest, part),
            infinite: self.and(greatest, whole),
            zero: self.and(least, whole),
        }
    }

    /// Creates a quiet NaN with an arbitrary sign and payload.
    fn not_a_number(&mut self, format: Format) -> Term {
        let sign = self.variable("nan", 1);
        let payload = self.variable("nan", format.fraction - 1);
        let exponent = self.constant(u128::MAX, format.exponent + 1);
        let quiet = self.concat(exponent, payload);
        self.concat(sign, quiet)
    }

    /// Shifts right by any amount and ors the bits that are shifted out into the lowest bit.
    fn shift_sticky(&mut self, value: Term, places: Term) -> Term {
        let width = self.width(value);
        let amount = self.resize(places, width.max(EXPONENT_BITS), false);
        let wide = self.zext(value, width.max(EXPONENT_BITS));
        let limit = self.constant(u128::from(width), width.max(EXPONENT_BITS));
        let few = self.ult(amount, limit);
        let amount = self.ite(few, amount, limit);
        let shifted = self.lshr(wide, amount);
        let back = self.shl(shifted, amount);
        let lost = self.ne(back, wide);
        let zero = self.constant(0, width);
        let nothing = self.eq(value, zero);
        let something = self.not(nothing);
        let full = self.eq(amount, limit);
        // A shift by the whole width leaves only the sticky bit.
        let lost = self.ite(full, something, lost);
        let kept = self.extract(shifted, 0, width);
        let kept = self.ite(full, zero, kept);
        let lost = self.zext(lost, width);
        self.or(kept, lost)
    }

    /// Shifts left until the leading bit is 1, and decreases the exponent accordingly; zero remains zero.
    fn normalise(&mut self, mut significand: Term, mut exponent: Term) -> (Term, Term) {
        let width = self.width(significand);
        let mut places = width.next_power_of_two() / 2;
        while places > 0 {
            if places < width {
                let top = self.extract(significand, width - places, places);
                let zero = self.constant(0, places);
                let empty = self.eq(top, zero);
                let amount = self.constant(u128::from(places), width);
                let shifted = self.shl(significand, amount);
                significand = self.ite(empty, shifted, significand);
                let step = self.exponent(i128::from(places));
                let less = self.sub(exponent, step);
                exponent = self.ite(empty, less, exponent);
            }
            places /= 2;
        }
        (significand, exponent)
    }

    /// Rounds `significand / 2^(width - 1) · 2^exponent` to the format.
    ///
    /// The lowest bit of the significand may be a sticky bit.
    fn round(&mut self, format: Format, sign: Term, exponent: Term, significand: Term) -> Term {
        let width = self.width(significand);
        let precision = format.precision();
        debug_assert!(width >= precision + 2);
        let nothing = self.constant(0, width);
        let zero = self.eq(significand, nothing);
        let (significand, exponent) = self.normalise(significand, exponent);
        // The biased exponent; the number is subnormal if this is 0 or negative.
        let bias = self.exponent(format.bias());
        let exponent = self.add(exponent, bias);
        let (none, one) = (self.exponent(0), self.exponent(1));
        let subnormal = self.sle(exponent, none);
        let missing = self.sub(one, exponent);
        let places = self.ite(subnormal, missing, none);
        let significand = self.shift_sticky(significand, places);
        // Round up if the remainder exceeds one half. On a tie, round up if the last kept bit is odd.
        let kept = self.extract(significand, width - precision, precision);
        let half = self.extract(significand, width - precision - 1, 1);
        let rest = self.extract(significand, 0, width - precision - 1);
        let no_rest = self.constant(0, width - precision - 1);
        let more = self.ne(rest, no_rest);
        let odd = self.extract(kept, 0, 1);
        let decides = self.or(more, odd);
        let up = self.and(half, decides);
        // Adding instead of concatenating lets the leading bit and a carry from rounding increment the exponent.
        let size = format.bits() - 1;
        let below = self.sub(exponent, one);
        let below = self.ite(subnormal, none, below);
        let below = self.extract(below, 0, format.exponent);
        let no_fraction = self.constant(0, format.fraction);
        let below = self.concat(below, no_fraction);
        let kept = self.zext(kept, size);
        let up = self.zext(up, size);
        let number = self.add(below, kept);
        let number = self.add(number, up);
        let greatest = self.exponent((1 << format.exponent) - 1);
        let too_large = self.sle(greatest, exponent);
        let infinity = self.constant(format.infinity(), size);
        let number = self.ite(too_large, infinity, number);
        let nothing = self.constant(0, size);
        let number = self.ite(zero, nothing, number);
        self.concat(sign, number)
    }

    fn infinity(&mut self, format: Format, sign: Term) -> Term {
        let size = self.constant(format.infinity(), format.bits() - 1);
        self.concat(sign, size)
    }

    /// Returns `a + b`.
    pub fn float_add(&mut self, format: Format, a: Term, b: Term) -> Term {
        let size = format.bits() - 1;
        // Order the operands by magnitude: then no bits of the larger one are lost, and the difference is not negative.
        let (size_a, size_b) = (self.extract(a, 0, size), self.extract(b, 0, size));
        let swap = self.ult(size_a, size_b);
        let (large, small) = (self.ite(swap, b, a), self.ite(swap, a, b));
        let (large, small) = (self.take_apart(format, large), self.take_apart(format, small));
        let width = format.precision() + 4;
        // Three extra places suffice. If more than one place is shifted out, cancellation loses at
        // most one leading bit.
        let lift = |terms: &mut Terms, significand: Term| {
            let low = terms.constant(0, 3);
            let long = terms.concat(significand, low);
            terms.zext(long, width)
        };
        let (first, second) = (lift(self, large.significand), lift(self, small.significand));
        let apart = self.sub(large.exponent, small.exponent);
        let second = self.shift_sticky(second, apart);
        let opposite = self.xor(large.sign, small.sign);
        let (sum, difference) = (self.add(first, second), self.sub(first, second));
        let significand = self.ite(opposite, difference, sum);
        let one = self.exponent(1);
        let exponent = self.add(large.exponent, one);
        let nothing = self.constant(0, width);
        let cancelled = self.eq(significand, nothing);
        // A sum that cancels to zero is positive, unless both operands are negative zeros.
        let both = self.and(large.sign, small.sign);
        let sign = self.ite(cancelled, both, large.sign);
        let number = self.round(format, sign, exponent, significand);
        let infinity = self.infinity(format, large.sign);
        let number = self.ite(large.infinite, infinity, number);
        let clash = self.and(small.infinite, opposite);
        let nan = self.or(large.nan, small.nan);
        let nan = self.or(nan, clash);
        let not_a_number = self.not_a_number(format);
        self.ite(nan, not_a_number, number)
    }

    /// Returns `a - b`.
    pub fn float_sub(&mut self, format: Format, a: Term, b: Term) -> Term {
        let sign = self.constant(1 << (format.bits() - 1), format.bits());
        let b = self.xor(b, sign);
        self.float_add(format, a, b)
    }

    /// Returns `a · b`.
    pub fn float_mul(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (a, b) = (self.take_apart(format, a), self.take_apart(format, b));
        let sign = self.xor(a.sign, b.sign);
        let width = 2 * format.precision();
        let (x, y) = (self.zext(a.significand, width), self.zext(b.significand, width));
        let product = self.mul(x, y);
        let exponent = self.add(a.exponent, b.exponent);
        let one = self.exponent(1);
        let exponent = self.add(exponent, one);
        let number = self.round(format, sign, exponent, product);
        let infinite = self.or(a.infinite, b.infinite);
        let infinity = self.infinity(format, sign);
        let number = self.ite(infinite, infinity, number);
        let zero = self.or(a.zero, b.zero);
        let clash = self.and(infinite, zero);
        let nan = self.or(a.nan, b.nan);
        let nan = self.or(nan, clash);
        let not_a_number = self.not_a_number(format);
        self.ite(nan, not_a_number, number)
    }

    /// Returns `a / b`.
    pub fn float_div(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (a, b) = (self.take_apart(format, a), self.take_apart(format, b));
        let sign = self.xor(a.sign, b.sign);
        let (x, x_exponent) = self.normalise(a.significand, a.exponent);
        let (y, y_exponent) = self.normalise(b.significand, b.exponent);
        // Compute two more places than the result has, plus a sticky bit for the remainder.
        let extra = format.precision() + 2;
        let width = format.precision() + extra;
        let low = self.constant(0, extra);
        let dividend = self.concat(x, low);
        let divisor = self.zext(y, width);
        let (quotient, rest) = (self.udiv(dividend, divisor), self.urem(dividend, divisor));
        let quotient = self.extract(quotient, 0, extra + 1);
        let nothing = self.constant(0, width);
        let sticky = self.ne(rest, nothing);
        let significand = self.concat(quotient, sticky);
        let exponent = self.sub(x_exponent, y_exponent);
        let number = self.round(format, sign, exponent, significand);
        let zero_size = self.constant(0, format.bits() - 1);
        let zero = self.concat(sign, zero_size);
        let vanishes = self.or(a.zero, b.infinite);
        let number = self.ite(vanishes, zero, number);
        let infinite = self.or(a.infinite, b.zero);
        let infinity = self.infinity(format, sign);
        let number = self.ite(infinite, infinity, number);
        let clash = self.and(vanishes, infinite);
        let nan = self.or(a.nan, b.nan);
        let nan = self.or(nan, clash);
        let not_a_number = self.not_a_number(format);
        self.ite(nan, not_a_number, number)
    }

    /// Returns whether the operands are equal; zeros of either sign are equal, and NaN equals nothing.
    pub fn float_equal(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.take_apart(format, a), self.take_apart(format, b));
        let same = self.eq(a, b);
        let zeros = self.and(x.zero, y.zero);
        let alike = self.or(same, zeros);
        let nan = self.or(x.nan, y.nan);
        let numbers = self.not(nan);
        self.and(numbers, alike)
    }

    /// Returns whether `a` is less than `b`; comparisons with NaN are false.
    ///
    /// The order is that of the magnitudes, reversed if both operands are negative.
    pub fn float_less(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.take_apart(format, a), self.take_apart(format, b));
        let size = format.bits() - 1;
        let (size_a, size_b) = (self.extract(a, 0, size), self.extract(b, 0, size));
        let (smaller, greater) = (self.ult(size_a, size_b), self.ult(size_b, size_a));
        let plus_b = self.not(y.sign);
        let from_plus = self.and(plus_b, smaller);
        let truth = self.truth();
        let from_minus = self.ite(y.sign, greater, truth);
        let ordered = self.ite(x.sign, from_minus, from_plus);
        let zeros = self.and(x.zero, y.zero);
        let nan = self.or(x.nan, y.nan);
        let neither = self.or(zeros, nan);
        let differ = self.not(neither);
        self.and(differ, ordered)
    }

    /// Converts a number between formats.
    pub fn float_cast(&mut self, from: Format, to: Format, x: Term) -> Term {
        let x = self.take_apart(from, x);
        let width = from.precision().max(to.precision() + 2);
        let low = self.constant(0, 1);
        let mut significand = x.significand;
        while self.width(significand) < width {
            significand = self.concat(significand, low);
        }
        let number = self.round(to, x.sign, x.exponent, significand);
        let infinity = self.infinity(to, x.sign);
        let number = self.ite(x.infinite, infinity, number);
        let not_a_number = self.not_a_number(to);
        self.ite(x.nan, not_a_number, number)
    }

    /// Converts an integer to the nearest number of the format.
    pub fn float_from_int(&mut self, format: Format, value: Term, is_signed: bool) -> Term {
        let width = self.width(value);
        let sign = if is_signed { self.extract(value, width - 1, 1) } else { self.falsity() };
        let opposite = self.neg(value);
        let size = self.ite(sign, opposite, value);
        let long = width.max(format.precision() + 2);
        let size = self.zext(size, long);
        let exponent = self.exponent(i128::from(long) - 1);
        self.round(format, sign, exponent, size)
    }

    /// Returns the integer part of the magnitude in `width` bits, which is correct if it fits.
    fn whole(&mut self, format: Format, parts: &Parts, width: u32) -> Term {
        let long = width.max(format.precision());
        let significand = self.zext(parts.significand, long);
        let places = self.exponent(i128::from(format.fraction));
        let up = self.sub(parts.exponent, places);
        let down = self.neg(up);
        let shift = |terms: &mut Terms, by: Term, left: bool| {
            let wide = long.max(EXPONENT_BITS);
            let value = terms.zext(significand, wide);
            let by = terms.zext(by, wide);
            let limit = terms.constant(u128::from(wide - 1), wide);
            let few = terms.ule(by, limit);
            let by = terms.ite(few, by, limit);
            let shifted = if left { terms.shl(value, by) } else { terms.lshr(value, by) };
            terms.extract(shifted, 0, width)
        };
        let (scaled, cut) = (shift(self, up, true), shift(self, down, false));
        let zero = self.exponent(0);
        let small = self.slt(parts.exponent, zero);
        let nothing = self.constant(0, width);
        let below = self.slt(up, zero);
        let number = self.ite(below, cut, scaled);
        self.ite(small, nothing, number)
    }

    /// Returns whether the magnitude is finite and less than `2^power`.
    fn below_power(&mut self, parts: &Parts, power: u32) -> Term {
        let power = self.exponent(i128::from(power));
        let less = self.slt(parts.exponent, power);
        let special = self.or(parts.nan, parts.infinite);
        let number = self.not(special);
        self.and(number, less)
    }

    /// Converts a number to a signed integer, truncating towards zero.
    ///
    /// Targets narrower than 32 bits are converted through 32 bits. Values that do not fit yield the least value.
    pub fn float_to_signed(&mut self, format: Format, x: Term, width: u32) -> Term {
        let long = width.max(32);
        let parts = self.take_apart(format, x);
        let size = self.whole(format, &parts, long);
        let opposite = self.neg(size);
        let number = self.ite(parts.sign, opposite, size);
        let least = self.constant(1 << (long - 1), long);
        let fits = self.below_power(&parts, long - 1);
        let number = self.ite(fits, number, least);
        self.extract(number, 0, width)
    }

    /// Converts a number to an unsigned integer, truncating towards zero.
    ///
    /// Values that do not fit yield the following:
    /// - up to 32 bits: the low bits of the conversion to the next wider signed integer;
    /// - up to 64 bits: the signed conversion for negative values, and 0 for NaN and values that
    ///   are too large;
    /// - above 64 bits: 0.
    pub fn float_to_unsigned(&mut self, format: Format, x: Term, width: u32) -> Term {
        if width <= 32 {
            let long = if width < 32 { 32 } else { 64 };
            let number = self.float_to_signed(format, x, long);
            return self.extract(number, 0, width);
        }
        let parts = self.take_apart(format, x);
        let size = self.whole(format, &parts, width);
        let zero = self.constant(0, width);
        let fits = self.below_power(&parts, width);
        let positive = self.ite(fits, size, zero);
        if width > 64 {
            return self.ite(parts.sign, zero, positive);
        }
        let number = self.float_to_signed(format, x, width);
        let number = self.ite(parts.sign, number, positive);
        self.ite(parts.nan, zero, number)
    }
}

/// A rounding mode for rounding to integral values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Towards zero.
    Truncate,
    /// Towards negative infinity.
    Floor,
    /// Towards positive infinity.
    Ceiling,
    /// To the nearest integer, ties away from zero.
    Nearest,
}

impl Terms {
    /// Rounds `x` to an integral value with the same sign; NaN is returned unchanged.
    pub fn float_round(&mut self, format: Format, rounding: Rounding, x: Term) -> Term {
        let parts = self.take_apart(format, x);
        let size_bits = format.bits() - 1;
        let size = self.extract(x, 0, size_bits);
        // The position of the units bit, for magnitudes of at least 1.
        let places = self.exponent(i128::from(format.fraction));
        let point = self.sub(places, parts.exponent);
        let point = self.resize(point, size_bits.max(EXPONENT_BITS), true);
        let point = self.extract(point, 0, size_bits);
        let one = self.constant(1, size_bits);
        let unit = self.shl(one, point);
        let below = self.sub(unit, one);
        let above = self.not(below);
        let cut = self.and(size, above);
        let next = self.add(cut, unit);
        let one_point = self.constant((format.bias() as u128) << format.fraction, size_bits);
        let zero = self.constant(0, size_bits);
        let exact = self.eq(cut, size);
        let inexact = self.not(exact);
        let (none, half) = (self.exponent(0), self.exponent(-1));
        let small = self.slt(parts.exponent, none);
        let something = self.not(parts.zero);
        let minus = parts.sign;
        let plus = self.not(minus);
        // Whether to round away from zero, for magnitudes of at least 1 and for smaller magnitudes.
        let (away, away_small) = match rounding {
            Rounding::Truncate => (self.falsity(), self.falsity()),
            Rounding::Floor => (self.and(minus, inexact), self.and(minus, something)),
            Rounding::Ceiling => (self.and(plus, inexact), self.and(plus, something)),
            Rounding::Nearest => {
                let middle = self.sub(point, one);
                let bit = self.lshr(size, middle);
                (self.extract(bit, 0, 1), self.sle(half, parts.exponent))
            }
        };
        let large_result = self.ite(away, next, cut);
        let small_result = self.ite(away_small, one_point, zero);
        let number = self.ite(small, small_result, large_result);
        let whole = self.sle(places, parts.exponent);
        let number = self.ite(whole, size, number);
        self.concat(minus, number)
    }
}
