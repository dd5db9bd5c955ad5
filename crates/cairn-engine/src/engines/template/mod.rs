//! Invariants by template and solver (papers: 2ls-fmcad18, 2ls-thesis).

pub mod ssa;
