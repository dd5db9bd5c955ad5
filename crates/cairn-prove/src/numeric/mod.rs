//! The pure part of joined states: conditions on numbers.
//!
//! - [`guesses`] proposes conditions, and [`joined_path`] keeps those that both states imply.
//! - [`consequence`] derives conditions that would otherwise be lost together with unreachable values.
//! - [`eliminate`] removes variables that the state no longer holds.

pub(crate) mod consequence;
pub(crate) mod eliminate;
pub(crate) mod guesses;
pub(crate) mod joined_path;
