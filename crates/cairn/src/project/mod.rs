//! Projects: many files that a build system compiles and links.
//!
//! [`discover`] finds the translation units, mostly in a compilation database ([`database`]), with the options of their compiler commands
//! ([`flags`]). [`link`] combines them to targets ([`unit`]): programs, and library files. [`driver`] checks the targets side by side, each
//! in a process of its own, and keeps their results ([`store`]). [`ninja`] writes the same work as a build graph for other machines, and
//! [`record`] writes the compilation database of a build that has none.

pub(crate) mod database;
pub(crate) mod discover;
pub(crate) mod driver;
pub(crate) mod flags;
pub(crate) mod link;
pub(crate) mod ninja;
mod progress;
pub(crate) mod record;
mod scan;
pub(crate) mod store;
pub(crate) mod unit;
