//! What engines and the portfolio say: alarms, candidates, assumptions, reasons, invariants, surveys and verdicts.
//!
//! | module | holds |
//! |---|---|
//! | `alarm`, `candidate` | what an engine reports before a replay has decided |
//! | `reason`, `assumption` | why a check is unknown, and what a proof rests on |
//! | `invariant` | facts about loops, for witnesses |
//! | `survey`, `verdict` | the answer to every check of a task, and to the task as one question |

pub mod alarm;
pub mod assumption;
pub mod candidate;
pub mod invariant;
pub mod reason;
pub mod survey;
pub mod verdict;
