//! `cairn bench`: measurements of cairn itself, one file each.

pub(crate) mod allocation_check;
pub(crate) mod growth;
