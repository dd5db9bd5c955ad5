//! Tests of `cairn sl`: answers, models and errors.

mod support;

use std::fs;

use support::{cairn, finish};

fn sl(name: &str, text: &str, options: &[&str]) -> support::Said {
    let file = std::env::temp_dir().join(format!("cairn-sl-{}-{name}.smt2", std::process::id()));
    fs::write(&file, text).expect("the folder can be written");
    let said = finish(cairn().arg("sl").args(options).arg(&file));
    let _ = fs::remove_file(&file);
    said
}

const LIST: &str = "
(set-logic QF_SHLS)
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (next Ref)))))
(declare-heap (Ref Node))
(define-fun-rec list ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref)) (and (distinct x y) (sep (pto x (node u)) (list u y))))))
(declare-const x Ref)
(declare-const y Ref)
";

#[test]
fn an_entailment_and_its_counterexample() {
    let text =
        format!("{LIST}(assert (sep (list x y) (list y (as nil Ref))))(assert (not (list x (as nil Ref))))(check-sat)");
    let said = sl("valid", &text, &["--stats"]);
    assert_eq!((said.status, said.stdout.as_str()), (0, "unsat\n"));
    assert!(said.stderr.contains("unsat by lists"), "{}", said.stderr);
    let text =
        format!("{LIST}(assert (sep (list x y) (pto y (node x))))(assert (not (list x x)))(check-sat)(get-model)");
    let said = sl("invalid", &text, &[]);
    assert!(said.stdout.starts_with("sat\nx = @"), "{}", said.stdout);
    let said = sl("drawn", &text, &["--model", "--format", "dot"]);
    assert!(said.stdout.starts_with("// sat\ndigraph model {"), "{}", said.stdout);
    assert!(said.stdout.ends_with("}\n"), "{}", said.stdout);
}

#[test]
fn levels_are_pushed_and_popped() {
    let text = format!(
        "{LIST}(assert (pto x (node y)))(check-sat)(push 1)(assert (not (pto x (node y))))(check-sat)(pop 1)(check-sat)"
    );
    assert_eq!(sl("levels", &text, &[]).stdout, "sat\nunsat\nsat\n");
}

#[test]
fn an_equality_leaves_the_heap_alone_or_empties_it() {
    let text = format!("{LIST}(assert (and (= x x) (= y y) (pto x (node y))))(check-sat)");
    assert_eq!(sl("slcomp", &text, &[]).stdout, "sat\n");
    assert_eq!(sl("strict", &text, &["--semantics", "strict"]).stdout, "unsat\n");
    let text = format!("{LIST}(assert (sep (= x x) (pto x (node y))))(assert (not (pto x (node y))))(check-sat)");
    assert_eq!(sl("slcomp", &text, &[]).stdout, "sat\n");
    assert_eq!(sl("strict", &text, &["--semantics", "strict"]).stdout, "unsat\n");
}

#[test]
fn unsupported_formulas_are_unknown_with_a_reason() {
    let text = format!("{LIST}(assert (wand (list x y) (not (list y x))))(check-sat)");
    let said = sl("unknown", &text, &["--stats"]);
    assert_eq!((said.status, said.stdout.as_str()), (2, "unknown\n"));
    assert!(said.stderr.contains("separating implication"), "{}", said.stderr);
}

#[test]
fn syntax_errors_have_a_location_and_a_reason() {
    let said = sl("wrong", &format!("{LIST}(assert (pto x y))"), &[]);
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert!(
        said.stderr.contains(":11:16: expected the sort `Node`, found a location of sort `Ref`"),
        "{}",
        said.stderr
    );
}

#[test]
fn disputed_answers_are_given_only_on_request() {
    let nested = "(sep (pto x (node y)) (wand (pto x (node x)) (sep (pto x (node x)) (wand (pto x (node y)) (pto y (node x))))))";
    let text = format!("{LIST}(assert (pto x (node y)))(assert (not {nested}))(check-sat)");
    let said = sl("disputed", &text, &["--stats"]);
    assert_eq!((said.status, said.stdout.as_str()), (2, "unknown\n"));
    assert!(said.stderr.contains("--nested-wands"), "{}", said.stderr);
    assert_eq!(sl("disputed", &text, &["--nested-wands"]).stdout, "sat\n");
}
