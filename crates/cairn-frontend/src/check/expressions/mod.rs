//! Expressions: each file types one family of operators.

pub(crate) mod call;
pub(crate) mod compound_literal;
pub(crate) mod elements;
pub(crate) mod expr;
pub(crate) mod operator;
pub(crate) mod unary;
pub(crate) mod varargs;
