//! Folding: concrete nodes become list segments and tree segments.
//!
//! - [`neighbours`] finds pairs of nodes that may form a segment, and [`references`] collects the pointers to them.
//! - [`lists`] folds two neighbours into one segment.
//! - [`normalise`] first rewrites the parts that the two nodes own, mostly into equivalent forms, until the nodes
//!   match.
//! - [`alternatives`] keeps the numbers that tell nodes with a part from nodes without it.
//! - [`sequences`] records which value of a cell may follow which along a list.
//! - [`tree_segments`] folds trees, and [`tree_paths`] folds the path from the root of a tree to one of its nodes.
//! - [`skip_levels`] tells the levels of skip lists apart.
//! - [`tables`] makes every cell of an array point to a list segment.

pub(crate) mod alternatives;
pub(crate) mod lists;
pub(crate) mod neighbours;
pub(crate) mod normalise;
pub(crate) mod references;
pub(crate) mod sequences;
pub(crate) mod skip_levels;
pub(crate) mod tables;
pub(crate) mod tree_paths;
pub(crate) mod tree_segments;
