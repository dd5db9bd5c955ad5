//! Instructions: typed scalar operations on registers, and loads and stores of bytes.
//!
//! Registers are mutable: a scalar C variable is one register that is assigned many times. They hold scalars only;
//! structs, unions and arrays live in memory. An instruction that can go wrong carries its [`Checks`].

mod intrinsic;
mod mnemonic;

pub use intrinsic::{Intrinsic, MathFn, Shape};

use crate::check::Checks;
use crate::ids::{Block, FuncId, GlobalId, Reg, Slot, WideId};

/// The type of a register or of the bytes that a load or store moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ty {
    /// A truth value: the result of a comparison or the condition of a branch. Never stored in memory.
    I1,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// 128-bit integer.
    I128,
    /// IEEE half-precision float.
    F16,
    /// IEEE single-precision float.
    F32,
    /// IEEE double-precision float.
    F64,
    /// x87 extended-precision float: 10 bytes of value in 16 bytes of memory under LP64, 12 under ILP32.
    F80,
    /// IEEE quadruple-precision float.
    F128,
    /// A pointer to data or code.
    Ptr,
}

impl Ty {
    /// All types, in declaration order.
    pub const ALL: [Ty; 12] =
        [Ty::I1, Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::I128, Ty::F16, Ty::F32, Ty::F64, Ty::F80, Ty::F128, Ty::Ptr];

    /// Returns the name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Ty::I1 => "i1",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::I128 => "i128",
            Ty::F16 => "f16",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            Ty::F80 => "f80",
            Ty::F128 => "f128",
            Ty::Ptr => "ptr",
        }
    }

    /// Returns whether this is an integer type; pointers are not.
    pub const fn is_int(self) -> bool {
        matches!(self, Ty::I1 | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::I128)
    }

    /// Returns whether this is a floating type.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128)
    }

    /// Returns the integer type with the given number of bits.
    pub const fn int(bits: u32) -> Option<Ty> {
        Some(match bits {
            1 => Ty::I1,
            8 => Ty::I8,
            16 => Ty::I16,
            32 => Ty::I32,
            64 => Ty::I64,
            128 => Ty::I128,
            _ => return None,
        })
    }

    /// Returns the width of a value in bits; that of a pointer depends on the target.
    pub const fn bits(self, target: crate::layout::Target) -> u32 {
        match self {
            Ty::I1 => 1,
            Ty::I8 => 8,
            Ty::I16 | Ty::F16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 => 64,
            Ty::F80 => 80,
            Ty::I128 | Ty::F128 => 128,
            Ty::Ptr => target.pointer_bits(),
        }
    }

    /// Returns the number of bytes that a load or store of this type touches.
    ///
    /// The result is 10 for [`Ty::F80`], since padding is not part of the value.
    pub const fn bytes(self, target: crate::layout::Target) -> u64 {
        (self.bits(target) as u64).div_ceil(8)
    }
}

/// An input of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// The value of a register.
    Reg(Reg),
    /// A constant of at most 64 bits.
    ///
    /// An integer is stored as its two's complement bits, sign-extended from the width of its type. An `f16`, `f32` or
    /// `f64` is stored as its bits, zero-extended. A pointer constant has no object, and 0 is null.
    Int(i64),
    /// A constant of more than 64 bits: `f80`, `f128`, or an `i128` that does not fit `Int`.
    Wide(WideId),
    /// The address of a stack variable.
    Slot(Slot),
    /// The address of a global variable or string literal.
    Global(GlobalId),
    /// The address of a function.
    Function(FuncId),
    /// The address of a label of this function (`&&label`).
    Label(Block),
}

/// A local variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Local {
    /// A variable in a register.
    Reg(Reg),
    /// A variable in memory.
    Slot(Slot),
}

/// Operations with one operand. The result has the operand's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Two's complement or floating-point negation.
    Neg,
    /// Bitwise complement.
    Not,
    /// Number of leading zero bits; the full width for 0.
    CountLeadingZeros,
    /// Number of trailing zero bits; the full width for 0.
    CountTrailingZeros,
    /// Number of one bits.
    PopCount,
    /// Byte reversal.
    ByteSwap,
}

/// Operations with two operands of one type, whose result has that type. None of them can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Addition, integer (wrapping) or floating-point.
    Add,
    /// Subtraction, integer (wrapping) or floating-point.
    Sub,
    /// Multiplication, integer (wrapping) or floating-point.
    Mul,
    /// Floating-point division.
    FDiv,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; the amount is taken modulo the width, as on x86.
    Shl,
    /// Logical right shift; the amount is taken modulo the width.
    LShr,
    /// Arithmetic right shift; the amount is taken modulo the width.
    AShr,
}

/// Integer divisions, which carry a `division-by-zero` check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DivideOp {
    /// Signed quotient, truncated towards zero.
    SDiv,
    /// Unsigned quotient.
    UDiv,
    /// Signed remainder, with the sign of the dividend.
    SRem,
    /// Unsigned remainder.
    URem,
}

/// Requirements of C on the operands of an operation, which carry an `overflow` check.
///
/// The operation itself is another instruction, which wraps and so can be executed after a violated requirement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FitsOp {
    /// The sum is a signed number of the type.
    Add,
    /// The difference is a signed number of the type.
    Sub,
    /// The product is a signed number of the type.
    Mul,
    /// The signed quotient is a number of the type, unless the divisor is 0.
    Div,
    /// The left operand is not negative, and shifted to the left by the right one it is a signed number of the type.
    Shl,
    /// The left operand is less than the right one, unsigned.
    Below,
}

/// Comparisons. The result is [`Ty::I1`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// Equal integers or pointers.
    Eq,
    /// Different integers or pointers.
    Ne,
    /// Signed less than.
    SLt,
    /// Signed less than or equal.
    SLe,
    /// Unsigned (or pointer) less than.
    ULt,
    /// Unsigned (or pointer) less than or equal.
    ULe,
    /// Floats: ordered and equal.
    FEq,
    /// Floats: unordered or different.
    FNe,
    /// Floats: ordered and less than.
    FLt,
    /// Floats: ordered and less than or equal.
    FLe,
}

/// Conversions between types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConvertOp {
    /// Integer to narrower integer.
    Trunc,
    /// Integer to wider integer, zero-extended.
    ZExt,
    /// Integer to wider integer, sign-extended.
    SExt,
    /// Float to signed integer, truncated; a value out of range gives x86's result.
    FloatToSInt,
    /// Float to unsigned integer, truncated.
    FloatToUInt,
    /// Signed integer to float.
    SIntToFloat,
    /// Unsigned integer to float.
    UIntToFloat,
    /// Float to float of another format.
    FloatCast,
    /// Pointer to integer of the same width.
    PtrToInt,
    /// Integer of pointer width to pointer.
    IntToPtr,
}

/// A range of bits in memory, counted from the address in little-endian bit order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    /// The first bit, 0 to 7; whole bytes are part of the instruction's offset.
    pub start: u8,
    /// The number of bits, 1 to 128.
    pub width: u8,
}

/// How a value is passed to a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passing {
    /// A scalar.
    Scalar(Ty),
    /// A struct or union.
    ///
    /// The argument is the address of the caller's copy. The callee copies it into a slot of its own.
    Memory {
        /// The size in bytes.
        size: u64,
        /// The alignment in bytes.
        align: u64,
    },
}

impl Passing {
    /// Returns the class and size in bytes by which `va_arg` may read a variable argument passed like this.
    ///
    /// Integers and pointers share a class, and so do all floating types, and all structs and unions.
    pub const fn variable_argument(self, target: crate::layout::Target) -> (VariableClass, u64) {
        match self {
            Passing::Scalar(ty) if ty.is_float() => (VariableClass::Float, ty.bytes(target)),
            Passing::Scalar(ty) => (VariableClass::Word, ty.bytes(target)),
            Passing::Memory { size, .. } => (VariableClass::Memory, size),
        }
    }

    /// Returns the number of bytes that the value occupies among the variable arguments.
    pub const fn variable_room(self) -> u64 {
        match self {
            Passing::Scalar(_) => 16,
            Passing::Memory { size, .. } => size.next_multiple_of(16),
        }
    }
}

/// The classes of variable arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum VariableClass {
    /// An integer or a pointer.
    Word,
    /// A floating-point number.
    Float,
    /// A struct or union.
    Memory,
}

impl VariableClass {
    /// Returns the class with the given number.
    pub const fn from_number(number: u128) -> Option<Self> {
        match number {
            0 => Some(VariableClass::Word),
            1 => Some(VariableClass::Float),
            2 => Some(VariableClass::Memory),
            _ => None,
        }
    }

    /// Describes an argument of this class and size in a message.
    pub fn describe(self, size: u64) -> String {
        let what = match self {
            VariableClass::Word => "an integer or pointer",
            VariableClass::Float => "a floating value",
            VariableClass::Memory => "a struct or union",
        };
        format!("{what} of {size} bytes")
    }
}

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arg {
    /// The scalar, or the address of the aggregate.
    pub value: Operand,
    /// How the argument is passed.
    pub passing: Passing,
}

/// The target of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A known function.
    Function(FuncId),
    /// The function that the pointer points to.
    Pointer(Operand),
}

/// A call. A callee that returns a struct takes the address of the result as a hidden first argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The destination of a scalar result.
    pub dst: Option<Reg>,
    /// The called function.
    pub callee: Callee,
    /// The arguments: the hidden one first, variable ones last.
    pub args: Vec<Arg>,
    /// The result type that the call assumes; `None` for void and for structs.
    pub ret: Option<Ty>,
    /// The number of arguments that match named parameters; the others are variable arguments.
    ///
    /// This is `args.len()` unless a variadic prototype is visible at the call.
    pub fixed: u32,
    /// Whether a prototype is visible at the call.
    pub prototyped: bool,
    /// For a call through a pointer, `invalid-call` and the other checks of the pointer.
    pub checks: Checks,
    /// The C function type of the callee at the call, if the front-end recorded it. Not part of the text form.
    pub ctype: Option<crate::ctype::TypeId>,
}

/// Instructions other than block terminators.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Inst {
    /// `dst = src`.
    Move {
        /// The destination.
        dst: Reg,
        /// The source, of the destination's type.
        src: Operand,
    },
    /// Makes `dst` uninitialised.
    Undef {
        /// The destination.
        dst: Reg,
    },
    /// Requires that some bit of a value is initialised, because C makes the read of an uninitialised variable undefined.
    ///
    /// A union member of which only a part is set may be read, and then masked.
    Use {
        /// The type of the value.
        ty: Ty,
        /// The value.
        src: Operand,
        /// The check `uninitialised`.
        checks: Checks,
    },
    /// `dst = op src`.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The type of operand and result.
        ty: Ty,
        /// The destination.
        dst: Reg,
        /// The operand.
        src: Operand,
    },
    /// `dst = lhs op rhs`.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// The type of operands and result.
        ty: Ty,
        /// The destination.
        dst: Reg,
        /// The left operand.
        lhs: Operand,
        /// The right operand.
        rhs: Operand,
    },
    /// Integer division or remainder.
    Divide {
        /// The operation.
        op: DivideOp,
        /// The type of operands and result.
        ty: Ty,
        /// The destination.
        dst: Reg,
        /// The dividend.
        lhs: Operand,
        /// The divisor.
        rhs: Operand,
        /// `division-by-zero`, or none if the divisor is a constant that rules out a fault.
        checks: Checks,
    },
    /// Requires that the result of an operation fits its type, because C makes it undefined otherwise.
    Fits {
        /// The requirement.
        op: FitsOp,
        /// The type of the operands.
        ty: Ty,
        /// The left operand.
        lhs: Operand,
        /// The right operand.
        rhs: Operand,
        /// The check `overflow`.
        checks: Checks,
    },
    /// `dst: i1 = lhs op rhs`.
    Compare {
        /// The operation.
        op: CompareOp,
        /// The type of the operands.
        ty: Ty,
        /// The destination.
        dst: Reg,
        /// The left operand.
        lhs: Operand,
        /// The right operand.
        rhs: Operand,
    },
    /// `dst: to = op src: from`.
    Convert {
        /// The operation.
        op: ConvertOp,
        /// The type of the operand.
        from: Ty,
        /// The type of the result.
        to: Ty,
        /// The destination.
        dst: Reg,
        /// The operand.
        src: Operand,
    },
    /// `dst = base + index * scale` in bytes. An out-of-bounds result is a fault only when it is dereferenced.
    PtrAdd {
        /// The destination.
        dst: Reg,
        /// The pointer.
        base: Operand,
        /// A signed integer of pointer width.
        index: Operand,
        /// The number of bytes per index step.
        scale: i64,
    },
    /// `dst = lhs - rhs` in bytes, an integer of pointer width.
    PtrSub {
        /// The destination.
        dst: Reg,
        /// The left pointer.
        lhs: Operand,
        /// The right pointer.
        rhs: Operand,
    },
    /// `dst = *(ty *)(addr + offset)`.
    Load {
        /// The destination.
        dst: Reg,
        /// The type of the loaded value.
        ty: Ty,
        /// The pointer.
        addr: Operand,
        /// The number of bytes added to the pointer.
        offset: i64,
        /// The checks of the access.
        checks: Checks,
    },
    /// `*(ty *)(addr + offset) = src`.
    Store {
        /// The type of the stored value.
        ty: Ty,
        /// The pointer.
        addr: Operand,
        /// The number of bytes added to the pointer.
        offset: i64,
        /// The stored value.
        src: Operand,
        /// The checks of the access.
        checks: Checks,
    },
    /// Loads a bit-field and extends it to `ty`. Touches only the bytes that hold its bits.
    LoadBits {
        /// The destination.
        dst: Reg,
        /// The type of the result.
        ty: Ty,
        /// The pointer.
        addr: Operand,
        /// The number of bytes added to the pointer.
        offset: i64,
        /// The range of bits.
        bits: BitRange,
        /// Whether the bit-field is sign-extended.
        signed: bool,
        /// The checks of the access.
        checks: Checks,
    },
    /// Stores the low bits of `src`. Neighbouring bits keep their value and their initialisation.
    StoreBits {
        /// The type of the value.
        ty: Ty,
        /// The pointer.
        addr: Operand,
        /// The number of bytes added to the pointer.
        offset: i64,
        /// The range of bits.
        bits: BitRange,
        /// The stored value.
        src: Operand,
        /// The checks of the access.
        checks: Checks,
    },
    /// Copies a struct or union of `size` bytes from `src` to `dst`.
    ///
    /// The copy preserves initialisation and pointer provenance. The regions are equal or disjoint.
    Copy {
        /// The address of the destination.
        dst: Operand,
        /// The address of the source.
        src: Operand,
        /// The number of bytes.
        size: u64,
        /// The checks of the write to the destination.
        dst_checks: Checks,
        /// The checks of the read from the source.
        src_checks: Checks,
    },
    /// Sets `size` bytes of a named object to zero, for an initialiser. Cannot go wrong.
    Zero {
        /// The address of the object.
        dst: Operand,
        /// The number of bytes added to the address.
        offset: i64,
        /// The number of bytes to clear.
        size: u64,
    },
    /// Starts the lifetime of a variable, uninitialised, when its block is entered.
    Enter(Local),
    /// Starts the lifetime of a variable-length array of `size` bytes.
    EnterVla {
        /// The slot, whose own `size` is 0.
        slot: Slot,
        /// The number of bytes, an integer of pointer width.
        size: Operand,
    },
    /// Ends the lifetime of a variable. No effect on a variable that is not live.
    Leave(Local),
    /// A call.
    Call(Box<Call>),
    /// An operation for which C has no operator.
    Intrinsic {
        /// The operation.
        op: Intrinsic,
        /// The destination of the result; `None` drops the result.
        dst: Option<Reg>,
        /// The arguments, of the types given by [`Intrinsic::params`].
        args: Box<[Operand]>,
        /// The checks of the operation.
        checks: Checks,
    },
    /// C code that is not modelled. Reaching it makes the verdict unknown.
    Unsupported {
        /// The unsupported construct.
        what: Box<str>,
        /// A single `unsupported` check.
        checks: Checks,
    },
}

/// Block terminators.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Terminator {
    /// Unconditional jump.
    Jump(Block),
    /// Two-way branch.
    Branch {
        /// The condition, an `i1`.
        cond: Operand,
        /// The successor if the condition is 1.
        then: Block,
        /// The successor if the condition is 0.
        other: Block,
        /// `uninitialised`, or none if the condition is always initialised.
        checks: Checks,
    },
    /// Multi-way branch.
    Switch {
        /// The type of the value.
        ty: Ty,
        /// Whether the ranges are signed.
        signed: bool,
        /// The value to switch on.
        value: Operand,
        /// The cases, as disjoint ranges.
        cases: Vec<Case>,
        /// The successor if no range contains the value.
        default: Block,
        /// `uninitialised`, or none if the value is always initialised.
        checks: Checks,
    },
    /// `goto *addr`.
    JumpTo {
        /// A pointer created by [`Operand::Label`].
        addr: Operand,
        /// All labels of the function whose address is taken.
        targets: Vec<Block>,
        /// `invalid-call` and `uninitialised`: the pointer may not be a label of this function.
        checks: Checks,
    },
    /// Return from the function.
    Return(Option<Operand>),
    /// Never reached; follows a call that does not return.
    Unreachable,
}

/// One range of a switch, with constants in the encoding of [`Operand::Int`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// The smallest value.
    pub low: i64,
    /// The largest value.
    pub high: i64,
    /// The successor.
    pub target: Block,
}

impl Inst {
    /// Calls `each` with every operand that the instruction reads.
    pub fn for_operands(&self, each: &mut dyn FnMut(Operand)) {
        match self {
            Inst::Move { src, .. } | Inst::Use { src, .. } | Inst::Unary { src, .. } | Inst::Convert { src, .. } => {
                each(*src);
            }
            Inst::Binary { lhs, rhs, .. }
            | Inst::Divide { lhs, rhs, .. }
            | Inst::Fits { lhs, rhs, .. }
            | Inst::Compare { lhs, rhs, .. }
            | Inst::PtrSub { lhs, rhs, .. } => {
                each(*lhs);
                each(*rhs);
            }
            Inst::PtrAdd { base, index, .. } => {
                each(*base);
                each(*index);
            }
            Inst::Load { addr, .. } | Inst::LoadBits { addr, .. } => each(*addr),
            Inst::Store { addr, src, .. } | Inst::StoreBits { addr, src, .. } => {
                each(*addr);
                each(*src);
            }
            Inst::Copy { dst, src, .. } => {
                each(*dst);
                each(*src);
            }
            Inst::Zero { dst, .. } => each(*dst),
            Inst::EnterVla { size, .. } => each(*size),
            Inst::Call(call) => {
                if let Callee::Pointer(pointer) = call.callee {
                    each(pointer);
                }
                call.args.iter().for_each(|arg| each(arg.value));
            }
            Inst::Intrinsic { args, .. } => args.iter().for_each(|&arg| each(arg)),
            Inst::Undef { .. } | Inst::Enter(_) | Inst::Leave(_) | Inst::Unsupported { .. } => {}
        }
    }

    /// Returns the register that the instruction assigns.
    pub fn dst(&self) -> Option<Reg> {
        match self {
            Inst::Move { dst, .. }
            | Inst::Undef { dst }
            | Inst::Unary { dst, .. }
            | Inst::Binary { dst, .. }
            | Inst::Divide { dst, .. }
            | Inst::Compare { dst, .. }
            | Inst::Convert { dst, .. }
            | Inst::PtrAdd { dst, .. }
            | Inst::PtrSub { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::LoadBits { dst, .. } => Some(*dst),
            Inst::Call(call) => call.dst,
            Inst::Intrinsic { dst, .. } => *dst,
            _ => None,
        }
    }
}

impl Terminator {
    /// Calls `each` with every operand that the terminator reads.
    pub fn for_operands(&self, each: &mut dyn FnMut(Operand)) {
        match *self {
            Terminator::Branch { cond, .. } => each(cond),
            Terminator::Switch { value, .. } => each(value),
            Terminator::JumpTo { addr, .. } => each(addr),
            Terminator::Return(Some(value)) => each(value),
            Terminator::Jump(_) | Terminator::Return(None) | Terminator::Unreachable => {}
        }
    }

    /// Calls `each` with every successor block; a block may occur several times.
    pub fn for_successors(&self, each: &mut dyn FnMut(Block)) {
        match self {
            Terminator::Jump(next) => each(*next),
            Terminator::Branch { then, other, .. } => {
                each(*then);
                each(*other);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| each(case.target));
                each(*default);
            }
            Terminator::JumpTo { targets, .. } => targets.iter().for_each(|&target| each(target)),
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
}
