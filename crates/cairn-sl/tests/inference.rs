//! Frame inference and abduction with list segments.
//!
//! Results on generated heaps are checked in all small models; some results are known.

mod support;

use cairn_sl::formula::{Formula, Pure, Spatial, Term};
use cairn_sl::infer::{Entailment, abduce, bi_abduce, entails, frame, simplify};
use cairn_sl::symbolic_heap::SymbolicHeap;
use cairn_sl::{Budget, print};
use support::{Dice, Small, World, small_models, symbolic};

fn heap(formula: &Formula) -> SymbolicHeap {
    let mut heaps = SymbolicHeap::disjuncts(formula, 1).expect("it is a symbolic heap");
    heaps.pop().expect("there is one")
}

fn entailed(world: &World, models: &[Small], left: &SymbolicHeap, right: &SymbolicHeap) -> bool {
    let (left, right) = (left.to_formula(), right.to_formula());
    models.iter().all(|m| !m.satisfies(world, &left) || m.satisfies(world, &right))
}

#[test]
fn inferred_heaps_satisfy_the_entailment() {
    let world = World::new(3);
    let models = small_models(&world, 3);
    let mut dice = Dice(11);
    let budget = Budget::unlimited();
    let (mut frames, mut abduced, mut both) = (0, 0, 0);
    for _ in 0..1200 {
        let (pure, spatial) = world.heap(&mut dice, 3);
        let left = heap(&symbolic(&pure, &spatial));
        let (pure, spatial) = world.heap(&mut dice, 2);
        let right = heap(&symbolic(&pure, &spatial));
        let text = || {
            format!(
                "{}\n{}",
                print::symbolic_heap(&world.signature, &left),
                print::symbolic_heap(&world.signature, &right)
            )
        };
        if let Some(found) = frame(&world.signature, &left, &right, &budget).expect("there is no limit") {
            frames += 1;
            assert!(entailed(&world, &models, &left, &right.clone().separately(found)), "{}", text());
        }
        if let Some(found) = abduce(&world.signature, &left, &right, &budget).expect("there is no limit") {
            abduced += 1;
            assert!(entailed(&world, &models, &left.clone().separately(found), &right), "{}", text());
        }
        if let Some((missing, rest)) = bi_abduce(&world.signature, &left, &right, &budget).expect("there is no limit") {
            both += 1;
            let assumed = left.clone().separately(missing);
            assert!(entailed(&world, &models, &assumed, &right.clone().separately(rest)), "{}", text());
        }
    }
    assert!(frames > 40 && abduced > 40 && both > 200, "{frames} {abduced} {both}");
}

#[test]
fn simplification_preserves_models() {
    let world = World::new(3);
    let models = small_models(&world, 3);
    let mut dice = Dice(12);
    let mut smaller = 0;
    for _ in 0..400 {
        let (mut pure, spatial) = world.heap(&mut dice, 3);
        pure.push(world.pure(&mut dice));
        let before = heap(&symbolic(&pure, &spatial));
        let after = simplify(&world.signature, &before, &Budget::unlimited());
        let after_formula = after.as_ref().map_or(Formula::False, SymbolicHeap::to_formula);
        let before_formula = before.to_formula();
        for model in &models {
            assert_eq!(model.satisfies(&world, &before_formula), model.satisfies(&world, &after_formula), "{before:?}");
        }
        smaller += usize::from(after.is_some_and(|after| after.pure.len() < before.pure.len()));
    }
    assert!(smaller > 50, "{smaller}");
}

#[test]
fn missing_tail_is_abduced_with_its_side_condition() {
    let world = World::new(3);
    let [x, y, z] = [0, 1, 2].map(|i| Term::variable(world.variables[i]));
    let cell = SymbolicHeap { spatial: vec![Spatial::PointsTo(x.clone(), vec![y.clone()])], ..SymbolicHeap::emp() };
    let list = SymbolicHeap {
        spatial: vec![Spatial::Predicate(world.list, vec![x.clone(), z.clone()])],
        ..SymbolicHeap::emp()
    };
    let missing =
        abduce(&world.signature, &cell, &list, &Budget::unlimited()).expect("there is no limit").expect("it is found");
    assert_eq!(missing.spatial, [Spatial::Predicate(world.list, vec![y, z.clone()])]);
    assert_eq!(missing.pure, [Pure::Distinct(x, z)]);
}

#[test]
fn existentials_are_instantiated_from_cells() {
    let mut world = World::new(2);
    let [x, y] = [0, 1].map(|i| Term::variable(world.variables[i]));
    let bound = world.signature.variable("u", cairn_sl::formula::Sort::Location(world.sort));
    let u = Term::variable(bound);
    let nil = Term::Nil(world.sort);
    let tail = |from: &Term| Spatial::Predicate(world.list, vec![from.clone(), nil.clone()]);
    let left =
        SymbolicHeap { spatial: vec![Spatial::PointsTo(x.clone(), vec![y.clone()]), tail(&y)], ..SymbolicHeap::emp() };
    let right = SymbolicHeap {
        existentials: vec![bound],
        spatial: vec![tail(&u), Spatial::PointsTo(x.clone(), vec![u.clone()])],
        ..SymbolicHeap::emp()
    };
    assert_eq!(entails(&world.signature, &left, &right, &Budget::unlimited()), Entailment::Valid);
    let other = SymbolicHeap { spatial: vec![tail(&u), Spatial::PointsTo(y, vec![u])], ..right };
    assert_eq!(entails(&world.signature, &left, &other, &Budget::unlimited()), Entailment::Invalid);
}
