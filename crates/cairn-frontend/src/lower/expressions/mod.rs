//! Expressions, places and initialisers become instructions.

pub(crate) mod aggregate;
pub(crate) mod assign;
pub(crate) mod builtin;
pub(crate) mod call;
pub(crate) mod condition;
pub(crate) mod expr;
pub(crate) mod init;
pub(crate) mod overflow;
pub(crate) mod place;
mod requirements;
pub(crate) mod value;
