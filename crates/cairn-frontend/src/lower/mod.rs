//! Lowering and linking: turns typed trees into one program.
//!
//! [`Linker`] takes translation units one by one. `link` decides which definition a name stands for, `data` creates
//! globals, and `startup` handles constructors and destructors. A `Builder` (`builder`) creates the body of each
//! function. `scope` tracks lifetimes and jumps. `stmt`, `expr`, `condition`, `assign`, `aggregate`, `place`, `call`,
//! `builtin`, `overflow` and `init` translate the tree to instructions. `value` converts and folds scalars.

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
