//! Compares verdicts on generated definitions with integers with all small derivations.

use super::super::models::{Bounds, each_model};
use super::super::{called, flat, model_check};
use super::*;
use crate::decide::Question;
use crate::read::read;
use crate::script::Assertions;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.roll(options.len())]
    }
}

/// Generates a counting predicate and a question about it, mostly within the exact fragment.
fn text(dice: &mut Dice) -> String {
    let end =
        dice.of(&["(= n 0)", "(= n 1)", "(= n m)", "(>= n 2)", "(and (= n 0) (= m 1))", "(and (<= n m) (<= m 3))"]);
    let place = dice.of(&["(= x (as nil L))", "(= x y)", "(and (= x y) (distinct x (as nil L)))"]);
    let steps = [
        "(= n (+ k 1))",
        "(= n (+ k 2))",
        "(> n k)",
        "(and (>= n (+ k 1)) (<= n (+ k 3)))",
        "(and (= n (+ k 2)) (= m (+ l 1)))",
        "(= n (+ k k))",
        "(and (= n (+ k 1)) (<= n 3))",
        "(and (= n (+ k 1)) (>= k 0))",
        "(and (= n l) (= m k))",
        "(and (= n (+ k 1)) (distinct m n))",
        "(= n k)",
    ];
    let mut cases = String::new();
    for _ in 0..1 + dice.roll(2) {
        let step = dice.of(&steps);
        let second = dice.of(&["m", "m", "l"]);
        let next = dice.of(&["u", "u", "u", "u", "x"]);
        cases.push_str(&match dice.roll(4) {
            0 => format!(
                "(exists ((u L) (v L) (k Int) (j Int)) (and (= n (+ k j {})) \
                 (sep (pto x (node u v)) (p u y k m) (p v y j m))))",
                dice.roll(3)
            ),
            1 => format!(
                "(exists ((u L) (v L) (k Int) (l Int)) (and {step} (distinct x y) \
                 (sep (pto x (node v v)) (pto v (node u u)) (p {next} y k {second}))))"
            ),
            _ => format!(
                "(exists ((u L) (k Int) (l Int)) (and {step} (sep (pto x (node u y)) (p {next} y k {second}))))"
            ),
        });
    }
    let about =
        dice.of(&["(= a 5)", "(> a 3)", "(= a b)", "(= a (+ b 3))", "(= (+ a a) 5)", "(= a (+ b b 1))", "(< a b)"]);
    let more = dice.of(&["(= x1 x2)", "(distinct x1 x2)", "(= b 2)", "(= x1 (as nil L))"]);
    let heap = dice.of(&[
        "(p x1 x2 a b)",
        "(sep (p x1 x2 a b) (pto x2 (node x1 x1)))",
        "(sep (p x1 x2 a 1) (p x2 x1 b 1))",
        "(sep (p x1 x2 a b) (p x3 x2 a 2))",
    ]);
    format!(
        "(declare-sort L 0) (declare-datatypes ((N 0)) (((node (next L) (prev L))))) (declare-heap (L N))
         (define-fun-rec p ((x L) (y L) (n Int) (m Int)) Bool (or (and {place} {end} (_ emp L N)) {cases}))
         (declare-const x1 L) (declare-const x2 L) (declare-const x3 L) (declare-const a Int) (declare-const b Int)
         (assert (and {about} {more} {heap})) (check-sat)"
    )
}

#[test]
fn verdicts_agree_with_small_derivations() {
    let mut dice = Dice(77);
    let (mut satisfiable, mut unsatisfiable, mut open) = (0, 0, 0);
    for _ in 0..400 {
        let text = text(&mut dice);
        let script = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut assertions = Assertions::default();
        script.commands.iter().for_each(|command| assertions.run(command));
        let Ok(Question::Satisfiability(heaps)) = Question::of(assertions.formulas()) else { panic!("{text}") };
        let definitions = flat::definitions(&script.signature, called(&heaps[0])).expect("they are covered");
        let mut translation = flat::Translation::new(definitions.nils);
        let heap = translation.heap(&heaps[0]).expect("the numbers are small");
        let variables = translation.variables;
        let budget = Budget::steps(3_000_000);
        let Ok(verdict) = decide(&definitions, &heap, &variables, &budget) else { continue };
        let bounds = Bounds { unfoldings: 9, heaps: 1500, variants: 0 };
        let (found, _) = each_model(&definitions, &heap, &variables, &[], bounds, &budget, &mut |model| {
            let mut model = model.clone();
            model.stack.retain(|v, _| (*v as usize) < variables.len());
            model_check::is_model(&definitions, &model, &heap, &variables, &Budget::steps(100_000)).or(Ok(false))
        })
        .unwrap_or((false, false));
        match verdict {
            Verdict::Satisfiable => {
                satisfiable += 1;
                assert!(found, "no small derivation of {text}");
            }
            Verdict::Unsatisfiable => {
                unsatisfiable += 1;
                assert!(!found, "there is a derivation of {text}");
            }
            Verdict::Open => open += 1,
        }
    }
    assert!(satisfiable > 40 && unsatisfiable > 40, "{satisfiable} {unsatisfiable} {open}");
}
