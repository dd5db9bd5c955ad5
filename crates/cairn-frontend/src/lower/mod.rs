//! Lowering and linking: turns typed trees into one program.
//!
//! [`Linker`] takes translation units one by one.
//!
//! | module | holds |
//! | --- | --- |
//! | `link` | the definition that each name stands for, globals, constructors and destructors |
//! | `builder` | the `Builder`, which creates the body of one function |
//! | `scope` | lifetimes and jumps |
//! | `stmt`, `expressions` | the translation of statements and expressions to instructions |

mod builder;
mod expressions;
mod link;
mod scope;
mod stmt;
#[cfg(test)]
mod tests;

pub use link::Linker;
