//! The names of operations in the text form: one table shared by the printer and the parser.

use super::{BinaryOp, CompareOp, ConvertOp, DivideOp, FitsOp, Ty, UnaryOp};

macro_rules! mnemonics {
    ($($op:ident { $($variant:ident = $name:literal,)* })*) => {
        $(impl $op {
            /// All operations, in declaration order.
            pub const ALL: &'static [$op] = &[$($op::$variant,)*];

            /// Returns the name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($op::$variant => $name,)* }
            }

            /// Returns the operation with the given name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($op::$variant),)*
                    _ => None,
                }
            }
        })*
    };
}

mnemonics! {
    UnaryOp {
        Neg = "neg",
        Not = "not",
        CountLeadingZeros = "leading_zeros",
        CountTrailingZeros = "trailing_zeros",
        PopCount = "pop_count",
        ByteSwap = "byte_swap",
    }
    BinaryOp {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        FDiv = "fdiv",
        And = "and",
        Or = "or",
        Xor = "xor",
        Shl = "shl",
        LShr = "lshr",
        AShr = "ashr",
    }
    DivideOp {
        SDiv = "sdiv",
        UDiv = "udiv",
        SRem = "srem",
        URem = "urem",
    }
    FitsOp {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        Div = "div",
        Shl = "shl",
        Below = "below",
    }
    CompareOp {
        Eq = "eq",
        Ne = "ne",
        SLt = "slt",
        SLe = "sle",
        ULt = "ult",
        ULe = "ule",
        FEq = "feq",
        FNe = "fne",
        FLt = "flt",
        FLe = "fle",
    }
    ConvertOp {
        Trunc = "trunc",
        ZExt = "zext",
        SExt = "sext",
        FloatToSInt = "float_to_sint",
        FloatToUInt = "float_to_uint",
        SIntToFloat = "sint_to_float",
        UIntToFloat = "uint_to_float",
        FloatCast = "float_cast",
        PtrToInt = "ptr_to_int",
        IntToPtr = "int_to_ptr",
    }
}

impl Ty {
    /// Returns the type with the given name.
    pub fn from_name(name: &str) -> Option<Ty> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }
}
