//! Compares the decision procedure with enumeration on small conjunctions.

use proptest::prelude::*;

use super::{Answer, Constraint, Relation, Row, entails, solve};

fn constraint() -> impl Strategy<Value = Constraint> {
    let relation =
        prop_oneof![3 => Just(Relation::AtLeastZero), 1 => Just(Relation::Zero), 1 => Just(Relation::NonZero)];
    (prop::collection::vec(-5..=5i128, 3), -12..=12i128, relation).prop_map(|(coefficients, constant, relation)| {
        let terms = (0u32..).zip(coefficients).filter(|t| t.1 != 0).collect();
        Constraint { row: Row { terms, constant }, relation }
    })
}

/// Bounds that make enumeration complete.
fn bounds() -> Vec<Constraint> {
    let mut all = Vec::new();
    for unknown in 0..3 {
        all.push(Constraint::at_least_zero(Row { terms: vec![(unknown, 1)], constant: 6 }));
        all.push(Constraint::at_least_zero(Row { terms: vec![(unknown, -1)], constant: 6 }));
    }
    all
}

fn enumerated(constraints: &[Constraint]) -> bool {
    let range = || -6..=6i128;
    range().any(|x| {
        range().any(|y| {
            range().any(|z| {
                let value = |u: u32| [x, y, z][u as usize];
                constraints.iter().all(|c| c.holds(&value) == Some(true))
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agrees_with_enumeration(mut constraints in prop::collection::vec(constraint(), 0..6)) {
        constraints.extend(bounds());
        let expected = enumerated(&constraints);
        match solve(&constraints) {
            Answer::Feasible(_) => prop_assert!(expected),
            Answer::Infeasible => prop_assert!(!expected),
            Answer::Unknown => prop_assert!(false, "small numbers are decided"),
        }
    }

    #[test]
    fn solutions_satisfy_the_constraints(constraints in prop::collection::vec(constraint(), 0..7)) {
        if let Answer::Feasible(solution) = solve(&constraints) {
            let value = |u: u32| solution.get(&u).copied().unwrap_or(0);
            for constraint in &constraints {
                prop_assert_eq!(constraint.holds(&value), Some(true));
            }
        } else {
            prop_assert!(!enumerated(&constraints));
        }
    }
}

#[test]
fn integer_infeasibility_is_detected() {
    // 2x = 2y + 1
    let row = Row { terms: vec![(0, 2), (1, -2)], constant: -1 };
    assert_eq!(solve(&[Constraint::zero(row)]), Answer::Infeasible);
    // 27 <= 11x + 13y <= 45 and -10 <= 7x - 9y <= 4, Pugh's example, has no integer solution.
    let rows = [([11, 13], -27), ([-11, -13], 45), ([7, -9], 10), ([-7, 9], 4)];
    let all = rows.map(|([x, y], constant)| Constraint::at_least_zero(Row { terms: vec![(0, x), (1, y)], constant }));
    assert_eq!(solve(&all), Answer::Infeasible);
}

#[test]
fn large_numbers_are_exact_or_unknown() {
    let huge = i128::MAX / 2;
    let x = Row::unknown(0);
    let at_least = Constraint::at_least_zero(Row { constant: -huge, ..x.clone() });
    let above = Constraint::at_least_zero(Row { constant: -huge - 1, ..x });
    assert_eq!(entails(std::slice::from_ref(&above), &at_least), Some(true));
    assert_ne!(entails(&[at_least], &above), Some(true));
    let steep = Constraint::zero(Row { terms: vec![(0, huge), (1, huge - 1), (2, 7)], constant: 3 });
    let other = Constraint::zero(Row { terms: vec![(0, huge - 5), (1, huge - 7), (2, 9)], constant: 3 });
    // The answer may be unknown, but a claimed solution must be correct.
    if let Answer::Feasible(solution) = solve(&[steep.clone(), other]) {
        assert_eq!(steep.holds(&|u| solution[&u]), Some(true));
    }
}
