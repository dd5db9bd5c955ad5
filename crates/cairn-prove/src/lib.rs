//! The proving engine: symbolic execution with abstraction.
//!
//! The prover executes a program with the machine of `cairn-exec`, like the exploring engine, but keeps the set of
//! states finite. At loop heads, and where many branches meet, a state is simplified and its nodes are folded into
//! list and tree segments. The state is dropped if an earlier state at the same program point covers it, and
//! otherwise joined with one of them. For example, a loop that pushes nodes to a list reaches the states
//!
//! ```text
//!     head = nil
//!     head ↦ {next: nil}
//!     ls(head, nil) [n nodes, at least 1]
//! ```
//!
//! and the third state covers all that follow. Data-flow analysis over symbolic heaps is the idea of the paper *Shape
//! Analysis Using Separation Logic* (papers: sl-dataflow).
//!
//! | module | holds |
//! | --- | --- |
//! | `prover`, `domain` | the prover, and its interface to the reachability loop |
//! | `lattice` | the operations on states, to which most other modules add |
//! | `simplify` | the facts that a state forgets before it is compared |
//! | `fold` | abstraction: nodes become segments |
//! | `join` | the pairing of two states, for joins and covering |
//! | `numeric` | the path condition of joined states |
//! | `calls` | function summaries and the frame rule |
//! | `hints` | guesses from the program's text |
//! | `certificate` | the proof as data, for the independent checker |
//! | `control_flow`, `footprint` | loops, and the memory that a loop can access |
//! | [`invariant`], [`states`] | output for people: loop invariants in C, and states as formulas |
//!
//! A failed check is an *alarm*: some abstract state violates it, but perhaps no execution does. A single alarm, an
//! incompleteness or an exceeded limit means that nothing is proved. A prover that continues after alarms still
//! proves the checks without one ([`alarm`]).
//!
//! Invariants:
//!
//! - If a state covers another, the formula of the other entails its formula.
//! - A condition of a joined state follows from the path condition of each operand.
//! - A local variable occurs in the patterns of its segment and in the path condition, nowhere else. A condition on
//!   it holds in every node.
//! - An address variable belongs to the same object in all states.
//! - A state is compared with others only when it has just entered a block.

pub mod alarm;
mod calls;
mod certificate;
mod control_flow;
mod domain;
pub mod engine;
mod fold;
mod footprint;
mod hints;
pub mod invariant;
mod join;
mod lattice;
mod limits;
mod numeric;
mod prover;
mod proving;
mod simplify;
pub mod states;
#[cfg(test)]
mod tests;

pub use self::lattice::Lattice;
pub use self::prover::{Place, Prover};
pub use self::proving::{ProofData, Proving, Stage, State};
