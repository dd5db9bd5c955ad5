//! Scalar operations of the IR as terms. Floating-point operations are in [`float_terms`].

use cairn_ir::inst::{DivideOp, FitsOp};
use cairn_ir::layout::Target;
use cairn_ir::{BinaryOp, Ty, UnaryOp};
use cairn_smt::term::MAX_WIDTH;
use cairn_smt::{Term, Terms};

use super::float_terms;

/// Applies a unary operation.
pub fn unary(terms: &mut Terms, target: Target, op: UnaryOp, ty: Ty, value: Term) -> Term {
    let width = ty.bits(target);
    if ty.is_float() {
        // Negation flips the sign bit.
        let sign = terms.constant(1 << (width - 1), width);
        return terms.xor(value, sign);
    }
    match op {
        UnaryOp::Neg => terms.neg(value),
        UnaryOp::Not => terms.not(value),
        UnaryOp::PopCount => {
            let mut sum = terms.constant(0, width);
            for bit in 0..width {
                let bit = terms.extract(value, bit, 1);
                let bit = terms.zext(bit, width);
                sum = terms.add(sum, bit);
            }
            sum
        }
        UnaryOp::ByteSwap => {
            let bytes: Vec<Term> = (0..width / 8).map(|i| terms.extract(value, 8 * i, 8)).collect();
            bytes.into_iter().reduce(|high, low| terms.concat(high, low)).unwrap_or(value)
        }
        UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => {
            let mut result = terms.constant(u128::from(width), width);
            for step in 0..width {
                // The last test takes precedence, so the bit that is counted first is tested last.
                let position = width - 1 - step;
                let bit = if op == UnaryOp::CountLeadingZeros { width - 1 - position } else { position };
                let bit = terms.extract(value, bit, 1);
                let count = terms.constant(u128::from(position), width);
                result = terms.ite(bit, count, result);
            }
            result
        }
    }
}

/// Applies a binary operation that is defined for all operands.
pub fn binary(terms: &mut Terms, target: Target, op: BinaryOp, ty: Ty, a: Term, b: Term) -> Term {
    let width = ty.bits(target);
    if ty.is_float() {
        return float_terms::binary(terms, op, ty, a, b);
    }
    match op {
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        BinaryOp::And => terms.and(a, b),
        BinaryOp::Or => terms.or(a, b),
        BinaryOp::Xor => terms.xor(a, b),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let limit = terms.constant(u128::from(width - 1), width);
            let amount = terms.and(b, limit);
            match op {
                BinaryOp::Shl => terms.shl(a, amount),
                BinaryOp::LShr => terms.lshr(a, amount),
                _ => terms.ashr(a, amount),
            }
        }
        BinaryOp::FDiv => terms.variable("float", width),
    }
}

/// Returns the condition under which a division is defined, and its result in that case.
pub fn divide(terms: &mut Terms, op: DivideOp, a: Term, b: Term) -> (Term, Term) {
    let width = terms.width(a);
    let zero = terms.constant(0, width);
    let mut defined = terms.ne(b, zero);
    if matches!(op, DivideOp::SDiv | DivideOp::SRem) {
        let (least, minus_one) = (terms.constant(1 << (width - 1), width), terms.constant(u128::MAX, width));
        let (x, y) = (terms.eq(a, least), terms.eq(b, minus_one));
        let overflow = terms.and(x, y);
        let fits = terms.not(overflow);
        defined = terms.and(defined, fits);
    }
    let result = match op {
        DivideOp::SDiv => terms.sdiv(a, b),
        DivideOp::UDiv => terms.udiv(a, b),
        DivideOp::SRem => terms.srem(a, b),
        DivideOp::URem => terms.urem(a, b),
    };
    (defined, result)
}

/// Returns the condition under which the result of an operation fits its type.
pub fn fits(terms: &mut Terms, op: FitsOp, a: Term, b: Term) -> Term {
    let width = terms.width(a);
    if is_certain(terms, op, a, b) {
        return terms.truth();
    }
    match op {
        FitsOp::Below => terms.ult(a, b),
        FitsOp::Div => {
            let (least, minus_one) = (terms.constant(1 << (width - 1), width), terms.constant(u128::MAX, width));
            let (x, y) = (terms.eq(a, least), terms.eq(b, minus_one));
            let both = terms.and(x, y);
            terms.not(both)
        }
        FitsOp::Shl => {
            let (zero, bits) = (terms.constant(0, width), terms.constant(u128::from(width), width));
            let greatest = terms.constant(u128::MAX >> (129 - width), width);
            let most = terms.lshr(greatest, b);
            let (is_inside, is_positive, is_small) = (terms.ult(b, bits), terms.sle(zero, a), terms.ule(a, most));
            let both = terms.and(is_inside, is_positive);
            terms.and(both, is_small)
        }
        FitsOp::Add | FitsOp::Sub => sum_fits(terms, op, a, b),
        FitsOp::Mul => product_fits(terms, a, b),
    }
}

/// Returns whether the known bounds of the operands show that a result fits.
fn is_certain(terms: &Terms, op: FitsOp, a: Term, b: Term) -> bool {
    let (x, y, width) = (terms.facts(a), terms.facts(b), terms.width(a));
    if width > MAX_WIDTH / 2 {
        return false;
    }
    let bounds = match op {
        FitsOp::Add => [x.signed_min + y.signed_min, x.signed_max + y.signed_max].to_vec(),
        FitsOp::Sub => [x.signed_min - y.signed_max, x.signed_max - y.signed_min].to_vec(),
        FitsOp::Mul => {
            let products = |factor: i128| [factor * y.signed_min, factor * y.signed_max];
            [products(x.signed_min), products(x.signed_max)].concat()
        }
        FitsOp::Div | FitsOp::Shl | FitsOp::Below => return false,
    };
    bounds.iter().all(|&bound| signed(bound as u128, width) == bound)
}

/// Returns the condition under which a sum or difference fits the type of its operands.
fn sum_fits(terms: &mut Terms, op: FitsOp, a: Term, b: Term) -> Term {
    let width = terms.width(a);
    let greatest = i128::MAX >> (128 - width);
    let least = -greatest - 1;
    let number = |terms: &Terms, term| terms.as_const(term).map(|bits| signed(bits, width));
    let at_most = |terms: &mut Terms, term, bound: i128| {
        let bound = terms.constant(truncated(bound, width), width);
        terms.sle(term, bound)
    };
    let at_least = |terms: &mut Terms, term, bound: i128| {
        let bound = terms.constant(truncated(bound, width), width);
        terms.sle(bound, term)
    };
    match (op, number(terms, a), number(terms, b)) {
        (FitsOp::Add, None, Some(c)) if c >= 0 => at_most(terms, a, greatest - c),
        (FitsOp::Add, None, Some(c)) => at_least(terms, a, least - c),
        (FitsOp::Add, Some(c), _) if c >= 0 => at_most(terms, b, greatest - c),
        (FitsOp::Add, Some(c), _) => at_least(terms, b, least - c),
        (FitsOp::Sub, None, Some(c)) if c >= 0 => at_least(terms, a, least + c),
        (FitsOp::Sub, None, Some(c)) => at_most(terms, a, greatest + c),
        (FitsOp::Sub, Some(c), _) if c >= 0 => at_least(terms, b, c - greatest),
        (FitsOp::Sub, Some(c), _) => at_most(terms, b, c.wrapping_sub(least)),
        // The result is less than the left operand exactly if the right operand makes it less.
        _ => {
            let zero = terms.constant(0, width);
            let (result, lowers) = match op {
                FitsOp::Sub => (terms.sub(a, b), terms.slt(zero, b)),
                _ => (terms.add(a, b), terms.slt(b, zero)),
            };
            let is_lower = terms.slt(result, a);
            terms.eq(lowers, is_lower)
        }
    }
}

/// Returns the condition under which a product fits the type of its operands.
fn product_fits(terms: &mut Terms, a: Term, b: Term) -> Term {
    let width = terms.width(a);
    let greatest = i128::MAX >> (128 - width);
    let least = -greatest - 1;
    let (variable, factor) = match (terms.as_const(a), terms.as_const(b)) {
        (Some(factor), _) => (b, Some(factor)),
        (_, factor) => (a, factor),
    };
    match factor.map(|bits| signed(bits, width)) {
        Some(0) => terms.truth(),
        Some(-1) => {
            let least = terms.constant(truncated(least, width), width);
            terms.ne(variable, least)
        }
        Some(factor) => {
            let (x, y) = (greatest / factor, least / factor);
            let (low, high) = (truncated(x.min(y), width), truncated(x.max(y), width));
            let (low, high) = (terms.constant(low, width), terms.constant(high, width));
            let (above, below) = (terms.sle(low, variable), terms.sle(variable, high));
            terms.and(above, below)
        }
        None if width <= MAX_WIDTH / 2 => {
            let (x, y) = (terms.sext(a, 2 * width), terms.sext(b, 2 * width));
            let exact = terms.mul(x, y);
            let low = terms.extract(exact, 0, width);
            let back = terms.sext(low, 2 * width);
            terms.eq(back, exact)
        }
        // Dividing the product by a factor gives the other factor.
        None => {
            let (zero, minus_one) = (terms.constant(0, width), terms.constant(u128::MAX, width));
            let least = terms.constant(truncated(least, width), width);
            let product = terms.mul(a, b);
            let quotient = terms.sdiv(product, b);
            let (is_zero, is_same) = (terms.eq(b, zero), terms.eq(quotient, a));
            let (x, y) = (terms.eq(a, least), terms.eq(b, minus_one));
            let both = terms.and(x, y);
            let fits = terms.not(both);
            let fits = terms.and(is_same, fits);
            terms.or(is_zero, fits)
        }
    }
}

/// Returns the signed value of the low bits.
fn signed(bits: u128, width: u32) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}

/// Returns the low bits of a number.
fn truncated(number: i128, width: u32) -> u128 {
    number as u128 & (u128::MAX >> (128 - width))
}

#[cfg(test)]
mod tests {
    use cairn_smt::evaluate::Assignment;

    use super::*;

    /// Whether an operation fits four bits, by its definition.
    fn expected(op: FitsOp, a: i128, b: i128) -> bool {
        let result = match op {
            FitsOp::Add => a + b,
            FitsOp::Sub => a - b,
            FitsOp::Mul => a * b,
            FitsOp::Div if b == 0 => 0,
            FitsOp::Div => a / b,
            FitsOp::Shl if a < 0 || !(0..4).contains(&b) => return false,
            FitsOp::Shl => a << b,
            FitsOp::Below => return (a & 15) < (b & 15),
        };
        (-8..8).contains(&result)
    }

    #[test]
    fn requirements_hold_exactly_where_the_result_fits() {
        for &op in FitsOp::ALL {
            for (a, b) in (-8..8).flat_map(|a| (-8..8).map(move |b| (a, b))) {
                let mut terms = Terms::new();
                let (x, y) = (terms.variable("x", 4), terms.variable("y", 4));
                let (c, d) = (terms.constant(truncated(a, 4), 4), terms.constant(truncated(b, 4), 4));
                let mut values = Assignment::default();
                values.insert(x, truncated(a, 4));
                values.insert(y, truncated(b, 4));
                for (left, right) in [(x, y), (c, y), (x, d), (c, d)] {
                    let condition = fits(&mut terms, op, left, right);
                    assert_eq!(terms.evaluate(condition, &values) == 1, expected(op, a, b), "{op:?} {a} {b}");
                }
            }
        }
    }
}
