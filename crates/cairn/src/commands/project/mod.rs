//! Commands on the results of projects: baselines, kept results, comparison, merging, and the delivery of results.

pub(crate) mod baseline;
pub(crate) mod cache;
pub(crate) mod deliver;
pub(crate) mod diff;
pub(crate) mod merge;
