//! Constant expressions and the arithmetic of the target machine.

pub(crate) mod decimal;
pub(crate) mod evaluate;
pub(crate) mod float;
pub(crate) mod integer;
