//! Every procedure stops when its budget is exhausted, and reports this as the reason.

use cairn_sl::decide::decide;
use cairn_sl::read::read;
use cairn_sl::script::Assertions;
use cairn_sl::{Answer, Budget, Reason};

const LISTS: &str = "
(declare-sort L 0) (declare-datatypes ((N 0)) (((node (next L))))) (declare-heap (L N))
(define-fun-rec ls ((x L) (y L)) Bool (or (and (= x y) (_ emp L N))
  (exists ((u L)) (and (distinct x y) (sep (pto x (node u)) (ls u y))))))
";

/// The number of steps by which a procedure may exceed the budget.
const SLACK: u64 = 20_000;

fn ends(text: &str, steps: u64) {
    let script = read(text).expect("the test's own text");
    let mut assertions = Assertions::default();
    script.commands.iter().for_each(|command| assertions.run(command));
    let budget = Budget::steps(steps);
    let answer = decide(&script.signature, assertions.formulas(), &budget).answer;
    assert_eq!(answer, Answer::Unknown(Reason::OutOfBudget));
    assert!(budget.spent() <= steps + SLACK, "{} of {steps}", budget.spent());
}

#[test]
fn exponential_case_splits_exhaust_the_budget() {
    // Of two lists that start at the same location, one is empty, which yields 2^40 cases.
    let mut text = LISTS.to_owned();
    let (mut heap, mut again, mut pure) = (String::new(), String::new(), String::new());
    for i in 0..40 {
        text.push_str(&format!("(declare-const x{i} L) (declare-const y{i} L) (declare-const z{i} L)"));
        heap.push_str(&format!("(ls x{i} y{i}) (ls x{i} z{i})"));
        again.push_str(&format!("(ls x{i} z{i}) (ls x{i} y{i})"));
        if i > 0 {
            pure.push_str(&format!("(distinct z{i} z{})", i - 1));
        }
    }
    ends(&format!("{text}(assert (and {pure} (sep {heap})))(assert (not (sep {again})))(check-sat)"), 30_000);
}

#[test]
fn failing_proof_search_exhausts_the_budget() {
    let text = "
    (declare-sort L 0) (declare-datatypes ((N 0)) (((node (left L) (right L))))) (declare-heap (L N))
    (define-fun-rec tree ((x L)) Bool (or (and (= x (as nil L)) (_ emp L N))
      (exists ((l L) (r L)) (sep (pto x (node l r)) (tree l) (tree r)))))
    (define-fun-rec other ((x L)) Bool (or (and (= x (as nil L)) (_ emp L N))
      (exists ((l L) (r L)) (sep (pto x (node l r)) (other r) (tree l)))))
    (declare-const x L) (declare-const y L)
    (assert (sep (tree x) (tree y))) (assert (not (sep (other x) (other y)))) (check-sat)";
    ends(text, 20);
}

#[test]
fn large_boolean_combination_exhausts_the_budget() {
    let mut text = LISTS.to_owned();
    let mut parts = String::new();
    for i in 0..12 {
        text.push_str(&format!("(declare-const x{i} L)"));
        parts.push_str(&format!("(or (sep (pto x{i} (node x{i})) true) (not (sep (not _EMP) (not _EMP) true)))"));
    }
    let parts = parts.replace("_EMP", "(_ emp L N)");
    ends(&format!("{text}(assert (and {parts}))(check-sat)"), 5);
}
