//! Measures how the cost of queries about heaps with list segments grows with their size.
//!
//! `cargo bench -p cairn-sl` runs families of 10 to 1,000 atoms, each for entailment and satisfiability:
//!
//! - a chain of segments against one segment, against pairs, and a dangling chain, which is
//!   refuted;
//! - a chain that forms a ring, against the same ring started elsewhere;
//! - pairs of segments between the same ends, both of which must be empty;
//! - forks, of which one branch is empty: the cases multiply until the budget is exhausted.
//!
//! The last column is the exponent between a size and the previous one; 3 is the limit.

use std::time::{Duration, Instant};

use cairn_sl::formula::{PredicateId, Pure, Sort, Spatial, Term};
use cairn_sl::infer::{Entailment, entails, is_satisfiable};
use cairn_sl::signature::Signature;
use cairn_sl::symbolic_heap::SymbolicHeap;
use cairn_sl::{Answer, Budget};

const SIZES: [usize; 7] = [10, 20, 50, 100, 200, 500, 1000];

/// The budget for the forks.
const FORK_STEPS: u64 = 200_000;

struct Family {
    name: &'static str,
    /// Constructs both sides from the locations of a chain.
    heaps: fn(PredicateId, &[Term]) -> [SymbolicHeap; 2],
    /// Whether the last location is `nil`.
    closed: bool,
    expected: Entailment,
    limit: u64,
}

const FAMILIES: [Family; 6] = [
    Family { name: "one segment", heaps: one_segment, closed: true, expected: Entailment::Valid, limit: u64::MAX },
    Family { name: "pairs", heaps: pairs, closed: true, expected: Entailment::Valid, limit: u64::MAX },
    Family { name: "dangling", heaps: one_segment, closed: false, expected: Entailment::Invalid, limit: u64::MAX },
    Family { name: "ring", heaps: ring, closed: false, expected: Entailment::Valid, limit: u64::MAX },
    Family { name: "same ends", heaps: same_ends, closed: false, expected: Entailment::Valid, limit: u64::MAX },
    Family {
        name: "forks",
        heaps: forks,
        closed: false,
        expected: Entailment::Unknown(cairn_sl::Reason::OutOfBudget),
        limit: FORK_STEPS,
    },
];

fn heap(spatial: Vec<Spatial>) -> SymbolicHeap {
    SymbolicHeap { spatial, ..SymbolicHeap::emp() }
}

fn segment(list: PredicateId, from: &Term, to: &Term) -> Spatial {
    Spatial::Predicate(list, vec![from.clone(), to.clone()])
}

/// Creates a chain of cells and segments.
fn chain(list: PredicateId, nodes: &[Term]) -> Vec<Spatial> {
    let atom = |(i, pair): (usize, &[Term])| match i % 3 {
        0 => Spatial::PointsTo(pair[0].clone(), vec![pair[1].clone()]),
        _ => segment(list, &pair[0], &pair[1]),
    };
    nodes.windows(2).enumerate().map(atom).collect()
}

fn one_segment(list: PredicateId, nodes: &[Term]) -> [SymbolicHeap; 2] {
    [chain(list, nodes), vec![segment(list, &nodes[0], &nodes[nodes.len() - 1])]].map(heap)
}

fn pairs(list: PredicateId, nodes: &[Term]) -> [SymbolicHeap; 2] {
    let pair = |i: usize| segment(list, &nodes[i], &nodes[(i + 2).min(nodes.len() - 1)]);
    [chain(list, nodes), (0..nodes.len() - 1).step_by(2).map(pair).collect()].map(heap)
}

fn ring(list: PredicateId, nodes: &[Term]) -> [SymbolicHeap; 2] {
    let (first, middle, last) = (&nodes[0], &nodes[nodes.len() / 2 / 3 * 3], &nodes[nodes.len() - 1]);
    let mut left = chain(list, nodes);
    left.push(Spatial::PointsTo(last.clone(), vec![first.clone()]));
    // The cell at the first location prevents the second half from closing too early.
    let right = vec![segment(list, first, middle), segment(list, middle, last), left[left.len() - 1].clone()];
    [left, right].map(heap)
}

fn same_ends(list: PredicateId, nodes: &[Term]) -> [SymbolicHeap; 2] {
    let twice = |pair: &[Term]| [segment(list, &pair[0], &pair[1]), segment(list, &pair[0], &pair[1])];
    [nodes.windows(2).step_by(2).flat_map(twice).collect(), Vec::new()].map(heap)
}

fn forks(list: PredicateId, nodes: &[Term]) -> [SymbolicHeap; 2] {
    let fork = |three: &[Term], one: usize, other: usize| {
        [segment(list, &three[0], &three[one]), segment(list, &three[0], &three[other])]
    };
    let mut left = heap(nodes.chunks_exact(3).flat_map(|three| fork(three, 1, 2)).collect());
    // Without these disequalities, the forks would be independent of each other.
    let ends: Vec<&Term> = nodes.chunks_exact(3).map(|three| &three[2]).collect();
    left.pure.extend(ends.windows(2).map(|pair| Pure::Distinct(pair[0].clone(), pair[1].clone())));
    [left, heap(nodes.chunks_exact(3).flat_map(|three| fork(three, 2, 1)).collect())]
}

fn main() {
    println!("{:28}{:>8}{:>14}{:>10}{:>10}", "family", "atoms", "microseconds", "steps", "exponent");
    for family in &FAMILIES {
        for satisfiability in [false, true] {
            let name = format!("{}{}", family.name, if satisfiability { ", satisfiable" } else { "" });
            let mut before: Option<(usize, f64)> = None;
            for size in SIZES {
                let (best, steps) = measure(family, size, satisfiability);
                let seconds = best.as_secs_f64();
                let exponent = before.map_or(String::new(), |(n, t)| {
                    format!("{:.2}", (seconds / t).ln() / (size as f64 / n as f64).ln())
                });
                println!("{name:28}{size:>8}{:>14.1}{steps:>10}{exponent:>10}", seconds * 1e6);
                before = Some((size, seconds));
            }
        }
    }
}

fn measure(family: &Family, size: usize, satisfiability: bool) -> (Duration, u64) {
    let mut signature = Signature::new();
    let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
    let list = signature.add_list_segment("ls", node, 0);
    let mut nodes: Vec<Term> =
        (0..=size).map(|i| Term::variable(signature.variable(&format!("x{i}"), Sort::Location(node)))).collect();
    if family.closed {
        nodes[size] = Term::Nil(node);
    }
    let [left, right] = (family.heaps)(list, &nodes);
    let mut best = Duration::MAX;
    let mut steps = 0;
    let begin = Instant::now();
    while best == Duration::MAX || begin.elapsed() < Duration::from_millis(200) {
        let budget = Budget::steps(family.limit);
        let started = Instant::now();
        if satisfiability {
            assert_eq!(is_satisfiable(&signature, &left, &budget), Answer::Sat);
        } else {
            let answer = entails(&signature, &left, &right, &budget);
            // Small forks are decided within the budget.
            assert!(answer == family.expected || family.limit < u64::MAX && answer == Entailment::Valid, "{answer:?}");
        }
        best = best.min(started.elapsed());
        steps = budget.spent();
    }
    (best, steps)
}
