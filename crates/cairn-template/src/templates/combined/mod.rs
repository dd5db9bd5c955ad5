//! Templates that combine heap and numeric facts (FMCAD §IV-D), and the power template of symbolic loop paths.
//!
//! Their rows relate numbers to the pointers that lead to them: [`pointed`] and [`relative`] describe the object that a
//! pointer points to, [`neighbour_relations`] an object and its successor, [`passed`] the nodes behind a cursor,
//! [`nullness`] the consequences of null pointers, and [`cases`] the objects in a range. [`loop_paths`] duplicates the
//! rows of all templates by path.

pub mod cases;
pub mod loop_paths;
pub mod neighbour_relations;
pub mod nullness;
pub mod passed;
pub mod pointed;
pub mod relative;
