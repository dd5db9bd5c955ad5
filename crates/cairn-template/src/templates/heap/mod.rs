//! Heap templates: [`points_to`] sets, [`access_paths`], and [`freed`] objects.

pub mod access_paths;
pub mod freed;
pub mod points_to;
