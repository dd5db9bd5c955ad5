//! Doubly linked and nested segments: known entailments, and generated ones against all small models.

mod support;

use cairn_sl::decide::{Question, chains};
use cairn_sl::evaluate::Evaluator;
use cairn_sl::formula::{PredicateId, Sort, Spatial, Term, Variable};
use cairn_sl::infer::{Entailment, entails, is_satisfiable};
use cairn_sl::model::{Model, Value};
use cairn_sl::signature::Signature;
use cairn_sl::symbolic_heap::SymbolicHeap;
use cairn_sl::{Answer, Budget, print};
use support::Dice;

struct World {
    signature: Signature,
    variables: Vec<Variable>,
    nil: Term,
    doubly: PredicateId,
    inner: PredicateId,
    nested: PredicateId,
}

impl World {
    /// Creates cells with the link `next` and a second link.
    ///
    /// The second link is `previous` in doubly linked segments and `down` in nested ones.
    fn new(variables: usize) -> Self {
        let mut signature = Signature::new();
        let node = signature
            .add_record("Node", |node| ["next", "other"].map(|name| (name.to_owned(), Sort::Location(node))).to_vec());
        let doubly = signature.add_doubly_linked_segment("dll", node, 0, 1);
        let inner = signature.add_list_segment("ls", node, 0);
        let nested = signature.add_nested_segment("nll", node, 0, 1, inner);
        let name = |i: usize| format!("x{i}");
        let variables = (0..variables).map(|i| signature.variable(&name(i), Sort::Location(node))).collect();
        World { signature, variables, nil: Term::Nil(node), doubly, inner, nested }
    }

    fn at(&self, index: usize) -> Term {
        Term::variable(self.variables[index])
    }

    fn heap(&self, spatial: Vec<Spatial>) -> SymbolicHeap {
        SymbolicHeap { spatial, ..SymbolicHeap::emp() }
    }

    fn entails(&self, left: Vec<Spatial>, right: Vec<Spatial>) -> Entailment {
        entails(&self.signature, &self.heap(left), &self.heap(right), &Budget::steps(3_000_000))
    }
}

#[test]
fn doubly_linked_segments_compose() {
    let world = World::new(4);
    let [x, y, p, u] = [0, 1, 2, 3].map(|i| world.at(i));
    let nil = world.nil.clone();
    let dll = |first: &Term, last: &Term, before: &Term, after: &Term| {
        Spatial::Predicate(world.doubly, [first, last, before, after].map(Term::clone).to_vec())
    };
    let cell =
        |at: &Term, next: &Term, previous: &Term| Spatial::PointsTo(at.clone(), vec![next.clone(), previous.clone()]);
    assert_eq!(world.entails(vec![cell(&x, &nil, &nil)], vec![dll(&x, &x, &nil, &nil)]), Entailment::Valid);
    let two = vec![cell(&x, &y, &nil), cell(&y, &nil, &x)];
    assert_eq!(world.entails(two.clone(), vec![dll(&x, &y, &nil, &nil)]), Entailment::Valid);
    assert_eq!(world.entails(two, vec![dll(&y, &x, &nil, &nil)]), Entailment::Invalid);
    // The back links must match.
    let wrong = vec![cell(&x, &y, &nil), cell(&y, &nil, &nil)];
    assert_eq!(world.entails(wrong, vec![dll(&x, &y, &nil, &nil)]), Entailment::Invalid);
    let front = vec![cell(&x, &u, &nil), dll(&u, &y, &x, &nil)];
    assert_eq!(world.entails(front, vec![dll(&x, &y, &nil, &nil)]), Entailment::Valid);
    let both = vec![dll(&x, &p, &nil, &u), dll(&u, &y, &p, &nil)];
    assert_eq!(world.entails(both.clone(), vec![dll(&x, &y, &nil, &nil)]), Entailment::Valid);
    // Chain matching proves this without induction.
    let right = world.heap(vec![dll(&x, &y, &nil, &nil)]);
    let question = Question::Entailment(vec![world.heap(both)], vec![right]);
    assert_eq!(chains::decide(&world.signature, &question, &Budget::steps(1000)), Answer::Unsat);
}

#[test]
fn nested_segments_compose() {
    let world = World::new(3);
    let [x, y, d] = [0, 1, 2].map(|i| world.at(i));
    let nil = world.nil.clone();
    let nested = |from: &Term, to: &Term| Spatial::Predicate(world.nested, [from, to, &nil].map(Term::clone).to_vec());
    let inner = |from: &Term, to: &Term| Spatial::Predicate(world.inner, vec![from.clone(), to.clone()]);
    let cell = |at: &Term, next: &Term, down: &Term| Spatial::PointsTo(at.clone(), vec![next.clone(), down.clone()]);
    let one = vec![cell(&x, &y, &d), inner(&d, &nil), nested(&y, &nil)];
    assert_eq!(world.entails(one, vec![nested(&x, &nil)]), Entailment::Valid);
    assert_eq!(world.entails(vec![nested(&x, &y), nested(&y, &nil)], vec![nested(&x, &nil)]), Entailment::Valid);
    // A nested list requires an inner list at every cell.
    assert_eq!(world.entails(vec![cell(&x, &nil, &d)], vec![nested(&x, &nil)]), Entailment::Invalid);
    assert_eq!(world.entails(vec![nested(&x, &nil)], vec![inner(&x, &nil)]), Entailment::Invalid);
}

#[test]
fn answers_agree_with_small_models() {
    let world = World::new(2);
    let Sort::Location(sort) = world.variables[0].sort else { panic!("a location") };
    let location = |n: usize| Value::Location(sort, n as u32);
    let mut models = Vec::new();
    for stack in 0..9usize {
        for heap in 0..100usize {
            let mut model = Model::default();
            model.stack.insert(world.variables[0], location(stack % 3));
            model.stack.insert(world.variables[1], location(stack / 3));
            for (at, cell) in [(1, heap % 10), (2, heap / 10)] {
                if cell > 0 {
                    model.heap.insert(location(at), vec![location((cell - 1) % 3), location((cell - 1) / 3)]);
                }
            }
            models.push(model);
        }
    }
    let mut dice = Dice(8);
    let term = |dice: &mut Dice| match dice.roll(4) {
        0 => world.nil.clone(),
        n => world.at(n % 2),
    };
    let heap = |dice: &mut Dice| {
        let atoms = (0..1 + dice.roll(2)).map(|_| {
            let mut terms = |count: usize| (0..count).map(|_| term(dice)).collect::<Vec<_>>();
            let mut four = terms(4);
            match dice.roll(4) {
                0 => Spatial::PointsTo(four[0].clone(), four.split_off(2)),
                1 => Spatial::Predicate(world.doubly, four),
                2 => Spatial::Predicate(world.nested, four.split_off(1)),
                _ => Spatial::Predicate(world.inner, four.split_off(2)),
            }
        });
        world.heap(atoms.collect())
    };
    let (mut valid, mut invalid, mut unsat) = (0, 0, 0);
    for _ in 0..80 {
        let (left, right) = (heap(&mut dice), heap(&mut dice));
        let text = || {
            let side = |heap| print::symbolic_heap(&world.signature, heap);
            format!("{} |- {}", side(&left), side(&right))
        };
        let holds = |model: &Model, heap: &SymbolicHeap| {
            let budget = Budget::unlimited();
            let formula = heap.to_formula();
            let holds = Evaluator::new(&world.signature, model, &budget).and_then(|mut e| e.holds(&formula));
            holds.expect("there are locations only")
        };
        let of_left: Vec<&Model> = models.iter().filter(|m| holds(m, &left)).collect();
        if is_satisfiable(&world.signature, &left, &Budget::steps(200_000)) == Answer::Unsat {
            unsat += 1;
            assert!(of_left.is_empty(), "{}", text());
        }
        match entails(&world.signature, &left, &right, &Budget::steps(200_000)) {
            Entailment::Valid => {
                valid += 1;
                assert!(of_left.iter().all(|m| holds(m, &right)), "{}", text());
            }
            Entailment::Invalid => {
                invalid += 1;
                // Most counter-models need only two locations; the others need a larger heap.
                assert!(!of_left.is_empty() || !left.spatial.is_empty(), "{}", text());
            }
            Entailment::Unknown(_) => {}
        }
    }
    assert!(valid > 5 && invalid > 20 && unsat > 3, "{valid} {invalid} {unsat}");
}

#[test]
fn chain_matching_agrees_with_small_models() {
    let world = World::new(3);
    let Sort::Location(sort) = world.variables[0].sort else { panic!("a location") };
    let location = |n: usize| Value::Location(sort, n as u32);
    let mut models = Vec::new();
    for number in 0..2700usize {
        let mut model = Model::default();
        for (i, variable) in world.variables.iter().enumerate() {
            model.stack.insert(*variable, location(number / 100 / 3usize.pow(i as u32) % 3));
        }
        for (at, cell) in [(1, number % 10), (2, number / 10 % 10)] {
            if cell > 0 {
                model.heap.insert(location(at), vec![location((cell - 1) % 3), location((cell - 1) / 3)]);
            }
        }
        models.push(model);
    }
    let mut dice = Dice(41);
    let mut shown = 0;
    let mut rounds = 0;
    while rounds < 1500 {
        rounds += 1;
        let term = |dice: &mut Dice| match dice.roll(4) {
            0 => world.nil.clone(),
            n => world.at(n - 1),
        };
        // Generate links that often match: the end of one part is the start of the next.
        let mut terms: Vec<Term> = (0..8).map(|_| term(&mut dice)).collect();
        let (first, before, after) = (terms[0].clone(), terms[1].clone(), terms[2].clone());
        let (middle, end, last) = (terms[3].clone(), terms[4].clone(), terms[5].clone());
        let nested = dice.roll(3) == 0;
        let segment = |a: &Term, b: &Term, c: &Term, d: &Term| match nested {
            true => Spatial::Predicate(world.nested, vec![a.clone(), d.clone(), world.nil.clone()]),
            false => Spatial::Predicate(world.doubly, [a, b, c, d].map(Term::clone).to_vec()),
        };
        let mut left = match dice.roll(4) {
            0 => vec![segment(&first, &middle, &before, &end), segment(&end, &last, &middle, &after)],
            1 => vec![
                Spatial::PointsTo(
                    first.clone(),
                    vec![end.clone(), if nested { middle.clone() } else { before.clone() }],
                ),
                segment(&end, &last, &first, &after),
            ],
            2 => vec![
                segment(&first, &middle, &before, &last),
                Spatial::PointsTo(last.clone(), vec![after.clone(), middle.clone()]),
            ],
            _ => vec![
                Spatial::PointsTo(first.clone(), vec![last.clone(), before.clone()]),
                Spatial::PointsTo(last.clone(), vec![after.clone(), first.clone()]),
            ],
        };
        if nested && dice.roll(2) == 0 {
            left.push(Spatial::Predicate(world.inner, vec![middle.clone(), world.nil.clone()]));
        }
        if dice.roll(4) == 0 {
            left.push(Spatial::PointsTo(terms.remove(6), vec![terms.remove(6), first.clone()]));
        }
        let mut right = vec![segment(&first, &last, &before, &after)];
        right.extend(left.get(2).filter(|_| dice.roll(2) == 0).cloned());
        let (left, right) = (world.heap(left), world.heap(right));
        let question = Question::Entailment(vec![left.clone()], vec![right.clone()]);
        if chains::decide(&world.signature, &question, &Budget::unlimited()) != Answer::Unsat {
            continue;
        }
        let holds = |model: &Model, heap: &SymbolicHeap| {
            let budget = Budget::unlimited();
            let formula = heap.to_formula();
            let holds = Evaluator::new(&world.signature, model, &budget).and_then(|mut e| e.holds(&formula));
            holds.expect("there are locations only")
        };
        let mut has_model = false;
        for model in models.iter().filter(|m| holds(m, &left)) {
            has_model = true;
            let side = |heap| print::symbolic_heap(&world.signature, heap);
            assert!(holds(model, &right), "{model:?}: {} |- {}", side(&left), side(&right));
        }
        shown += usize::from(has_model);
        if shown > 40 {
            break;
        }
    }
    assert!(shown > 25, "{shown} of {rounds}");
}
