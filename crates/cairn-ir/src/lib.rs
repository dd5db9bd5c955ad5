//! The intermediate representation that every engine reads: C types and their layout, functions as control-flow graphs of
//! three-address instructions over untyped memory, and the checks that lowering placed in them.
//!
//! The crate knows nothing of C syntax and nothing of engines. A [`Program`] is a plain value: it can be printed
//! ([`mod@print`]), read back ([`parse`]) and verified ([`verify`]).

pub mod check;
pub mod ctype;
pub mod diagnostic;
pub mod ids;
pub mod inst;
pub mod layout;
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
