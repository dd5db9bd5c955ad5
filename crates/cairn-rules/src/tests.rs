//! Tests with small theories, and a comparison with brute force.

use proptest::prelude::*;

use crate::{Answer, Body, Guard, Lit, Pattern, Rule, Rules, Solver, Term};

const X: Pattern = Pattern::var(0);
const Y: Pattern = Pattern::var(1);
const Z: Pattern = Pattern::var(2);

fn refuted(answer: &Answer) -> bool {
    matches!(answer, Answer::Refuted)
}

#[test]
fn equality_tracks_offsets() {
    let rules = Rules::default();
    let mut solver = Solver::new(&rules);
    let (a, b, c) = (solver.fresh(), solver.fresh(), solver.fresh());
    let first = solver.equal(a, b + 8);
    let second = solver.equal(b, c + 8);
    let goal = solver.equal(a, c + 16);
    let wrong = solver.equal(a, c + 8);
    assert!(solver.assume(first) && solver.assume(second));
    assert!(refuted(&solver.refute(&[!goal])));
    assert!(refuted(&solver.refute(&[wrong])));
    solver.backtrack(1);
    assert!(!refuted(&solver.refute(&[!goal])));
}

#[test]
fn negative_cycles_are_contradictions() {
    let rules = Rules::default();
    let mut solver = Solver::new(&rules);
    let (a, b) = (solver.fresh(), solver.fresh());
    let facts = [solver.at_most(a, b - 1), solver.at_most(b, Term::constant(3)), solver.at_most(Term::constant(2), a)];
    assert!(facts.into_iter().all(|fact| solver.assume(fact)));
    let more = solver.at_most(Term::constant(3), a);
    assert!(refuted(&solver.refute(&[more])));
    let same = solver.at_most(a, Term::constant(2));
    assert!(refuted(&solver.refute(&[!same])));
}

#[test]
fn bounds_may_be_further_apart_than_the_largest_number() {
    let rules = Rules::default();
    let mut solver = Solver::new(&rules);
    let (least, most) = (Term::constant(i64::MIN), Term::constant(i64::MAX));
    let (a, b) = (solver.fresh(), solver.fresh());
    let facts = [solver.at_most(least, a + 1), solver.at_most(a + i64::MAX, b + i64::MIN), solver.at_most(b, most)];
    assert!(facts.into_iter().all(|fact| solver.assume(fact)));
    let smallest = solver.at_most(b, Term::constant(-1));
    assert!(refuted(&solver.refute(&[smallest])));
    let possible = solver.at_most(a, Term::constant(-1));
    assert!(!refuted(&solver.refute(&[possible])));
}

/// The theory of arrays: cells of versioned functions, and writes from one version to the next.
fn arrays() -> (Rules, crate::Predicate, crate::Predicate) {
    let mut rules = Rules::default();
    let cell = rules.predicate("cell", 3, Some(0));
    let write = rules.predicate("write", 4, Some(3));
    let (f, p, v, w, g, q) = (X, Y, Z, Pattern::var(3), Pattern::var(4), Pattern::var(5));
    rules.add(Rule::simpagation(
        "one_value",
        vec![cell.of([f, p, v])],
        vec![cell.of([f, p, w])],
        Body::all(vec![crate::Atom::Equal(v, w)]),
    ));
    rules.add(Rule::propagation(
        "read_over_write",
        vec![write.of([f, p, v, g]), cell.of([g, q, w])],
        Body::any(vec![
            vec![crate::Atom::Equal(q, p), crate::Atom::Equal(w, v)],
            vec![crate::Atom::Differ(q, p), cell.of([f, q, w])],
        ]),
    ));
    (rules, cell, write)
}

#[test]
fn reads_see_the_last_write() {
    let (rules, cell, write) = arrays();
    let mut solver = Solver::new(&rules);
    let [p, q, v, w, r] = std::array::from_fn(|_| solver.fresh());
    let heap = |k| Term::constant(k);
    let facts = [
        solver.constraint(write, &[heap(1), p, v, heap(2)]),
        solver.constraint(write, &[heap(2), q, v, heap(3)]),
        solver.constraint(cell, &[heap(3), p, r]),
    ];
    assert!(facts.into_iter().all(|fact| solver.assume(fact)));
    // Whether or not `p` and `q` are equal, reading at `p` yields the written value.
    let goal = solver.equal(r, v);
    assert!(refuted(&solver.refute(&[!goal])));
    let other = solver.equal(r, w);
    assert!(matches!(solver.refute(&[!other]), Answer::Satisfied(_)));
    // Clauses learned in one refutation must not affect the next.
    assert!(matches!(solver.refute(&[other]), Answer::Satisfied(_)));
}

#[test]
fn guards_require_known_differences() {
    let mut rules = Rules::default();
    let block = rules.predicate("block", 1, None);
    rules.add(
        Rule::propagation("apart", vec![block.of([X]), block.of([Y])], Body::contradiction())
            .when(Guard::Between(X, Y, 1, 15)),
    );
    let mut solver = Solver::new(&rules);
    let (a, b) = (solver.fresh(), solver.fresh());
    for var in [a, b] {
        let fact = solver.constraint(block, &[var]);
        assert!(solver.assume(fact));
    }
    for (distance, overlaps) in [(8, true), (15, true), (16, false), (0, false), (-8, true)] {
        let goal = solver.equal(a, b + distance);
        assert_eq!(refuted(&solver.refute(&[goal])), overlaps, "{distance}");
    }
}

#[test]
fn simplification_removes_heads() {
    let mut rules = Rules::default();
    let old = rules.predicate("old", 1, None);
    let new = rules.predicate("new", 1, None);
    rules.add(Rule::simplification("renew", vec![old.of([X])], Body::all(vec![new.of([X.plus(1)])])));
    rules.add(Rule::propagation("late", vec![new.of([Y]), old.of([X])], Body::contradiction()));
    let mut solver = Solver::new(&rules);
    let a = solver.fresh();
    let fact = solver.constraint(old, &[a]);
    assert!(solver.assume(fact), "the old constraint is gone when the new one looks for it");
    let goal = solver.constraint(new, &[a + 1]);
    assert!(refuted(&solver.refute(&[!goal])));
}

#[test]
fn negative_heads_introduce_witnesses() {
    let mut rules = Rules::default();
    let total = rules.predicate("all_positive", 1, None);
    let member = rules.predicate("member", 2, None);
    rules.add(Rule::propagation(
        "positive",
        vec![total.of([X]), member.of([X, Y])],
        Body::all(vec![crate::Atom::AtMost(Pattern::constant(1), Y)]),
    ));
    rules.add(Rule::simplification(
        "witness",
        vec![total.not([X])],
        Body::all(vec![member.of([X, Z]), crate::Atom::AtMost(Z, Pattern::constant(0))]),
    ));
    let mut solver = Solver::new(&rules);
    let s = solver.fresh();
    let fact = solver.constraint(total, &[s]);
    let copy = solver.fresh();
    let goal = solver.constraint(total, &[copy]);
    assert!(matches!(solver.refute(&[!goal]), Answer::Satisfied(_)));
    assert!(solver.assume(fact));
    let same = solver.equal(s, copy);
    assert!(refuted(&solver.refute(&[same, !goal])));
    assert!(matches!(solver.refute(&[!goal]), Answer::Satisfied(_)));
}

#[test]
fn nonterminating_rules_exhaust_the_budget() {
    let mut rules = Rules::default();
    let more = rules.predicate("more", 1, None);
    rules.add(Rule::propagation("more", vec![more.of([X])], Body::all(vec![more.of([X.plus(1)])])));
    let mut solver = Solver::new(&rules);
    solver.set_budget(1000);
    let a = solver.fresh();
    let fact = solver.constraint(more, &[a]);
    assert!(matches!(solver.refute(&[fact]), Answer::Exhausted));
}

#[test]
fn rules_print_in_chr_notation() {
    let (rules, ..) = arrays();
    assert_eq!(
        rules.print(),
        "one_value @ cell(P, V, F) \\ cell(P, V, G) <=> F = G.\n\
         read_over_write @ write(P, V, F, Q), cell(Q, W, G) ==> (W = V, G = F) ; (W != V, cell(P, W, G)).\n"
    );
}

/// A step of a sequence of writes and reads.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Read(usize, usize),
}

/// Returns whether some assignment of five variables satisfies all steps and relations.
fn possible(steps: &[Step], relations: &[(usize, usize, bool)]) -> bool {
    (0..3125_u32).any(|code| {
        let value = |var: usize| code / 5_u32.pow(var as u32) % 5;
        if !relations.iter().all(|&(a, b, equal)| (value(a) == value(b)) == equal) {
            return false;
        }
        // The first read of a cell that was not written determines its value.
        let mut memory = [None; 5];
        steps.iter().all(|step| match *step {
            Step::Write(place, var) => {
                memory[value(place) as usize] = Some(value(var));
                true
            }
            Step::Read(place, var) => *memory[value(place) as usize].get_or_insert(value(var)) == value(var),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The array theory agrees with brute force, including clause learning, removal and backtracking.
    #[test]
    fn search_agrees_with_brute_force(
        steps in prop::collection::vec((any::<bool>(), 0..5_usize, 0..5_usize), 1..7),
        relations in prop::collection::vec((0..5_usize, 0..5_usize, any::<bool>()), 0..6),
        split in 0..6_usize,
    ) {
        let steps: Vec<Step> =
            steps.into_iter().map(|(write, place, var)| if write { Step::Write(place, var) } else { Step::Read(place, var) }).collect();
        let (rules, cell, write) = arrays();
        let mut solver = Solver::new(&rules);
        let vars: Vec<Term> = (0..5).map(|_| solver.fresh()).collect();
        let mut version = 0;
        let mut facts: Vec<Lit> = Vec::new();
        for step in &steps {
            facts.push(match *step {
                Step::Write(place, var) => {
                    version += 1;
                    solver.constraint(write, &[Term::constant(version - 1), vars[place], vars[var], Term::constant(version)])
                }
                Step::Read(place, var) => solver.constraint(cell, &[Term::constant(version), vars[place], vars[var]]),
            });
        }
        for &(a, b, equal) in &relations {
            let lit = solver.equal(vars[a], vars[b]);
            facts.push(if equal { lit } else { !lit });
        }
        let expected = possible(&steps, &relations);
        // Pass everything as the goal, then assume a part first, then repeat the first query to
        // check that no state is left behind.
        prop_assert_eq!(!refuted(&solver.refute(&facts)), expected);
        let split = split.min(facts.len());
        let consistent = facts[..split].iter().all(|&fact| solver.assume(fact));
        let answer = consistent && !refuted(&solver.refute(&facts[split..]));
        prop_assert_eq!(answer, expected);
        solver.backtrack(0);
        prop_assert_eq!(!refuted(&solver.refute(&facts)), expected);
    }
}
