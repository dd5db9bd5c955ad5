//! Frame inference and abduction with inductive predicates.
//!
//! Results on generated heaps are checked in all small models; some results are known.

mod support;

use cairn_sl::evaluate::Evaluator;
use cairn_sl::formula::{Formula, PredicateId, Sort, Spatial, Term, Variable};
use cairn_sl::infer::{abduce, bi_abduce, frame};
use cairn_sl::model::{Model, Value};
use cairn_sl::read::read;
use cairn_sl::script::Script;
use cairn_sl::symbolic_heap::SymbolicHeap;
use cairn_sl::{Budget, print};
use support::Dice;

const DEFINITIONS: &str = "
(declare-sort L 0) (declare-datatypes ((N 0)) (((node (next L) (prev L))))) (declare-heap (L N))
(define-fun-rec path ((x L) (y L)) Bool
  (or (and (= x y) (_ emp L N)) (exists ((u L)) (sep (pto x (node u (as nil L))) (path u y)))))
(define-fun-rec dll ((x L) (p L) (z L) (n L)) Bool
  (or (and (= x n) (= p z) (_ emp L N)) (exists ((u L)) (sep (pto x (node u p)) (dll u x z n)))))
(define-fun-rec tree ((x L)) Bool
  (or (and (= x (as nil L)) (_ emp L N)) (exists ((l L) (r L)) (sep (pto x (node l r)) (tree l) (tree r)))))
(declare-const x L) (declare-const y L) (declare-const z L)
";

struct World {
    script: Script,
    variables: Vec<Variable>,
}

impl World {
    fn new() -> Self {
        let script = read(DEFINITIONS).expect("the test's own text");
        let variables = script.constants.clone();
        World { script, variables }
    }

    fn predicate(&self, name: &str) -> PredicateId {
        self.script.signature.predicate_named(name).expect("it is defined")
    }

    fn nil(&self) -> Term {
        let Sort::Location(sort) = self.variables[0].sort else { panic!("a location") };
        Term::Nil(sort)
    }

    fn term(&self, dice: &mut Dice) -> Term {
        match dice.roll(4) {
            0 => self.nil(),
            n => Term::variable(self.variables[n - 1]),
        }
    }

    fn atom(&self, dice: &mut Dice) -> Spatial {
        let mut terms = |count: usize| (0..count).map(|_| self.term(dice)).collect::<Vec<_>>();
        let mut four = terms(4);
        match dice.roll(4) {
            0 => Spatial::PointsTo(four[0].clone(), vec![four[1].clone(), four[2].clone()]),
            1 => Spatial::Predicate(self.predicate("path"), four.split_off(2)),
            2 => Spatial::Predicate(self.predicate("dll"), four),
            _ => Spatial::Predicate(self.predicate("tree"), four.split_off(3)),
        }
    }

    fn heap(&self, dice: &mut Dice, most: usize) -> SymbolicHeap {
        let spatial = (0..1 + dice.roll(most)).map(|_| self.atom(dice)).collect();
        SymbolicHeap { spatial, ..SymbolicHeap::emp() }
    }

    /// Enumerates all stacks and heaps over two locations and `nil`.
    fn models(&self) -> Vec<Model> {
        let Sort::Location(sort) = self.variables[0].sort else { panic!("a location") };
        let at = |n: usize| Value::Location(sort, n as u32);
        let mut models = Vec::new();
        for stack in 0..27usize {
            for heap in 0..100usize {
                let mut model = Model::default();
                for (i, variable) in self.variables.iter().enumerate() {
                    model.stack.insert(*variable, at(stack / 3usize.pow(i as u32) % 3));
                }
                for (location, cell) in [(1, heap % 10), (2, heap / 10)] {
                    if cell > 0 {
                        model.heap.insert(at(location), vec![at((cell - 1) % 3), at((cell - 1) / 3)]);
                    }
                }
                models.push(model);
            }
        }
        models
    }

    fn holds(&self, model: &Model, formula: &Formula) -> bool {
        let budget = Budget::unlimited();
        let evaluated = Evaluator::new(&self.script.signature, model, &budget).and_then(|mut e| e.holds(formula));
        evaluated.expect("there are locations only")
    }

    fn entailed(&self, models: &[Model], left: &SymbolicHeap, right: &SymbolicHeap) -> bool {
        let (left, right) = (left.to_formula(), right.to_formula());
        models.iter().all(|m| !self.holds(m, &left) || self.holds(m, &right))
    }
}

#[test]
fn inferred_heaps_satisfy_the_entailment() {
    let world = World::new();
    let models = world.models();
    let signature = &world.script.signature;
    let mut dice = Dice(31);
    let (mut frames, mut abduced, mut both) = (0, 0, 0);
    for _ in 0..60 {
        let left = world.heap(&mut dice, 2);
        // Sometimes ask for a part of the left side, so that a frame exists.
        let right = if dice.roll(3) == 0 {
            SymbolicHeap { spatial: vec![left.spatial[0].clone()], ..SymbolicHeap::emp() }
        } else {
            world.heap(&mut dice, 1)
        };
        let text =
            || format!("{}\n{}", print::symbolic_heap(signature, &left), print::symbolic_heap(signature, &right));
        let budget = || Budget::steps(400_000);
        if let Ok(Some(found)) = frame(signature, &left, &right, &budget()) {
            frames += 1;
            assert!(world.entailed(&models, &left, &right.clone().separately(found)), "{}", text());
        }
        if let Ok(Some(found)) = abduce(signature, &left, &right, &budget()) {
            abduced += 1;
            assert!(world.entailed(&models, &left.clone().separately(found), &right), "{}", text());
        }
        if let Ok(Some((missing, rest))) = bi_abduce(signature, &left, &right, &budget()) {
            both += 1;
            let assumed = left.clone().separately(missing);
            assert!(world.entailed(&models, &assumed, &right.clone().separately(rest)), "{}", text());
        }
    }
    assert!(frames > 6 && abduced > 6 && both > 12, "{frames} {abduced} {both}");
}

/// Parses both sides of a query.
fn heaps(world: &mut World, left: &str, right: &str) -> (SymbolicHeap, SymbolicHeap) {
    let text = format!("{DEFINITIONS}(assert {left})(assert {right})");
    world.script = read(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let asserted: Vec<SymbolicHeap> = world
        .script
        .commands
        .iter()
        .filter_map(|command| match command {
            cairn_sl::script::Command::Assert(formula) => {
                Some(SymbolicHeap::disjuncts(formula, 1).expect("a symbolic heap").remove(0))
            }
            _ => None,
        })
        .collect();
    (asserted[0].clone(), asserted[1].clone())
}

#[test]
fn known_frames() {
    let mut world = World::new();
    for (left, right, expected) in [
        // The other subtree is the frame.
        ("(sep (pto x (node y z)) (tree y) (tree z))", "(tree z)", "(sep (pto x (node y z)) (tree y))"),
        // A predicate is unfolded to provide a cell.
        (
            "(and (distinct x (as nil L)) (tree x))",
            "(exists ((l L) (r L)) (pto x (node l r)))",
            "(sep (tree l) (tree r))",
        ),
        ("(sep (pto x (node y (as nil L))) (path y z))", "(path x z)", "(_ emp L N)"),
        ("(sep (dll x y y x) (pto x (node y z)))", "(dll x y y x)", "(pto x (node y z))"),
    ] {
        let (left, right) = heaps(&mut world, left, right);
        let signature = &world.script.signature;
        let found = frame(signature, &left, &right, &Budget::steps(2_000_000)).expect("there are steps enough");
        let text = found.map(|found| print::symbolic_heap(signature, &found));
        assert_eq!(text.as_deref(), Some(expected), "{}", print::symbolic_heap(signature, &left));
    }
}

#[test]
fn known_missing_heaps() {
    let mut world = World::new();
    for (left, right, expected) in [
        ("(pto x (node y z))", "(tree x)", "(sep (tree y) (tree z))"),
        ("(pto x (node y (as nil L)))", "(path x z)", "(path y z)"),
        ("(path x y)", "(path x z)", "(path y z)"),
        ("(dll x (as nil L) y z)", "(exists ((w L)) (dll x (as nil L) w (as nil L)))", ""),
        ("(tree y)", "(sep (tree y) (pto x (node y y)))", "(pto x (node y y))"),
    ] {
        let (left, right) = heaps(&mut world, left, right);
        let signature = &world.script.signature;
        let found = abduce(signature, &left, &right, &Budget::steps(2_000_000)).expect("there are steps enough");
        let text = found.map(|found| print::symbolic_heap(signature, &found)).expect("something is found");
        if !expected.is_empty() {
            assert_eq!(text, expected);
        }
    }
}
