//! The intermediate representation that every engine reads.
//!
//! The IR consists of C types with their layout, functions as control-flow graphs, and a table of checks. Functions
//! contain three-address instructions over untyped memory. Lowering places a check at each operation that can go wrong.
//!
//! The crate knows nothing about C syntax or about engines. A [`Program`] is a plain value: it can be printed
//! ([`mod@print`]), parsed back ([`parse`]) and verified ([`verify`]). [`passes`] transforms a linked program.

pub mod analysis;
pub mod check;
pub mod ctype;
pub mod diagnostic;
pub mod ids;
pub mod inst;
pub mod layout;
mod limits;
pub mod parse;
pub mod passes;
pub mod print;
pub mod program;
pub mod source;
pub mod verify;

pub use check::{Check, CheckKind, Checks};
pub use ids::{Block as BlockId, CheckId, FuncId, GlobalId, Reg, Slot as SlotId, WideId};
pub use inst::{Arg, BinaryOp, Callee, CompareOp, ConvertOp, Inst, Intrinsic, Operand, Terminator, Ty, UnaryOp};
pub use program::{Block, Body, BodyTypes, Function, Global, Program, Signature, Slot};
pub use source::{FileId, Loc};
