//! The encoding of a program as an acyclic formula in SSA form (FMCAD §II-C and §III, thesis §2.4 and §3.4).
//!
//! Calls are inlined, or are placeholders for the summaries of functions with formulas of their own
//! ([`calls::summaries`]). Loops are cut at the end of the body. At the head, a free *loop-select* guard chooses
//! between the value from before the loop and a free *loop-back* variable. The loop-back variable stands for the value
//! at the end of the body and is constrained by an invariant. Unwinding repeats the body before the cut.
//!
//! **Allocation sites in loops.** The papers give a site a few abstract dynamic objects that each stand for many
//! concrete objects, so every write to one is a weak update. Here a site in a loop has *tracked instances*, each of
//! which is one concrete object, and *the rest*, which stands for all other objects of the site. An allocation chooses
//! freely which of them it returns, each instance at most once. The instances of an execution are thus arbitrary
//! objects of that execution, and a property shown for every choice holds for every object: a row about one instance is
//! a statement about all objects of the site.
//!
//! Writes to an instance are strong updates. The rest has no contents, and a read from it returns an arbitrary value.
//! Because the choice is free, a query about a program point may assume that the objects dereferenced on the way to it
//! are among the instances ([`Formula::tracked`]). This assumption makes the encoding precise, and only it depends on
//! the number of instances (FMCAD §III-A2). The concrete object that the paper adds for `free` (§V-B) is the same idea.
//!
//! **Tour.** [`formula`] holds the formula and its parts, and `Formula::of` is the entry point. `builder` drives the
//! encoding, which is split by subject into `instructions`, `memory`, [`calls`] and [`control_flow`]. [`value`] defines
//! the values of SSA variables, [`knowledge`] the facts about memory that builds accumulate, and `print` renders a
//! formula.

mod builder;
pub mod calls;
pub mod control_flow;
pub mod formula;
mod instructions;
pub mod knowledge;
mod memory;
mod print;
pub mod value;

pub use cairn_smt::Terms;

pub use self::builder::{Beyond, Builder, Calls, Failure, Options};
pub use self::calls::context_assignment::Contexts;
pub use self::formula::{
    BodyFormula, Dereference, Event, Formula, Kind, Location, NoFormula, Obligation, Point, Variable,
};
