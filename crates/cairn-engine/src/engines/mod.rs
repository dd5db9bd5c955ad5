//! The engines, rivals side by side.

pub mod interpret;
pub mod shape;
