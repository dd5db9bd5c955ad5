//! A separation-logic solver: satisfiability, entailment, frame inference and abduction.
//!
//! - [`formula`] and [`signature`]: formulas, and the sorts, predicates and names they refer to.
//! - [`symbolic_heap`]: the normal form that most procedures work on.
//! - [`read`], [`mod@print`] and [`script`]: the SL-COMP format.
//! - [`decide`]: chooses a decision procedure by fragment.
//! - [`infer`]: the queries of program analyses, such as entailment with a frame, and abduction.
//! - [`model`] and [`evaluate`]: models, and the reference semantics of formulas.
//!
//! The crate never looks at the clock: a [`Budget`] limits the work.
//!
//! ```
//! use cairn_sl::{Answer, Budget, decide::decide, read::read, script::Assertions};
//!
//! let text = "(declare-sort L 0) (declare-heap (L L)) (declare-const x L) (assert (pto x x)) (check-sat)";
//! let script = read(text).unwrap();
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
mod limits;
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
