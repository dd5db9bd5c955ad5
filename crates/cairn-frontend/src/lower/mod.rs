//! Lowering and linking: from typed trees to one program.
//!
//! [`Linker`] takes translation units one by one. `link` decides which definition a name stands for, `data` makes globals,
//! and a `Builder` makes the body of each function: `scope` keeps lives and jumps; `stmt`, `expr`, `condition`,
//! `assign`, `aggregate`, `place`, `call`, `builtin`, `overflow` and `init` say the tree in instructions; `value` converts and
//! folds scalars.

mod aggregate;
mod assign;
mod builder;
mod builtin;
mod call;
mod condition;
mod data;
mod expr;
mod init;
mod link;
mod overflow;
mod place;
mod scope;
mod startup;
mod stmt;
#[cfg(test)]
mod tests;
mod value;

pub use link::Linker;
