//! How the cost of entailments between heaps with list segments grows with their size.
//!
//! `cargo bench -p cairn-sl` measures three families for 10 to 1,000 atoms: a chain of segments against one segment, against pairs, and
//! a chain that dangles, which is refuted. The last column is the exponent between a size and the one before: 3 is the limit.

use std::time::{Duration, Instant};

use cairn_sl::Budget;
use cairn_sl::formula::{Sort, Spatial, Term};
use cairn_sl::infer::{Entailment, entails};
use cairn_sl::signature::Signature;
use cairn_sl::symbolic_heap::SymbolicHeap;

const SIZES: [usize; 7] = [10, 20, 50, 100, 200, 500, 1000];

fn main() {
    println!("{:24}{:>8}{:>14}{:>10}{:>10}", "family", "atoms", "microseconds", "steps", "exponent");
    for (family, stride, closed) in
        [("one segment", usize::MAX, true), ("pairs", 2, true), ("dangling", usize::MAX, false)]
    {
        let mut before: Option<(usize, f64)> = None;
        for size in SIZES {
            let (best, steps) = measure(size, stride, closed);
            let seconds = best.as_secs_f64();
            let exponent = before
                .map_or(String::new(), |(n, t)| format!("{:.2}", (seconds / t).ln() / (size as f64 / n as f64).ln()));
            println!("{family:24}{size:>8}{:>14.1}{steps:>10}{exponent:>10}", seconds * 1e6);
            before = Some((size, seconds));
        }
    }
}

/// A chain of cells and segments, and the same chain with so many atoms put together.
fn measure(size: usize, stride: usize, closed: bool) -> (Duration, u64) {
    let mut signature = Signature::new();
    let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
    let list = signature.add_list_segment("ls", node, 0);
    let mut nodes: Vec<Term> =
        (0..=size).map(|i| Term::variable(signature.variable(&format!("x{i}"), Sort::Location(node)))).collect();
    if closed {
        nodes[size] = Term::Nil(node);
    }
    let atom = |i: usize| match i % 3 {
        0 => Spatial::PointsTo(nodes[i].clone(), vec![nodes[i + 1].clone()]),
        _ => Spatial::Predicate(list, vec![nodes[i].clone(), nodes[i + 1].clone()]),
    };
    let left = SymbolicHeap { spatial: (0..size).map(atom).collect(), ..SymbolicHeap::emp() };
    let mut spatial = Vec::new();
    let mut from = 0;
    while from < size {
        let to = from.saturating_add(stride).min(size);
        spatial.push(Spatial::Predicate(list, vec![nodes[from].clone(), nodes[to].clone()]));
        from = to;
    }
    let right = SymbolicHeap { spatial, ..SymbolicHeap::emp() };
    let mut best = Duration::MAX;
    let mut steps = 0;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(300) {
        let budget = Budget::unlimited();
        let started = Instant::now();
        let answer = entails(&signature, &left, &right, &budget);
        best = best.min(started.elapsed());
        steps = budget.spent();
        assert_eq!(answer, if closed { Entailment::Valid } else { Entailment::Invalid });
    }
    (best, steps)
}
