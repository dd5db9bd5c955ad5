//! Typed ids.
//!
//! Each id displays as its spelling in the text form of the IR, so that log lines and dumps use the same names.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the position in the table that this id indexes.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Creates the id of the entry at `index`.
            ///
            /// # Panics
            /// Panics if `index` exceeds `u32::MAX`; the front-end's size limit keeps all tables far below that.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables stay below u32::MAX entries"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(/// A virtual register of one function: a scalar variable whose address is not taken, or a temporary.
    Reg, "v");
id!(/// A stack variable of one function that lives in memory.
    Slot, "s");
id!(/// A basic block of one function.
    Block, "b");
id!(/// A function of the program, defined or only declared.
    FuncId, "f");
id!(/// A global variable or string literal.
    GlobalId, "g");
id!(/// A check: one kind of fault that one operation may cause.
    CheckId, "c");
id!(/// A constant of more than 64 bits, stored in the program's table.
    WideId, "w");
