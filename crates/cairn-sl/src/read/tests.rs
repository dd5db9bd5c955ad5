//! Tests of reading and printing: round trips, and errors with their positions.

use super::*;
use crate::formula::Formula;
use crate::print;
use crate::script::Command;

const LIST: &str = "(set-logic QF_SHLS)
(set-info :status unsat)
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (next Ref) (data Int)))))
(declare-heap (Ref Node))
(define-fun-rec list ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (d Int)) (and (distinct x y) (sep (pto x (node u d)) (list u y))))))
(declare-const x Ref)
(declare-const y Ref)
(declare-const n Node)
(declare-const i Int)
";

fn with_list(rest: &str) -> Result<Script, ReadError> {
    read(&format!("{LIST}{rest}"))
}

#[test]
fn printed_scripts_round_trip() {
    for rest in [
        "(check-sat)(assert (sep (list x y) (pto y n)))(assert (not (list x (as nil Ref))))(check-sat)(get-model)",
        "(assert (or (wand (pto x n) true) (septraction (_ emp Ref Node) (not (pto y n)))))",
        "(assert (and (<= (+ i 1) 5) (< i (* 2 i)) (>= (- i) 3) (distinct i 7) (= (next n) x)))",
        "(push 1)(assert (exists ((x Ref)) (forall ((y Ref)) (= x y))))(pop 1)(check-sat)",
        "(define-fun both ((a Ref) (p Bool)) Bool (and p (= a x)))(assert (both y (both x (exists ((z Ref)) (= z y)))))",
        "(assert (let ((p (exists ((z Ref)) (pto z n)))) (sep p p)))",
    ] {
        let script = with_list(rest).unwrap_or_else(|error| panic!("{rest}: {error}"));
        let text = print::script(&script);
        let again = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(print::script(&again), text);
        assert_eq!(script.commands.len(), again.commands.len());
    }
}

#[test]
fn reused_formulas_get_fresh_binders() {
    let script = with_list("(assert (let ((p (exists ((z Ref)) (pto z n)))) (sep p p)))").expect("it is valid");
    let Some(Command::Assert(Formula::Sep(parts))) = script.commands.first() else { panic!("it is a separation") };
    let [Formula::Exists(a, _), Formula::Exists(b, _)] = &parts[..] else { panic!("with two parts") };
    assert_ne!(a, b);
}

#[test]
fn definitions_have_cases() {
    let script = with_list("").expect("it is valid");
    let list = script.signature.predicate(script.signature.predicate_named("list").expect("it is defined"));
    let cases = list.cases();
    assert_eq!(cases.len(), 2);
    assert_eq!((cases[0].spatial.len(), cases[1].spatial.len(), cases[1].existentials.len()), (0, 2, 2));
}

#[test]
fn errors_report_position_and_expectation() {
    for (rest, line, column, message) in [
        ("(assert (pto x y))", 13, 16, "expected the sort `Node`, found a location of sort `Ref`"),
        ("(assert (list x))", 13, 9, "takes 2 arguments, found 1"),
        ("(assert\n (= x z))", 14, 7, "`z` was not declared"),
        ("(assert (= x i))", 13, 14, "expected the sort `Ref`, found an integer"),
        ("(assert (and true", 13, 9, "ends before the `)`"),
        ("(frobnicate)", 13, 2, "there is no command"),
        ("(check-sat))", 13, 12, "closes nothing"),
        ("(assert (* i i 1))", 13, 9, "products of variables"),
        ("(pop 1)", 13, 1, "pops more levels"),
        ("(declare-const x Ref)", 13, 16, "was declared already"),
        ("(assert (exists ((q Nowhere)) true))", 13, 21, "there is no sort `Nowhere`"),
        ("(assert 99999999999999999999)", 13, 9, "too large"),
        ("(assert \"text)", 13, 9, "ends before"),
        ("(assert (= x nil))", 13, 14, "the sort of `nil`"),
        ("(declare-fun f (Ref) Ref)", 13, 16, "not supported"),
    ] {
        let error = with_list(rest).expect_err(rest);
        assert!(error.message.contains(message), "{rest}: {error}");
        assert_eq!((error.place.line, error.place.column), (line, column), "{rest}: {error}");
    }
}

#[test]
fn reader_never_panics() {
    let pieces = [
        "(",
        ")",
        "assert",
        "exists",
        "((x Ref))",
        "pto",
        "x",
        "and",
        "list",
        "|",
        "\"",
        "0",
        "-",
        "_",
        "as",
        "nil",
        "Ref",
    ];
    let mut state: u64 = 7;
    for _ in 0..3000 {
        let mut text = String::from(LIST);
        for _ in 0..12 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            text.push(' ');
        }
        let _ = read(&text);
    }
    let deep = format!("{LIST}(assert {}true{})", "(not ".repeat(100_000), ")".repeat(100_000));
    assert!(read(&deep).is_err());
    let large = "(declare-const p Bool)(define-fun f0 () Bool (and p p))".to_owned()
        + &(1..60).map(|i| format!("(define-fun f{i} () Bool (and f{} f{}))", i - 1, i - 1)).collect::<String>();
    assert!(read(&large).is_err());
}
