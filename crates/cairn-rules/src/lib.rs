//! Constraint handling rules inside a clause-learning search ("satisfiability modulo constraint handling rules").
//!
//! A solver for a theory is written as data: predicates, and rules over their constraints. A rule
//! `H1 \ H2 <=> guard | body` fires when constraints in the store match its heads. Its body is a
//! disjunction of conjunctions. Propagation rules (without removed heads) add their body;
//! simplification and simpagation rules also remove heads from the store.
//!
//! Equality and differences of integers are built in. A term is a variable plus a constant.
//! Equality is a union-find with offsets, and comparisons form a graph of difference bounds.
//!
//! Every application of a rule is a clause `heads ∧ equalities used ⇒ body`. The search therefore
//! learns from conflicts between rules like from any other conflict.
//!
//! ```
//! use cairn_rules::{Body, Answer, Pattern, Rule, Rules, Solver};
//! let mut rules = Rules::default();
//! let edge = rules.predicate("edge", 2, None);
//! let path = rules.predicate("path", 2, None);
//! let (x, y, z) = (Pattern::var(0), Pattern::var(1), Pattern::var(2));
//! rules.add(Rule::propagation("base", vec![edge.of([x, y])], Body::all(vec![path.of([x, y])])));
//! rules.add(Rule::propagation("step", vec![path.of([x, y]), edge.of([y, z])], Body::all(vec![path.of([x, z])])));
//! let mut solver = Solver::new(&rules);
//! let (a, b, c) = (solver.fresh(), solver.fresh(), solver.fresh());
//! for (from, to) in [(a, b), (b, c)] {
//!     let fact = solver.constraint(edge, &[from, to]);
//!     assert!(solver.assume(fact));
//! }
//! let goal = solver.constraint(path, &[a, c]);
//! assert!(matches!(solver.refute(&[!goal]), Answer::Refuted));
//! ```

mod built_in;
mod clauses;
mod difference;
mod equality;
mod limits;
mod matching;
mod model;
mod rule;
mod search;
mod term;
#[cfg(test)]
mod tests;

pub use model::Model;
pub use rule::{Atom, Body, Guard, Pattern, Predicate, Rule, Rules};
pub use search::{Answer, Solver};
pub use term::{Lit, Term, Var};
