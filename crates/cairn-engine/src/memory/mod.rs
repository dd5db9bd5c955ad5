//! The memory model that every engine which walks memory shares.
pub mod fault;
pub mod object;
pub mod pointer;
pub mod space;
pub mod symbolic;
