//! Building blocks of rows: numeric [`bound`]s, parameterless [`clause`]s, and the [`guard`]s of both.

pub mod bound;
pub mod clause;
pub mod guard;
pub mod record;
