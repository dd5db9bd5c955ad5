//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod dump;
pub(crate) mod growth;
pub(crate) mod integrity;
pub(crate) mod library;
pub(crate) mod run;
pub(crate) mod sl;
pub(crate) mod svcomp;
pub(crate) mod validate;
