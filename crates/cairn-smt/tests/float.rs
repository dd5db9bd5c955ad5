//! Compares floating-point terms with the arithmetic of the machine, on random and special numbers.

use cairn_smt::evaluate::Assignment;
use cairn_smt::float::{Format, Rounding};
use cairn_smt::{Answer, Session, Term, Terms};
use proptest::prelude::*;
use std::sync::Arc;

/// Generates doubles, with emphasis on boundary cases.
///
/// These are zeros, the limits of the subnormal and normal ranges, powers of two at which integer
/// ranges end, halves, infinities and NaN.
fn doubles() -> impl Strategy<Value = f64> {
    let special = prop::sample::select(vec![
        0.0,
        f64::from_bits(1),
        f64::from_bits((1 << 52) - 1),
        f64::MIN_POSITIVE,
        f64::EPSILON,
        0.5,
        1.0 - f64::EPSILON / 2.0,
        1.0,
        1.5,
        2.5,
        2147483647.0,
        2147483648.0,
        4294967296.0,
        4503599627370495.5,
        9007199254740993.0,
        9223372036854775807.0,
        18446744073709551615.0,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ]);
    let near = (special.clone(), -3i64..4)
        .prop_map(|(x, steps)| f64::from_bits((x.to_bits() as i64 + steps) as u64 & !(1 << 63)));
    // Exponents close to each other, so that sums cancel and round.
    let middle = (any::<u64>(), 1000u64..1090).prop_map(|(bits, exponent)| f64::from_bits(bits >> 12 | exponent << 52));
    let free = any::<u64>().prop_map(|bits| f64::from_bits(bits & !(1 << 63)));
    let few =
        (any::<u8>(), 960u64..1100).prop_map(|(bits, exponent)| f64::from_bits(u64::from(bits) << 44 | exponent << 52));
    (prop_oneof![special, near, middle, free, few], any::<bool>()).prop_map(|(x, minus)| if minus { -x } else { x })
}

fn singles() -> impl Strategy<Value = f32> {
    let bits = any::<u32>().prop_map(f32::from_bits);
    let near =
        (any::<u32>(), 100u32..160).prop_map(|(bits, exponent)| f32::from_bits(bits & 0x807f_ffff | exponent << 23));
    let small =
        (any::<u32>(), 0u32..3).prop_map(|(bits, exponent)| f32::from_bits(bits & 0x807f_ffff | exponent << 23));
    let whole = (-300i32..300).prop_map(|x| x as f32 / 4.0);
    prop_oneof![bits, near, small, whole, doubles().prop_map(|x| x as f32)]
}

/// Builds a term over variables and evaluates it under the given values.
fn value(inputs: &[(u128, u32)], build: impl FnOnce(&mut Terms, &[Term]) -> Term) -> u128 {
    let mut terms = Terms::new();
    let mut assignment = Assignment::default();
    let variables: Vec<Term> = inputs.iter().map(|&(_, width)| terms.variable("x", width)).collect();
    for (&variable, &(bits, _)) in variables.iter().zip(inputs) {
        assignment.insert(variable, bits);
    }
    let term = build(&mut terms, &variables);
    terms.evaluate(term, &assignment)
}

fn double(x: f64) -> (u128, u32) {
    (x.to_bits().into(), 64)
}

fn single(x: f32) -> (u128, u32) {
    (x.to_bits().into(), 32)
}

/// Returns whether the bits are equal or both values are NaN.
fn same64(bits: u128, expected: f64) -> bool {
    let got = f64::from_bits(bits as u64);
    if expected.is_nan() { got.is_nan() } else { got.to_bits() == expected.to_bits() }
}

fn same32(bits: u128, expected: f32) -> bool {
    let got = f32::from_bits(bits as u32);
    if expected.is_nan() { got.is_nan() } else { got.to_bits() == expected.to_bits() }
}

const DOUBLE: Format = Format::DOUBLE;
const SINGLE: Format = Format::SINGLE;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn arithmetic_of_doubles(a in doubles(), b in doubles()) {
        let inputs = [double(a), double(b)];
        prop_assert!(same64(value(&inputs, |t, x| t.float_add(DOUBLE, x[0], x[1])), a + b), "{a} + {b}");
        prop_assert!(same64(value(&inputs, |t, x| t.float_sub(DOUBLE, x[0], x[1])), a - b), "{a} - {b}");
        prop_assert!(same64(value(&inputs, |t, x| t.float_mul(DOUBLE, x[0], x[1])), a * b), "{a} * {b}");
        prop_assert!(same64(value(&inputs, |t, x| t.float_div(DOUBLE, x[0], x[1])), a / b), "{a} / {b}");
    }

    #[test]
    fn arithmetic_of_singles(a in singles(), b in singles()) {
        let inputs = [single(a), single(b)];
        prop_assert!(same32(value(&inputs, |t, x| t.float_add(SINGLE, x[0], x[1])), a + b), "{a} + {b}");
        prop_assert!(same32(value(&inputs, |t, x| t.float_sub(SINGLE, x[0], x[1])), a - b), "{a} - {b}");
        prop_assert!(same32(value(&inputs, |t, x| t.float_mul(SINGLE, x[0], x[1])), a * b), "{a} * {b}");
        prop_assert!(same32(value(&inputs, |t, x| t.float_div(SINGLE, x[0], x[1])), a / b), "{a} / {b}");
    }

    #[test]
    fn comparisons(a in doubles(), b in doubles(), c in singles()) {
        for (x, y) in [(a, b), (a, a), (a, -a), (0.0, -0.0)] {
            let inputs = [double(x), double(y)];
            prop_assert_eq!(value(&inputs, |t, v| t.float_equal(DOUBLE, v[0], v[1])) == 1, x == y);
            prop_assert_eq!(value(&inputs, |t, v| t.float_less(DOUBLE, v[0], v[1])) == 1, x < y);
        }
        prop_assert_eq!(value(&[single(c), single(-c)], |t, v| t.float_less(SINGLE, v[0], v[1])) == 1, c < -c);
    }

    #[test]
    fn conversions_between_formats(a in doubles(), b in singles()) {
        prop_assert!(same32(value(&[double(a)], |t, x| t.float_cast(DOUBLE, SINGLE, x[0])), a as f32), "{a}");
        prop_assert!(same64(value(&[single(b)], |t, x| t.float_cast(SINGLE, DOUBLE, x[0])), f64::from(b)), "{b}");
    }

    #[test]
    fn conversions_from_integers(wide in any::<i64>(), shift in 0u32..64) {
        let (i, u) = (wide >> shift, wide as u64 >> shift);
        let (signed, unsigned) = ([(u128::from(i as u64), 64)], [(u128::from(u), 64)]);
        prop_assert!(same64(value(&signed, |t, x| t.float_from_int(DOUBLE, x[0], true)), i as f64), "{i}");
        prop_assert!(same64(value(&unsigned, |t, x| t.float_from_int(DOUBLE, x[0], false)), u as f64), "{u}");
        prop_assert!(same32(value(&signed, |t, x| t.float_from_int(SINGLE, x[0], true)), i as f32), "{i}");
        prop_assert!(same32(value(&unsigned, |t, x| t.float_from_int(SINGLE, x[0], false)), u as f32), "{u}");
        let narrow = [(u128::from(i as u32), 32)];
        prop_assert!(same64(value(&narrow, |t, x| t.float_from_int(DOUBLE, x[0], true)), f64::from(i as i32)), "{i}");
        let byte = [(u128::from(i as u8), 8)];
        prop_assert!(same32(value(&byte, |t, x| t.float_from_int(SINGLE, x[0], true)), f32::from(i as i8)), "{i}");
        let huge = i128::from(i) << 40;
        prop_assert!(same64(value(&[(huge as u128, 128)], |t, x| t.float_from_int(DOUBLE, x[0], true)), huge as f64));
    }

    /// Rust's conversions saturate, so they agree only on values in range.
    #[test]
    fn conversions_to_integers(a in doubles(), b in singles()) {
        let least = |bits: u32| 1u128 << (bits - 1);
        let inside = |x: f64, bits: i32| x.trunc() >= -(2f64.powi(bits - 1)) && x.trunc() < 2f64.powi(bits - 1);
        for (bits, expected) in [(32u32, a as i32 as u32 as u128), (64, a as i64 as u64 as u128)] {
            let got = value(&[double(a)], |t, x| t.float_to_signed(DOUBLE, x[0], bits));
            prop_assert_eq!(got, if inside(a, bits as i32) { expected } else { least(bits) }, "{} to {} bits", a, bits);
        }
        let narrow = value(&[double(a)], |t, x| t.float_to_signed(DOUBLE, x[0], 8));
        prop_assert_eq!(narrow, if inside(a, 32) { u128::from(a as i32 as u8) } else { 0 });
        let word = value(&[double(a)], |t, x| t.float_to_unsigned(DOUBLE, x[0], 32));
        prop_assert_eq!(word, if inside(a, 64) { u128::from(a as i64 as u32) } else { 0 });
        let long = value(&[double(a)], |t, x| t.float_to_unsigned(DOUBLE, x[0], 64));
        let expected = match a {
            _ if a.trunc() >= 0.0 && a < 18446744073709551616.0 => u128::from(a as u64),
            _ if a < 0.0 => if inside(a, 64) { u128::from(a as i64 as u64) } else { least(64) },
            _ => 0,
        };
        prop_assert_eq!(long, expected, "{} to 64 bits", a);
        let single_to = value(&[single(b)], |t, x| t.float_to_signed(SINGLE, x[0], 32));
        prop_assert_eq!(single_to, if inside(b.into(), 32) { u128::from(b as i32 as u32) } else { least(32) });
    }

    #[test]
    fn rounding_to_integral_values(a in doubles(), b in singles()) {
        let modes = [Rounding::Truncate, Rounding::Floor, Rounding::Ceiling, Rounding::Nearest];
        for (mode, (x, y)) in modes.into_iter().zip([
            (a.trunc(), b.trunc()),
            (a.floor(), b.floor()),
            (a.ceil(), b.ceil()),
            (a.round(), b.round()),
        ]) {
            prop_assert!(same64(value(&[double(a)], |t, v| t.float_round(DOUBLE, mode, v[0])), x), "{mode:?} of {a}");
            prop_assert!(same32(value(&[single(b)], |t, v| t.float_round(SINGLE, mode, v[0])), y), "{mode:?} of {b}");
        }
    }
}

/// Converts halves to singles and back.
#[test]
fn halves_survive_conversion_to_singles() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 16);
    let wide = terms.float_cast(Format::HALF, SINGLE, x);
    let back = terms.float_cast(SINGLE, Format::HALF, wide);
    for bits in (0..=u128::from(u16::MAX)).step_by(7) {
        let mut assignment = Assignment::default();
        assignment.insert(x, bits);
        if bits & 0x7fff <= 0x7c00 {
            assert_eq!(terms.evaluate(back, &assignment), bits);
        }
    }
    let mut assignment = Assignment::default();
    assignment.insert(x, 0x3e00);
    assert_eq!(terms.evaluate(wide, &assignment) as u32, 1.5f32.to_bits());
}

/// Solves floating-point equations with and without solutions.
#[test]
fn solver_decides_float_equations() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 32);
    let square = terms.float_mul(SINGLE, x, x);
    let mut session = Session::new(Arc::default());
    for (number, solvable) in [(2.25f32, true), (2.0, false), (-1.0, false)] {
        let number_term = terms.constant(number.to_bits().into(), 32);
        let equal = terms.float_equal(SINGLE, square, number_term);
        match session.check(&terms, &[equal]) {
            Answer::Sat(model) => {
                let root = f32::from_bits(terms.evaluate(x, &model) as u32);
                assert!(solvable && root * root == number, "{root} is no root of {number}");
            }
            Answer::Unsat(_) => assert!(!solvable, "{number} has a root"),
            Answer::Unknown => panic!("{number}: no answer"),
        }
    }
}
