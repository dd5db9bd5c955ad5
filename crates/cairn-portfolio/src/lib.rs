//! The portfolio: the task, the interface of the engines, the schedule, confirmation by replay, and verdicts.
//!
//! [`verify`](verify::verify) answers a task as one question, [`survey`](verify::survey) answers every check; both run the engines of
//! a [`schedule`]. Engines depend on this crate, not the other way round: the schedule is a table that the caller passes.

pub mod answers;
pub mod calls;
pub mod certificate;
pub mod concrete_attempts;
pub mod confirm;
mod containment;
pub mod engine;
pub mod input;
pub mod limits;
pub mod one_execution;
pub mod schedule;
pub mod settings;
pub mod task;
pub mod verify;

pub use answers::{alarm, assumption, candidate, invariant, reason, survey, verdict};
pub use input::Input;
pub use reason::Reason;
pub use task::Task;
