//! Templates for function summaries: values that a function has [`kept`], and objects that it has [`fresh`]ly
//! allocated.

pub mod fresh;
pub mod kept;
