//! Property tests on random formulas.
//!
//! Normalisation must preserve the semantics, facts must hold, and the solver must agree with exhaustive enumeration.

use std::sync::Arc;

use cairn_smt::evaluate::{Assignment, apply};
use cairn_smt::session::embedded;
use cairn_smt::term::{Op, mask, signed};
use cairn_smt::{Answer, Session, Term, Terms};
use proptest::prelude::*;

/// An expression over three variables whose semantics is defined independently of [`Terms`].
#[derive(Clone, Debug)]
enum Formula {
    Var(usize),
    Const(u128),
    Binary(&'static str, Box<Formula>, Box<Formula>),
    Unary(&'static str, Box<Formula>),
    Ite(Box<Formula>, Box<Formula>, Box<Formula>),
    /// A comparison whose truth value is zero-extended to the common width.
    Compare(&'static str, Box<Formula>, Box<Formula>),
    /// A bit range, extended back to the common width.
    Slice(u32, u32, bool, Box<Formula>),
}

const BINARY: &[&str] = &["+", "-", "*", "/u", "%u", "/s", "%s", "&", "|", "^", "<<", ">>u", ">>s"];
const COMPARE: &[&str] = &["==", "!=", "<u", "<=u", "<s", "<=s"];

fn formula(width: u32) -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        (0usize..3).prop_map(Formula::Var),
        any::<u128>().prop_map(move |c| Formula::Const(c & mask(width)))
    ];
    leaf.prop_recursive(5, 40, 3, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => (prop::sample::select(BINARY), boxed(), boxed()).prop_map(|(o, a, b)| Formula::Binary(o, a, b)),
            1 => (prop::sample::select(&["-", "~"][..]), boxed()).prop_map(|(o, a)| Formula::Unary(o, a)),
            2 => (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Formula::Ite(c, a, b)),
            2 => (prop::sample::select(COMPARE), boxed(), boxed()).prop_map(|(o, a, b)| Formula::Compare(o, a, b)),
            1 => (0..width, 1..=width, any::<bool>(), boxed())
                .prop_map(move |(low, bits, s, a)| Formula::Slice(low, bits.min(width - low), s, a)),
        ]
    })
}

fn meaning(formula: &Formula, width: u32, values: &[u128; 3]) -> u128 {
    let all = mask(width);
    let go = |f: &Formula| meaning(f, width, values);
    match formula {
        Formula::Var(i) => values[*i],
        Formula::Const(c) => *c,
        Formula::Unary("-", a) => go(a).wrapping_neg() & all,
        Formula::Unary(_, a) => !go(a) & all,
        Formula::Ite(c, a, b) => go(if go(c) != 0 { a } else { b }),
        Formula::Slice(low, bits, is_signed, a) => {
            let part = (go(a) >> low) & mask(*bits);
            if *is_signed { signed(part, *bits) as u128 & all } else { part }
        }
        Formula::Compare(op, a, b) => {
            let (x, y) = (go(a), go(b));
            let (sx, sy) = (signed(x, width), signed(y, width));
            u128::from(match *op {
                "==" => x == y,
                "!=" => x != y,
                "<u" => x < y,
                "<=u" => x <= y,
                "<s" => sx < sy,
                _ => sx <= sy,
            })
        }
        Formula::Binary(op, a, b) => {
            let (x, y) = (go(a), go(b));
            match *op {
                "+" => x.wrapping_add(y) & all,
                "-" => x.wrapping_sub(y) & all,
                "|" => x | y,
                op => {
                    let op = match op {
                        "*" => Op::Mul,
                        "/u" => Op::UDiv,
                        "%u" => Op::URem,
                        "/s" => Op::SDiv,
                        "%s" => Op::SRem,
                        "&" => Op::And,
                        "^" => Op::Xor,
                        "<<" => Op::Shl,
                        ">>u" => Op::LShr,
                        _ => Op::AShr,
                    };
                    apply(op, x, y, width, width)
                }
            }
        }
    }
}

fn build(terms: &mut Terms, formula: &Formula, width: u32, variables: &[Term; 3]) -> Term {
    match formula {
        Formula::Var(i) => variables[*i],
        Formula::Const(c) => terms.constant(*c, width),
        Formula::Unary(op, a) => {
            let a = build(terms, a, width, variables);
            if *op == "-" { terms.neg(a) } else { terms.not(a) }
        }
        Formula::Ite(c, a, b) => {
            let c = build(terms, c, width, variables);
            let a = build(terms, a, width, variables);
            let b = build(terms, b, width, variables);
            let zero = terms.constant(0, width);
            let c = terms.ne(c, zero);
            terms.ite(c, a, b)
        }
        Formula::Slice(low, bits, is_signed, a) => {
            let a = build(terms, a, width, variables);
            let part = terms.extract(a, *low, *bits);
            terms.resize(part, width, *is_signed)
        }
        Formula::Compare(op, a, b) => {
            let a = build(terms, a, width, variables);
            let b = build(terms, b, width, variables);
            let truth = match *op {
                "==" => terms.eq(a, b),
                "!=" => terms.ne(a, b),
                "<u" => terms.ult(a, b),
                "<=u" => terms.ule(a, b),
                "<s" => terms.slt(a, b),
                _ => terms.sle(a, b),
            };
            terms.zext(truth, width)
        }
        Formula::Binary(op, a, b) => {
            let a = build(terms, a, width, variables);
            let b = build(terms, b, width, variables);
            match *op {
                "+" => terms.add(a, b),
                "-" => terms.sub(a, b),
                "*" => terms.mul(a, b),
                "/u" => terms.udiv(a, b),
                "%u" => terms.urem(a, b),
                "/s" => terms.sdiv(a, b),
                "%s" => terms.srem(a, b),
                "&" => terms.and(a, b),
                "|" => terms.or(a, b),
                "^" => terms.xor(a, b),
                "<<" => terms.shl(a, b),
                ">>u" => terms.lshr(a, b),
                _ => terms.ashr(a, b),
            }
        }
    }
}

fn with_variables(width: u32) -> (Terms, [Term; 3]) {
    let mut terms = Terms::new();
    let variables = ["x", "y", "z"].map(|name| terms.variable(name, width));
    (terms, variables)
}

fn assignment(variables: &[Term; 3], values: &[u128; 3]) -> Assignment {
    variables.iter().copied().zip(values.iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn normalisation_preserves_semantics((width, f) in prop::sample::select(&[1u32, 3, 8, 32, 64, 128][..]).prop_flat_map(|w| (Just(w), formula(w))),
                                         values in any::<[u128; 3]>()) {
        let values = values.map(|v| v & mask(width));
        let (mut terms, variables) = with_variables(width);
        let term = build(&mut terms, &f, width, &variables);
        let value = terms.evaluate(term, &assignment(&variables, &values));
        prop_assert_eq!(value, meaning(&f, width, &values));
        let facts = terms.facts(term);
        prop_assert!(facts.min <= value && value <= facts.max, "{:?} {}", facts, value);
        prop_assert_eq!(value & facts.zeros, 0);
        prop_assert_eq!(value & facts.ones, facts.ones);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn solver_agrees_with_enumeration(f in formula(3), g in formula(3)) {
        let (mut terms, variables) = with_variables(3);
        let wanted: Vec<Term> = [&f, &g].map(|h| {
            let term = build(&mut terms, h, 3, &variables);
            let zero = terms.constant(0, 3);
            terms.ne(term, zero)
        }).to_vec();
        let holds = |values: &[u128; 3], h: &Formula| meaning(h, 3, values) != 0;
        let all = (0..512u128).map(|n| [n & 7, n >> 3 & 7, n >> 6]);
        let mut session = Session::default();
        match session.check(&terms, &wanted) {
            Answer::Sat(model) => {
                let values = variables.map(|v| model.get(&v).copied().unwrap_or(0));
                prop_assert!(holds(&values, &f) && holds(&values, &g));
            }
            Answer::Unsat(core) => {
                prop_assert!(!core.is_empty());
                let in_core = |i: usize| core.contains(&wanted[i]);
                prop_assert!(all.into_iter().all(|v| (in_core(0) && !holds(&v, &f)) || (in_core(1) && !holds(&v, &g))));
            }
            Answer::Unknown => prop_assert!(false, "there is no budget"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// With the inputs fixed by assumptions, which normalisation cannot see, a circuit has exactly one value.
    #[test]
    fn circuits_of_every_width_match_the_semantics((width, f) in (1u32..=128).prop_flat_map(|w| (Just(w), formula(w))),
                                                   values in any::<[u128; 3]>()) {
        let values = values.map(|v| v & mask(width));
        let (mut terms, variables) = with_variables(width);
        let term = build(&mut terms, &f, width, &variables);
        let result = terms.variable("result", width);
        let mut wanted = vec![terms.eq(result, term)];
        for (variable, value) in variables.iter().zip(values) {
            let value = terms.constant(value, width);
            wanted.push(terms.eq(*variable, value));
        }
        let Answer::Sat(model) = embedded(Arc::default()).solve(&terms, &open(&terms, &wanted)) else {
            return Err(TestCaseError::fail("there is a value"));
        };
        let expected = meaning(&f, width, &values);
        prop_assert_eq!(model.get(&result).copied().unwrap_or(expected), expected);
        let expected = terms.constant(expected, width);
        wanted.push(terms.ne(result, expected));
        let answer = embedded(Arc::default()).solve(&terms, &open(&terms, &wanted));
        prop_assert!(matches!(answer, Answer::Unsat(_)), "there is one value");
    }
}

/// Drops the truth values that are constantly 1, as a session does before it asks the backend.
fn open(terms: &Terms, wanted: &[Term]) -> Vec<Term> {
    wanted.iter().copied().filter(|&t| !terms.is_true(t)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn repaired_models_satisfy_the_query((width, f, g) in prop::sample::select(&[1u32, 3, 8, 32, 64, 128][..])
                                             .prop_flat_map(|w| (Just(w), formula(w), formula(w))),
                                         values in any::<[u128; 3]>()) {
        let values = values.map(|v| v & mask(width));
        let (mut terms, variables) = with_variables(width);
        let wanted: Vec<Term> = [&f, &g].map(|h| {
            let term = build(&mut terms, h, width, &variables);
            let zero = terms.constant(0, width);
            terms.ne(term, zero)
        }).to_vec();
        if let Some(model) = terms.repair(&wanted, &assignment(&variables, &values)) {
            let values = variables.map(|v| model.get(&v).copied().unwrap_or(0));
            prop_assert!([&f, &g].iter().all(|h| meaning(h, width, &values) != 0));
        }
    }
}

#[test]
fn repair_inverts_operators() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 32);
    let byte = terms.extract(x, 8, 8);
    let byte = terms.zext(byte, 32);
    let scaled = terms.scale(byte, 12);
    let seven = terms.constant(7, 32);
    let sum = terms.add(scaled, seven);
    let exact = terms.constant(12 * 200 + 7, 32);
    let equal = terms.eq(sum, exact);
    let model = terms.repair(&[equal], &Assignment::default()).expect("the operators can be inverted");
    assert_eq!(model.get(&x), Some(&(200 << 8)));
}

#[test]
fn identities_need_no_solver() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 32);
    let y = terms.variable("y", 32);
    // x * 255 = (x << 8) - x
    let left = terms.scale(x, 255);
    let eight = terms.constant(8, 32);
    let right = terms.shl(x, eight);
    let right = terms.sub(right, x);
    assert_eq!(left, right);
    // x + 4 = y is the same as y - x = 4.
    let four = terms.constant(4, 32);
    let sum = terms.add(x, four);
    let a = terms.eq(sum, y);
    let difference = terms.sub(y, x);
    let b = terms.eq(difference, four);
    assert_eq!(a, b);
    // Concatenating the four bytes of a value yields the value.
    let bytes = [0, 8, 16, 24].map(|low| terms.extract(x, low, 8));
    let whole = bytes.into_iter().reduce(|low, high| terms.concat(high, low)).expect("four bytes");
    assert_eq!(whole, x);
    // The low bits of a multiple of 8 are 0.
    let scaled = terms.scale(x, 8);
    assert_eq!(terms.extract(scaled, 0, 3), terms.constant(0, 3));
}

#[test]
fn exhausted_conflict_budget_yields_unknown() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 64);
    let y = terms.variable("y", 64);
    // Factoring a product of two large primes.
    let product = terms.mul(x, y);
    let n = terms.constant(3_037_000_493 * 2_147_483_647, 64);
    let one = terms.constant(1, 64);
    let bound = terms.constant(1 << 32, 64);
    let wanted = [terms.eq(product, n), terms.ult(one, x), terms.ult(x, bound), terms.ult(one, y), terms.ult(y, bound)];
    let mut session = Session::default();
    session.set_conflict_budget(Some(50));
    assert_eq!(session.check(&terms, &wanted), Answer::Unknown);
}

#[test]
fn interrupted_session_yields_unknown() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 64);
    let y = terms.variable("y", 64);
    let product = terms.mul(x, y);
    let n = terms.constant(3_037_000_493 * 2_147_483_647, 64);
    let one = terms.constant(1, 64);
    let wanted = [terms.eq(product, n), terms.ult(one, x), terms.ult(one, y)];
    let interrupt = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let mut session = Session::new(interrupt);
    assert_eq!(session.check(&terms, &wanted), Answer::Unknown);
}

#[test]
fn sessions_are_incremental_and_cache_cores() {
    let mut terms = Terms::new();
    let x = terms.variable("x", 32);
    let mut session = Session::default();
    for limit in 1..50u128 {
        let low = terms.constant(limit, 32);
        let high = terms.constant(limit + 2, 32);
        let above = terms.ult(low, x);
        let below = terms.ult(x, high);
        let exact = terms.constant(limit + 1, 32);
        let other = terms.ne(x, exact);
        assert!(
            matches!(session.check(&terms, &[above, below]), Answer::Sat(model) if model.get(&x) == Some(&(limit + 1)))
        );
        assert!(matches!(session.check(&terms, &[above, below, other]), Answer::Unsat(_)));
        assert!(matches!(session.check(&terms, &[below, above, other]), Answer::Unsat(_)));
    }
    assert_eq!(session.statistics().cached, 49);
}
