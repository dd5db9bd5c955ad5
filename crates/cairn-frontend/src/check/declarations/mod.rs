//! Declarations: scopes, specifiers, declarators, records and function definitions.

pub(crate) mod declarator;
pub(crate) mod declare;
pub(crate) mod function;
pub(crate) mod record;
pub(crate) mod scope;
pub(crate) mod specifier;
