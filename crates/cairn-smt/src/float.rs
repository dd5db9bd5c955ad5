//! Floating point of IEEE 754 as terms over the bits of its formats, rounded to nearest, ties to even.
//!
//! The standard leaves open what the bits of a result are that is no number, beyond saying so: they are a variable. Conversions to
//! integers that do not fit are undefined in C and give what gcc's code gives on x86.

use crate::term::{Term, Terms};

/// A binary interchange format: a sign, an exponent with a bias, a fraction whose leading one is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
}

impl Format {
    /// 16 bits.
    pub const HALF: Format = Format { exponent: 5, fraction: 10 };
    /// 32 bits, `float`.
    pub const SINGLE: Format = Format { exponent: 8, fraction: 23 };
    /// 64 bits, `double`.
    pub const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    /// Bits of a number.
    pub const fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// Bits of a significand.
    const fn precision(self) -> u32 {
        self.fraction + 1
    }

    /// What the exponent's bits are greater by than the exponent.
    const fn bias(self) -> i128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of an infinity, which are above those of every number.
    const fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.fraction
    }
}

/// Bits in which exponents are computed: those of sums and differences of exponents of `double`, and of any shift.
const EXPONENT_BITS: u32 = 16;

/// A number taken apart: `significand / 2^fraction · 2^exponent`, also below the least normal number, where the leading bit of the
/// significand is 0.
struct Parts {
    sign: Term,
    exponent: Term,
    significand: Term,
    /// It is no number.
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
        // Subnormal numbers have the exponent of the least normal ones.
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

    /// Something that is no number.
    fn not_a_number(&mut self, format: Format) -> Term {
        let sign = self.variable("nan", 1);
        let payload = self.variable("nan", format.fraction - 1);
        let exponent = self.constant(u128::MAX, format.exponent + 1);
        let quiet = self.concat(exponent, payload);
        self.concat(sign, quiet)
    }

    /// Shifts to the right by a number of places that may be any; what falls out is kept as the last bit.
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
        // A shift by the whole width leaves nothing but the last bit.
        let lost = self.ite(full, something, lost);
        let kept = self.extract(shifted, 0, width);
        let kept = self.ite(full, zero, kept);
        let lost = self.zext(lost, width);
        self.or(kept, lost)
    }

    /// Shifts to the left until the leading bit is 1, and counts that off the exponent. Zero stays what it is.
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

    /// The number nearest to `significand / 2^(width - 1) · 2^exponent`, where the last bit of the significand may be sticky.
    fn round(&mut self, format: Format, sign: Term, exponent: Term, significand: Term) -> Term {
        let width = self.width(significand);
        let precision = format.precision();
        debug_assert!(width >= precision + 2);
        let nothing = self.constant(0, width);
        let zero = self.eq(significand, nothing);
        let (significand, exponent) = self.normalise(significand, exponent);
        // The exponent as the format spells it; from 0 down the number is subnormal.
        let bias = self.exponent(format.bias());
        let exponent = self.add(exponent, bias);
        let (none, one) = (self.exponent(0), self.exponent(1));
        let subnormal = self.sle(exponent, none);
        let missing = self.sub(one, exponent);
        let places = self.ite(subnormal, missing, none);
        let significand = self.shift_sticky(significand, places);
        // The place after the last decides, in the middle what comes after it, and in the very middle the last place.
        let kept = self.extract(significand, width - precision, precision);
        let half = self.extract(significand, width - precision - 1, 1);
        let rest = self.extract(significand, 0, width - precision - 1);
        let no_rest = self.constant(0, width - precision - 1);
        let more = self.ne(rest, no_rest);
        let odd = self.extract(kept, 0, 1);
        let decides = self.or(more, odd);
        let up = self.and(half, decides);
        // The leading one is added to the exponent's bits, and so is what rounding carries over.
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

    /// `a + b`.
    pub fn float_add(&mut self, format: Format, a: Term, b: Term) -> Term {
        let size = format.bits() - 1;
        // The one of the greater size first, so that nothing is shifted out of it and the difference is not negative.
        let (size_a, size_b) = (self.extract(a, 0, size), self.extract(b, 0, size));
        let swap = self.ult(size_a, size_b);
        let (large, small) = (self.ite(swap, b, a), self.ite(swap, a, b));
        let (large, small) = (self.take_apart(format, large), self.take_apart(format, small));
        let width = format.precision() + 4;
        // Three places below the last suffice: if more than one place is lost, at most one is gained by cancelling.
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
        // What cancels out is positive, unless both are negative zeros.
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

    /// `a - b`.
    pub fn float_sub(&mut self, format: Format, a: Term, b: Term) -> Term {
        let sign = self.constant(1 << (format.bits() - 1), format.bits());
        let b = self.xor(b, sign);
        self.float_add(format, a, b)
    }

    /// `a · b`.
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

    /// `a / b`.
    pub fn float_div(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (a, b) = (self.take_apart(format, a), self.take_apart(format, b));
        let sign = self.xor(a.sign, b.sign);
        let (x, x_exponent) = self.normalise(a.significand, a.exponent);
        let (y, y_exponent) = self.normalise(b.significand, b.exponent);
        // Two places more than the result has, and whether anything is left.
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

    /// Whether both are numbers and equal. Both zeros are.
    pub fn float_equal(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.take_apart(format, a), self.take_apart(format, b));
        let same = self.eq(a, b);
        let zeros = self.and(x.zero, y.zero);
        let alike = self.or(same, zeros);
        let nan = self.or(x.nan, y.nan);
        let numbers = self.not(nan);
        self.and(numbers, alike)
    }

    /// Whether both are numbers and `a` is less: the order of their sizes, the other way round where both are negative.
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

    /// Between formats.
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

    /// An integer as a number.
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

    /// The integer part of the size, in `width` bits; right where it fits.
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

    /// Whether the size is below `2^power`.
    fn below_power(&mut self, parts: &Parts, power: u32) -> Term {
        let power = self.exponent(i128::from(power));
        let less = self.slt(parts.exponent, power);
        let special = self.or(parts.nan, parts.infinite);
        let number = self.not(special);
        self.and(number, less)
    }

    /// The signed integer that is left when places after the point are dropped: through 32 bits for narrower ones, and the least value
    /// where it does not fit.
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

    /// The unsigned integer that is left when places after the point are dropped; where it does not fit, what the next wider signed
    /// conversion gives, for 64 bits that of two halves, and 0 for more.
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

/// How a number becomes a whole one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Towards zero.
    Truncate,
    /// Down.
    Floor,
    /// Up.
    Ceiling,
    /// To the nearest, the middle away from zero.
    Nearest,
}

impl Terms {
    /// A whole number near `x`, which keeps its sign; what is no number stays as it is.
    pub fn float_round(&mut self, format: Format, rounding: Rounding, x: Term) -> Term {
        let parts = self.take_apart(format, x);
        let size_bits = format.bits() - 1;
        let size = self.extract(x, 0, size_bits);
        // The place of 1 among the bits, for sizes from 1 on; whole numbers from there up.
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
        // Whether it goes away from zero: for sizes from 1 on, and below.
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
