//! The engines, rivals side by side.

pub mod integrity;
pub mod interpret;
pub mod shape;
pub mod template;
