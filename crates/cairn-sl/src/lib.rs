//! A separation-logic solver: formulas, the SL-COMP format, satisfiability, entailment, frames and abduction.
//!
//! [`formula`] holds formulas and [`signature`] what they are made of; [`read`] and [`print`] are the text form, [`script`] what a file
//! asks; [`symbolic_heap`] is the normal form that most procedures work on; [`decide`] chooses a procedure by fragment;
//! [`infer`] is what engines ask: entailment, frames, abduction. There is no
//! clock here: work is limited by a [`Budget`].
//!
//! ```
//! use cairn_sl::{Answer, Budget, decide::decide, read::read, script::Assertions};
//!
//! let script = read("(declare-sort L 0) (declare-heap (L L)) (declare-const x L) (assert (pto x x)) (check-sat)").unwrap();
//! let mut assertions = Assertions::default();
//! script.commands.iter().for_each(|command| assertions.run(command));
//! let decision = decide(&script.signature, assertions.formulas(), &Budget::unlimited());
//! assert_ne!(decision.answer, Answer::Unsat);
//! ```

pub mod arithmetic;
pub mod budget;
pub mod cells;
pub mod decide;
pub mod evaluate;
pub mod formula;
pub mod infer;
pub mod model;
pub mod print;
pub mod read;
pub mod script;
pub mod semantics;
pub mod signature;
pub mod symbolic_heap;

pub use budget::{Answer, Budget, Reason};
pub use model::Model;
pub use semantics::Semantics;
