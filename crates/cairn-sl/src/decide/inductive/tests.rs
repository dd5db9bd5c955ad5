//! Tests of known and generated questions against small models.

use proptest::prelude::*;

use super::flat::{Definitions, Flat, Kind, Translation, Var};
use super::model_check::{ConcreteCell, Model, Value, is_model};
use super::*;
use crate::budget::Budget;
use crate::read::read;
use crate::script::Assertions;

/// The definitions used by the tests.
///
/// `ls` and `rev` describe the same lists, and `strict` the acyclic ones. `even` and `odd`
/// distinguish the parity of the length. `dll` and `back` are doubly linked. `len`, `double` and
/// `reverse` count their cells, and `sorted` has data between bounds. `tree` and `hole` are trees
/// and trees without one subtree.
const DEFINITIONS: &str = "
(declare-sort L 0) (declare-datatypes ((N 0)) (((node (next L) (prev L)))))
(declare-sort D 0) (declare-datatypes ((M 0)) (((data (after D) (value Int)))))
(declare-heap (L N) (D M))
(define-fun-rec ls ((x L) (y L)) Bool (or (and (= x y) (_ emp L N)) (exists ((u L)) (sep (pto x (node u (as nil L))) (ls u y)))))
(define-fun-rec strict ((x L) (y L)) Bool
  (or (and (= x y) (_ emp L N)) (exists ((u L)) (and (distinct x y) (sep (pto x (node u (as nil L))) (strict u y))))))
(define-fun-rec rev ((x L) (y L)) Bool (or (and (= x y) (_ emp L N)) (exists ((u L)) (sep (rev x u) (pto u (node y (as nil L)))))))
(define-funs-rec ((even ((x L) (y L)) Bool) (odd ((x L) (y L)) Bool))
  ((or (and (= x y) (_ emp L N)) (exists ((u L)) (sep (pto x (node u (as nil L))) (odd u y))))
   (exists ((u L)) (sep (pto x (node u (as nil L))) (even u y)))))
(define-fun-rec dll ((x L) (p L) (z L) (n L)) Bool
  (or (and (= x z) (pto x (node n p))) (exists ((u L)) (sep (pto x (node u p)) (dll u x z n)))))
(define-fun-rec back ((x L) (p L) (z L) (n L)) Bool
  (or (and (= x z) (pto x (node n p))) (exists ((u L)) (sep (pto z (node n u)) (back x p u z)))))
(define-fun-rec tree ((x L)) Bool
  (or (and (= x (as nil L)) (_ emp L N)) (exists ((l L) (r L)) (sep (pto x (node l r)) (tree l) (tree r)))))
(define-fun-rec hole ((x L) (y L)) Bool
  (or (and (= x y) (_ emp L N)) (exists ((l L) (r L)) (sep (pto x (node l r)) (hole l y) (tree r)))
      (exists ((l L) (r L)) (sep (pto x (node l r)) (tree l) (hole r y)))))
(define-fun-rec len ((x L) (y L) (n Int)) Bool
  (or (and (= x y) (= n 0) (_ emp L N)) (exists ((u L) (k Int)) (and (= n (+ k 1)) (sep (pto x (node u (as nil L))) (len u y k))))))
(define-fun-rec double ((x L) (p L) (z L) (n L) (k Int)) Bool
  (or (and (= x z) (= k 1) (pto x (node n p)))
      (exists ((u L) (j Int)) (and (= k (+ j 1)) (sep (pto x (node u p)) (double u x z n j))))))
(define-fun-rec reverse ((x L) (p L) (z L) (n L) (k Int)) Bool
  (or (and (= x z) (= k 1) (pto x (node n p)))
      (exists ((u L) (j Int)) (and (= k (+ j 1)) (sep (pto z (node n u)) (reverse x p u z j))))))
(define-fun-rec sorted ((x D) (y D) (a Int) (b Int)) Bool
  (or (and (pto x (data y a)) (= a b))
      (exists ((u D) (c Int)) (and (<= a c) (<= c b) (sep (pto x (data u a)) (sorted u y c b))))))
(declare-const x L) (declare-const y L) (declare-const z L) (declare-const w L)
(declare-const d D) (declare-const e D) (declare-const f D)
(declare-const i Int) (declare-const j Int) (declare-const k Int)
";

fn ask(assertions: &str) -> Answer {
    let script = read(&format!("{DEFINITIONS}{assertions}(check-sat)")).expect("the test's own text");
    let mut asserted = Assertions::default();
    script.commands.iter().for_each(|command| asserted.run(command));
    let question = Question::of(asserted.formulas()).expect("symbolic heaps");
    decide(&script.signature, &question, &Budget::steps(400_000))
}

fn satisfiable(formula: &str) -> Answer {
    ask(&format!("(assert {formula})"))
}

fn entails(left: &str, right: &str) -> Answer {
    ask(&format!("(assert {left})(assert (not {right}))"))
}

#[test]
fn satisfiability() {
    for formula in [
        "(sep (ls x y) (ls y x))",
        "(and (distinct x (as nil L)) (tree x))",
        "(sep (dll x y z w) (dll w z y x))",
        "(and (= i 5) (len x y i))",
        "(and (> j (+ i 3)) (sorted d e i j))",
    ] {
        assert_eq!(satisfiable(formula), Answer::Sat, "{formula}");
    }
    for formula in [
        "(and (distinct x y) (sep (strict x y) (strict x z) (pto x (node y y))))",
        "(sep (tree x) (pto x (node y y)) (pto x (node z z)))",
        "(sep (dll x y z w) (pto z (node w w)))",
        "(and (< i 0) (len x y i))",
        "(and (> i j) (sorted d e i j))",
        "(and (= x (as nil L)) (odd x y))",
    ] {
        assert_eq!(satisfiable(formula), Answer::Unsat, "{formula}");
    }
}

/// Valid entailments, each with a modified right side that makes it invalid.
const ENTAILMENTS: [(&str, &str, &str); 16] = [
    ("(sep (ls x y) (ls y z))", "(ls x z)", "(ls z x)"),
    ("(rev x y)", "(ls x y)", "(strict x y)"),
    ("(sep (rev x y) (ls y z))", "(rev x z)", "(rev x y)"),
    ("(sep (even x y) (odd y z))", "(odd x z)", "(even x z)"),
    ("(dll x y z w)", "(back x y z w)", "(back x y w z)"),
    ("(sep (back x y z w) (dll w z y x))", "(dll x y y x)", "(dll x z y x)"),
    ("(sep (pto x (node y (as nil L))) (strict y (as nil L)))", "(strict x (as nil L))", "(strict y (as nil L))"),
    ("(sep (strict x y) (strict y (as nil L)))", "(strict x (as nil L))", "(strict x y)"),
    ("(tree x)", "(hole x (as nil L))", "(hole x y)"),
    ("(sep (hole x y) (hole y z))", "(hole x z)", "(hole z x)"),
    ("(sep (hole x y) (tree y))", "(tree x)", "(tree y)"),
    (
        "(and (= i 3) (len x y i))",
        "(exists ((u L)) (sep (pto x (node u (as nil L))) (ls u y)))",
        "(exists ((u L)) (sep (pto x (node u u)) (ls u y)))",
    ),
    (
        "(and (= i 300) (= j 299) (len x y i))",
        "(exists ((u L)) (sep (len x u j) (pto u (node y (as nil L)))))",
        "(exists ((u L)) (sep (len x u i) (pto u (node y (as nil L)))))",
    ),
    (
        "(and (<= 7 i) (= j (- i 1)) (len x y i))",
        "(exists ((u L)) (sep (len x u j) (pto u (node y (as nil L)))))",
        "(exists ((u L)) (sep (len x u i) (pto u (node y (as nil L)))))",
    ),
    ("(and (<= j k) (sep (sorted d e i j) (sorted e f k k)))", "(sorted d f i k)", "(sorted d f i j)"),
    (
        "(odd x y)",
        "(exists ((u L)) (sep (even x u) (pto u (node y (as nil L)))))",
        "(exists ((u L)) (sep (odd x u) (pto u (node y (as nil L)))))",
    ),
];

/// Valid entailments about lengths, each with modified right sides that make it invalid.
const LENGTHS: [(&str, &str, &[&str]); 7] = [
    (
        "(and (= i (+ j k)) (<= 0 j) (<= 0 k) (len x y i))",
        "(exists ((u L)) (sep (len x u j) (len u y k)))",
        &["(exists ((u L)) (sep (len x u j) (len u y i)))", "(exists ((u L)) (sep (len x u j) (len y u k)))"],
    ),
    (
        "(and (= i 300) (= j 100) (= k 199) (len x y i))",
        "(exists ((u L) (v L) (m Int)) (and (= m 1) (sep (len u v m) (len v y k) (len x u j))))",
        &[
            "(exists ((u L) (v L) (m Int)) (and (= m 2) (sep (len u v m) (len v y k) (len x u j))))",
            "(exists ((u L) (v L) (m Int)) (and (= m 1) (sep (len u v m) (len v y k) (len y u j))))",
        ],
    ),
    (
        "(and (= i (+ j k)) (<= 1 j) (<= 1 k) (double x y z w i))",
        "(exists ((u L) (v L)) (sep (double v u z w k) (double x y u v j)))",
        &[
            "(exists ((u L) (v L)) (sep (double v u w z k) (double x y u v j)))",
            "(exists ((u L) (v L)) (sep (double v v z w k) (double x y u v j)))",
        ],
    ),
    (
        "(and (<= 100 i) (double x y z w i))",
        "(exists ((u L) (v L) (j Int) (k Int)) (and (= i (+ j k)) (sep (double v u z w k) (reverse x y u v j))))",
        &[
            "(exists ((u L) (v L) (j Int) (k Int)) (and (= i (+ j k 1)) (sep (double v u z w k) (reverse x y u v j))))",
            "(exists ((u L) (v L) (j Int) (k Int)) (and (= i (+ j k)) (<= j 0) (sep (double v u z w k) (reverse x y u v j))))",
        ],
    ),
    (
        "(and (= i 1000) (= j 997) (double x y z w i))",
        "(exists ((u L) (v L) (r L)) (sep (pto v (node r u)) (pto r (node z v)) (pto z (node w r)) (double x y u v j)))",
        &[
            "(exists ((u L) (v L) (r L)) (sep (pto v (node r u)) (pto r (node z u)) (pto z (node w r)) (double x y u v j)))",
        ],
    ),
    (
        "(and (<= 100 i) (= k (- (+ i j) 1)) (sep (double x y z w j) (reverse u v y x i)))",
        "(exists ((r L)) (sep (pto u (node r v)) (reverse r u z w k)))",
        &["(exists ((r L)) (sep (pto u (node r v)) (reverse r u z w j)))"],
    ),
    (
        "(and (= i 100) (<= 1 j) (<= j 20) (double x y z (as nil L) i))",
        "(exists ((u L) (v L) (k Int)) (and (<= 80 k) (sep (double x y u v j) (double v u z (as nil L) k))))",
        &["(exists ((u L) (v L) (k Int)) (and (<= 81 k) (sep (double x y u v j) (double v u z (as nil L) k))))"],
    ),
];

#[test]
fn lengths_are_split_and_joined() {
    for (left, right, mutants) in LENGTHS {
        let names = "(declare-const u L) (declare-const v L)";
        let entails = |right: &str| ask(&format!("{names}(assert {left})(assert (not {right}))"));
        assert_eq!(entails(right), Answer::Unsat, "{left} |- {right}");
        for mutant in mutants {
            assert_ne!(entails(mutant), Answer::Unsat, "{left} |- {mutant}");
        }
    }
}

#[test]
fn valid_entailments_are_proved_and_mutants_are_not() {
    for (left, right, changed) in ENTAILMENTS {
        assert_eq!(entails(left, right), Answer::Unsat, "{left} |- {right}");
        assert_ne!(entails(left, changed), Answer::Unsat, "{left} |- {changed}");
    }
}

#[test]
fn invalid_entailments_are_refuted() {
    for (left, right) in [
        ("(ls x y)", "(strict x y)"),
        ("(sep (strict x y) (strict y z))", "(strict x z)"),
        ("(ls x y)", "(even x y)"),
        ("(hole x y)", "(tree x)"),
        ("(len x y i)", "(and (<= 1 i) (len x y i))"),
        ("(sep (sorted d e i j) (sorted e f k k))", "(sorted d f i k)"),
        ("(ls x y)", "(exists ((u L)) (sep (pto x (node u (as nil L))) (ls u y)))"),
    ] {
        assert_eq!(entails(left, right), Answer::Sat, "{left} |- {right}");
    }
}

#[test]
fn hypotheses_apply_only_to_smaller_heaps() {
    // The recursion of the left side is circular and never consumes a cell.
    let circular =
        "(define-fun-rec p ((x L)) Bool (p x)) (define-fun-rec q ((x L)) Bool (or (p x) (sep (q x) (_ emp L N))))";
    assert_ne!(ask(&format!("{circular}(assert (ls x y))(assert (not (p x)))")), Answer::Unsat);
    assert_eq!(ask(&format!("{circular}(assert (q x))")), Answer::Unsat);
    // `endless` has infinitely many cells and thus no model, which base pairs detect.
    let endless = "(define-fun-rec endless ((x L)) Bool (exists ((u L)) (sep (pto x (node u u)) (endless u))))";
    assert_eq!(ask(&format!("{endless}(assert (endless x))(assert (not (ls x y)))")), Answer::Unsat);
    assert_ne!(ask(&format!("{endless}(assert (ls x y))(assert (not (endless x)))")), Answer::Unsat);
}

/// Enumerates all models with at most two cells over three locations of sort `L`.
fn small_models(names: &[Var]) -> Vec<Model> {
    let locations = [0, 101, 102];
    let mut stacks = vec![Vec::new()];
    for &name in names {
        stacks = stacks
            .iter()
            .flat_map(|s: &Vec<(Var, Value)>| locations.map(|l| [&s[..], &[(name, Value::Location(l))]].concat()))
            .collect();
    }
    let cells: Vec<Vec<ConcreteCell>> = {
        let at = |location: u32| {
            let mut options = vec![None];
            for a in locations {
                for b in locations {
                    options.push(Some(ConcreteCell {
                        sort: 0,
                        location,
                        fields: vec![Value::Location(a), Value::Location(b)],
                    }));
                }
            }
            options
        };
        at(101)
            .iter()
            .flat_map(|a| at(102).into_iter().map(|b| a.iter().cloned().chain(b).collect()).collect::<Vec<_>>())
            .collect()
    };
    stacks
        .iter()
        .flat_map(|s| cells.iter().map(|heap| Model { stack: s.iter().copied().collect(), heap: heap.clone() }))
        .collect()
}

fn atom() -> impl Strategy<Value = String> {
    let term = || prop_oneof![3 => Just("x"), 3 => Just("y"), 2 => Just("z"), 1 => Just("(as nil L)")];
    let name = prop_oneof![Just("ls"), Just("strict"), Just("rev"), Just("even"), Just("odd"), Just("hole")];
    let cell = (term(), term(), term()).prop_map(|(a, b, c)| format!("(pto {a} (node {b} {c}))"));
    let plain = (term(), term()).prop_map(|(a, b)| format!("(pto {a} (node {b} (as nil L)))"));
    let two = (name, term(), term()).prop_map(|(p, a, b)| format!("({p} {a} {b})"));
    let four = (prop_oneof![Just("dll"), Just("back")], term(), term(), term(), term())
        .prop_map(|(p, a, b, c, d)| format!("({p} {a} {b} {c} {d})"));
    prop_oneof![1 => cell, 2 => plain, 5 => two, 1 => four, 1 => term().prop_map(|a| format!("(tree {a})"))]
}

/// Returns separating conjunctions of lists with lengths.
fn measured(locations: &'static [&'static str], lengths: &'static [&'static str]) -> impl Strategy<Value = String> {
    let term = move || prop::sample::select(locations);
    let length = move || prop::sample::select(lengths);
    let cell = (term(), term(), term()).prop_map(|(a, b, c)| format!("(pto {a} (node {b} {c}))"));
    let len = (term(), term(), length()).prop_map(|(a, b, n)| format!("(len {a} {b} {n})"));
    let five = (prop_oneof![Just("double"), Just("reverse")], term(), term(), term(), term(), length())
        .prop_map(|(p, a, b, c, d, n)| format!("({p} {a} {b} {c} {d} {n})"));
    let atom = prop_oneof![1 => cell, 3 => len, 3 => five];
    prop::collection::vec(atom, 1..4).prop_map(|atoms| format!("(sep {} (_ emp L N))", atoms.join(" ")))
}

fn heap() -> impl Strategy<Value = String> {
    let term = || prop_oneof![Just("x"), Just("y"), Just("z"), Just("(as nil L)")];
    let pure =
        (prop_oneof![Just("="), Just("distinct")], term(), term()).prop_map(|(o, a, b)| format!("({o} {a} {b})"));
    (prop::collection::vec(atom(), 1..4), prop::collection::vec(pure, 0..2))
        .prop_map(|(atoms, pure)| format!("(and {} (sep {} (_ emp L N)))", pure.join(" "), atoms.join(" ")))
}

/// Translates two formulas to flat form, and returns the numbers of `x`, `y` and `z`.
fn flat(left: &str, right: &str) -> (Definitions, Vec<Var>, Flat, Flat, Translation) {
    let text = format!(
        "{DEFINITIONS}(assert (= x (as nil L)))(assert (= y x))(assert (= z x))(assert {left})(assert {right})"
    );
    let script = read(&text).expect("the test's own text");
    let mut assertions = Assertions::default();
    script.commands.iter().for_each(|command| assertions.run(command));
    let heaps: Vec<SymbolicHeap> = assertions
        .formulas()
        .iter()
        .map(|f| SymbolicHeap::disjuncts(f, 10).expect("a symbolic heap").pop().expect("one disjunct"))
        .collect();
    let definitions =
        flat::definitions(&script.signature, heaps.iter().flat_map(called)).expect("definitions with cases");
    let mut translation = Translation::new(definitions.nils);
    let mut names = Vec::new();
    for heap in &heaps[..3] {
        heap.each_variable(&mut |v| {
            let var = translation.variable(v);
            if !names.contains(&var) {
                names.push(var);
            }
        });
    }
    let left = translation.heap(&heaps[3]).expect("small numbers");
    let right = translation.heap(&heaps[4]).expect("small numbers");
    assert!(names.iter().all(|&v| translation.variables.kind(v) == Kind::Location(0)));
    (definitions, names, left, right, translation)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_agree_with_small_models(left in heap(), right in heap()) {
        let (definitions, names, flat_left, flat_right, translation) = flat(&left, &right);
        let holds = |model: &Model, heap: &Flat| {
            is_model(&definitions, model, heap, &translation.variables, &Budget::steps(100_000)).expect("a small model")
        };
        let models: Vec<Model> = small_models(&names).into_iter().filter(|m| holds(m, &flat_left)).collect();
        if satisfiable(&left) == Answer::Unsat {
            prop_assert!(models.is_empty(), "{} has the model {:?}", left, models[0]);
        }
        if entails(&left, &right) == Answer::Unsat {
            for model in &models {
                prop_assert!(holds(model, &flat_right), "{} |- {} has the counter-model {:?}", left, right, model);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_about_lengths_agree_with_small_models(
        left in measured(&["x", "y", "z", "(as nil L)"], &["1", "2"]),
        right in measured(&["x", "y", "z", "u", "v", "(as nil L)"], &["1", "2", "m"]),
    ) {
        let right = format!("(exists ((u L) (v L) (m Int)) {right})");
        if entails(&left, &right) == Answer::Unsat {
            let (definitions, names, flat_left, flat_right, translation) = flat(&left, &right);
            let holds =
                |model, heap| is_model(&definitions, model, heap, &translation.variables, &Budget::steps(100_000));
            for model in small_models(&names).iter().filter(|model| holds(model, &flat_left) == Ok(true)) {
                prop_assert!(holds(model, &flat_right) != Ok(false), "{left} |- {right} has the counter-model {model:?}");
            }
        }
    }
}

#[test]
fn model_check_accepts_lists_and_trees() {
    let (definitions, names, list, tree, translation) = flat("(ls x y)", "(tree x)");
    let (x, y) = (names[0], names[1]);
    let cell = |location: u32, a: u32, b: u32| ConcreteCell {
        sort: 0,
        location,
        fields: vec![Value::Location(a), Value::Location(b)],
    };
    let check = |x_value: u32, y_value: u32, heap: Vec<ConcreteCell>, formula: &Flat| {
        let stack = [(x, Value::Location(x_value)), (y, Value::Location(y_value)), (names[2], Value::Location(0))]
            .into_iter()
            .collect();
        is_model(&definitions, &Model { stack, heap }, formula, &translation.variables, &Budget::unlimited())
    };
    assert_eq!(check(1, 1, vec![], &list), Ok(true));
    assert_eq!(check(1, 2, vec![], &list), Ok(false));
    assert_eq!(check(1, 0, vec![cell(1, 2, 0), cell(2, 0, 0)], &list), Ok(true));
    assert_eq!(check(1, 0, vec![cell(1, 2, 0), cell(2, 0, 1)], &list), Ok(false));
    assert_eq!(check(1, 1, vec![cell(1, 2, 0), cell(2, 1, 0)], &list), Ok(true));
    assert_eq!(check(1, 0, vec![cell(1, 0, 0), cell(2, 0, 0)], &list), Ok(false), "a cell too many");
    assert_eq!(check(1, 0, vec![cell(1, 2, 3), cell(2, 0, 0), cell(3, 0, 0)], &tree), Ok(true));
    assert_eq!(check(1, 0, vec![cell(1, 2, 2), cell(2, 0, 0)], &tree), Ok(false), "shared");
    assert_eq!(check(1, 0, vec![cell(1, 1, 0)], &tree), Ok(false), "a cycle");
}
