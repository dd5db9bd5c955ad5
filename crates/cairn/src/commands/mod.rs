//! The commands, one file or folder each.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod contract;
pub(crate) mod dump;
pub(crate) mod generate;
pub(crate) mod integrity;
pub(crate) mod judge;
pub(crate) mod library;
pub(crate) mod project;
pub(crate) mod run;
pub(crate) mod sl;
pub(crate) mod svcomp;
