//! The commands, one file each.

pub(crate) mod baseline;
pub(crate) mod bench;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod contract;
pub(crate) mod deliver;
pub(crate) mod diff;
pub(crate) mod dump;
pub(crate) mod generate;
pub(crate) mod growth;
pub(crate) mod integrity;
pub(crate) mod judge;
pub(crate) mod library;
pub(crate) mod merge;
pub(crate) mod run;
pub(crate) mod sl;
pub(crate) mod svcomp;
pub(crate) mod validate;
