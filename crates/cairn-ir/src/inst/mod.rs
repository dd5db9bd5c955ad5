//! Instructions: typed scalar operations on registers, and loads and stores of bytes.
//!
//! Registers are mutable (a scalar C variable is one register, assigned many times) and hold scalars only; structs, unions
//! and arrays live in memory. An instruction that can go wrong carries its [`Checks`].

mod intrinsic;
mod mnemonic;

pub use intrinsic::{Intrinsic, MathFn, Shape};

use crate::check::Checks;
use crate::ids::{Block, FuncId, GlobalId, Reg, Slot, WideId};

/// The type of a register or of the bytes that a load or store moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ty {
    /// A truth value: the result of a comparison, the condition of a branch. Never in memory.
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
    /// IEEE half.
    F16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// x87 extended (80 bits; 16 bytes in memory under LP64, 12 under ILP32, of which 10 hold the value).
    F80,
    /// IEEE quadruple.
    F128,
    /// A pointer to data or code.
    Ptr,
}

impl Ty {
    /// Every type, in the order of declaration.
    pub const ALL: [Ty; 12] =
        [Ty::I1, Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::I128, Ty::F16, Ty::F32, Ty::F64, Ty::F80, Ty::F128, Ty::Ptr];

    /// The name in the text form.
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

    /// Whether it is an integer type (pointers are not).
    pub const fn is_int(self) -> bool {
        matches!(self, Ty::I1 | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::I128)
    }

    /// Whether it is a floating type.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128)
    }

    /// The integer type of that many bits.
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

    /// Bits of the value; for a pointer those of the target.
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

    /// Bytes that a load or store of this type touches (10 for [`Ty::F80`]: the padding is not part of the value).
    pub const fn bytes(self, target: crate::layout::Target) -> u64 {
        (self.bits(target) as u64).div_ceil(8)
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register's value.
    Reg(Reg),
    /// A constant: an integer as its two's complement bits sign-extended from the type's width to 64 bits, the bits
    /// of an `f16`, `f32` or `f64` (zero-extended), or a pointer without an object (0 is null).
    Int(i64),
    /// A constant of more than 64 bits: `i128`, `f80`, `f128`. Only where the value does not fit `Int` for `i128`.
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

/// A scalar or memory variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Local {
    /// It is a register.
    Reg(Reg),
    /// It is in memory.
    Slot(Slot),
}

/// Operations with one operand; the result has the operand's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Two's complement or floating negation.
    Neg,
    /// Bitwise complement.
    Not,
    /// Leading zero bits (all bits for 0).
    CountLeadingZeros,
    /// Trailing zero bits (all bits for 0).
    CountTrailingZeros,
    /// One bits.
    PopCount,
    /// Bytes reversed.
    ByteSwap,
}

/// Operations with two operands of one type, whose result has that type. None of them can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Addition, integer (wrapping) or floating.
    Add,
    /// Subtraction, integer (wrapping) or floating.
    Sub,
    /// Multiplication, integer (wrapping) or floating.
    Mul,
    /// Floating division.
    FDiv,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; the amount is taken modulo the width, as on x86.
    Shl,
    /// Right shift that fills with zeros; amount modulo the width.
    LShr,
    /// Right shift that fills with the sign; amount modulo the width.
    AShr,
}

/// Integer divisions: they carry a `division-by-zero` check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DivideOp {
    /// Signed quotient, truncated.
    SDiv,
    /// Unsigned quotient.
    UDiv,
    /// Signed remainder (sign of the dividend).
    SRem,
    /// Unsigned remainder.
    URem,
}

/// Comparisons; the result is [`Ty::I1`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// Integers or pointers are equal.
    Eq,
    /// Integers or pointers differ.
    Ne,
    /// Signed less.
    SLt,
    /// Signed less or equal.
    SLe,
    /// Unsigned (or pointer) less.
    ULt,
    /// Unsigned (or pointer) less or equal.
    ULe,
    /// Floats ordered and equal.
    FEq,
    /// Floats unordered or different.
    FNe,
    /// Floats ordered and less.
    FLt,
    /// Floats ordered and less or equal.
    FLe,
}

/// Conversions between types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConvertOp {
    /// Integer to a narrower one.
    Trunc,
    /// Integer to a wider one, filling with zeros.
    ZExt,
    /// Integer to a wider one, filling with the sign.
    SExt,
    /// Float to signed integer, truncating (out of range: as x86 does).
    FloatToSInt,
    /// Float to unsigned integer, truncating.
    FloatToUInt,
    /// Signed integer to float.
    SIntToFloat,
    /// Unsigned integer to float.
    UIntToFloat,
    /// Between floating types.
    FloatCast,
    /// Pointer to the integer of the same width.
    PtrToInt,
    /// Integer of pointer width to pointer.
    IntToPtr,
}

/// A run of bits inside memory, counted from the address as little-endian bit numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    /// First bit, 0 to 7 (whole bytes are in the instruction's offset).
    pub start: u8,
    /// Number of bits, 1 to 128.
    pub width: u8,
}

/// How a value crosses a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passing {
    /// A scalar.
    Scalar(Ty),
    /// A struct or union of that size and alignment: the argument is the address of the caller's copy; the callee has a
    /// slot of its own that is filled from it.
    Memory {
        /// Bytes.
        size: u64,
        /// Alignment in bytes.
        align: u64,
    },
}

impl Passing {
    /// What a variable argument that is passed so may be taken as: a class and a size in bytes. Integers and pointers are one
    /// class, as are all floating types, and all structs and unions.
    pub const fn variable_argument(self, target: crate::layout::Target) -> (VariableClass, u64) {
        match self {
            Passing::Scalar(ty) if ty.is_float() => (VariableClass::Float, ty.bytes(target)),
            Passing::Scalar(ty) => (VariableClass::Word, ty.bytes(target)),
            Passing::Memory { size, .. } => (VariableClass::Memory, size),
        }
    }

    /// The bytes that it takes among variable arguments.
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
    /// A floating number.
    Float,
    /// A struct or union.
    Memory,
}

impl VariableClass {
    /// The class with this number.
    pub const fn from_number(number: u128) -> Option<Self> {
        match number {
            0 => Some(VariableClass::Word),
            1 => Some(VariableClass::Float),
            2 => Some(VariableClass::Memory),
            _ => None,
        }
    }

    /// What an argument of this class and size is called in a message.
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
    /// How it is passed.
    pub passing: Passing,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A known function.
    Function(FuncId),
    /// Whatever the pointer points to.
    Pointer(Operand),
}

/// A call. A callee that returns a struct takes the address of the result as a hidden first argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// Where a scalar result goes.
    pub dst: Option<Reg>,
    /// What is called.
    pub callee: Callee,
    /// The arguments, the hidden one first; for calls of variadic functions the variable ones last.
    pub args: Vec<Arg>,
    /// The type of the result as the call sees it: `None` for void and for structs.
    pub ret: Option<Ty>,
    /// How many arguments match named parameters; the others are variable ones. Equal to `args.len()` unless the call sees
    /// a variadic prototype.
    pub fixed: u32,
    /// Whether the call sees a prototype.
    pub prototyped: bool,
    /// `invalid-call` (and what else can go wrong with the pointer) for calls through a pointer.
    pub checks: Checks,
    /// The C function type that the call sees, where the front-end said it. Not part of the text form.
    pub ctype: Option<crate::ctype::TypeId>,
}

/// Instructions that are not block ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Inst {
    /// `dst = src`.
    Move {
        /// Target.
        dst: Reg,
        /// Source, of the target's type.
        src: Operand,
    },
    /// `dst` holds no value: it is uninitialised from here on.
    Undef {
        /// Target.
        dst: Reg,
    },
    /// `dst = op src`.
    Unary {
        /// Operation.
        op: UnaryOp,
        /// Type of operand and result.
        ty: Ty,
        /// Target.
        dst: Reg,
        /// Operand.
        src: Operand,
    },
    /// `dst = lhs op rhs`.
    Binary {
        /// Operation.
        op: BinaryOp,
        /// Type of operands and result.
        ty: Ty,
        /// Target.
        dst: Reg,
        /// Left operand.
        lhs: Operand,
        /// Right operand.
        rhs: Operand,
    },
    /// Integer division or remainder.
    Divide {
        /// Operation.
        op: DivideOp,
        /// Type of operands and result.
        ty: Ty,
        /// Target.
        dst: Reg,
        /// Dividend.
        lhs: Operand,
        /// Divisor.
        rhs: Operand,
        /// `division-by-zero`, or none where the divisor is a constant that can't fail.
        checks: Checks,
    },
    /// `dst: i1 = lhs op rhs`.
    Compare {
        /// Operation.
        op: CompareOp,
        /// Type of the operands.
        ty: Ty,
        /// Target.
        dst: Reg,
        /// Left operand.
        lhs: Operand,
        /// Right operand.
        rhs: Operand,
    },
    /// `dst: to = op src: from`.
    Convert {
        /// Operation.
        op: ConvertOp,
        /// Type of the operand.
        from: Ty,
        /// Type of the result.
        to: Ty,
        /// Target.
        dst: Reg,
        /// Operand.
        src: Operand,
    },
    /// `dst = base + index * scale` on bytes. Going out of bounds is no fault until the pointer is used.
    PtrAdd {
        /// Target.
        dst: Reg,
        /// Pointer.
        base: Operand,
        /// Integer of pointer width, signed.
        index: Operand,
        /// Bytes per index step.
        scale: i64,
    },
    /// `dst = lhs - rhs` in bytes, an integer of pointer width.
    PtrSub {
        /// Target.
        dst: Reg,
        /// Pointer.
        lhs: Operand,
        /// Pointer.
        rhs: Operand,
    },
    /// `dst = *(ty *)(addr + offset)`.
    Load {
        /// Target.
        dst: Reg,
        /// Type of what is loaded.
        ty: Ty,
        /// Pointer.
        addr: Operand,
        /// Bytes added to it.
        offset: i64,
        /// What can go wrong.
        checks: Checks,
    },
    /// `*(ty *)(addr + offset) = src`.
    Store {
        /// Type of what is stored.
        ty: Ty,
        /// Pointer.
        addr: Operand,
        /// Bytes added to it.
        offset: i64,
        /// Value.
        src: Operand,
        /// What can go wrong.
        checks: Checks,
    },
    /// Loads a bit-field and extends it to `ty`. Touches only the bytes that hold its bits.
    LoadBits {
        /// Target.
        dst: Reg,
        /// Type of the result.
        ty: Ty,
        /// Pointer.
        addr: Operand,
        /// Bytes added to it.
        offset: i64,
        /// The bits.
        bits: BitRange,
        /// Whether the top bit is a sign.
        signed: bool,
        /// What can go wrong.
        checks: Checks,
    },
    /// Stores the low bits of `src`; neighbouring bits keep their value and whether they are initialised.
    StoreBits {
        /// Type of the value.
        ty: Ty,
        /// Pointer.
        addr: Operand,
        /// Bytes added to it.
        offset: i64,
        /// The bits.
        bits: BitRange,
        /// Value.
        src: Operand,
        /// What can go wrong.
        checks: Checks,
    },
    /// Copies a struct or union: `size` bytes from `src` to `dst`, with what they remember. The regions are equal or do not
    /// overlap.
    Copy {
        /// Pointer to the target.
        dst: Operand,
        /// Pointer to the source.
        src: Operand,
        /// Bytes.
        size: u64,
        /// What can go wrong with the target.
        dst_checks: Checks,
        /// What can go wrong with the source.
        src_checks: Checks,
    },
    /// Sets `size` bytes to zero (initialisers). The target is a named object: it can't go wrong.
    Zero {
        /// Pointer.
        dst: Operand,
        /// Bytes added to it.
        offset: i64,
        /// Bytes.
        size: u64,
    },
    /// A variable's life begins: its block is entered. It is uninitialised.
    Enter(Local),
    /// A variable-length array comes to life with `size` bytes (an integer of pointer width).
    EnterVla {
        /// The slot; its own `size` is 0.
        slot: Slot,
        /// Bytes.
        size: Operand,
    },
    /// A variable's life ends. No effect on one that is not alive.
    Leave(Local),
    /// A call.
    Call(Box<Call>),
    /// An operation that C has no operator for.
    Intrinsic {
        /// Which.
        op: Intrinsic,
        /// Where the result goes; it may be dropped.
        dst: Option<Reg>,
        /// Arguments, of the types that [`Intrinsic::params`] says.
        args: Box<[Operand]>,
        /// What can go wrong.
        checks: Checks,
    },
    /// C that is not modelled: the verdict is unknown when it is reached.
    Unsupported {
        /// What it was.
        what: Box<str>,
        /// One `unsupported` check.
        checks: Checks,
    },
}

/// The ends of blocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Terminator {
    /// Go on at a block.
    Jump(Block),
    /// Two ways.
    Branch {
        /// An `i1`.
        cond: Operand,
        /// Where to go when it is 1.
        then: Block,
        /// Where to go when it is 0.
        other: Block,
        /// `uninitialised`, or none where it can't be.
        checks: Checks,
    },
    /// Many ways.
    Switch {
        /// Type of the value.
        ty: Ty,
        /// Whether ranges are signed.
        signed: bool,
        /// Value.
        value: Operand,
        /// Disjoint ranges.
        cases: Vec<Case>,
        /// Where to go when no range holds the value.
        default: Block,
        /// `uninitialised`, or none where it can't be.
        checks: Checks,
    },
    /// `goto *addr`.
    JumpTo {
        /// A pointer made by [`Operand::Label`].
        addr: Operand,
        /// Every label whose address is taken.
        targets: Vec<Block>,
        /// `invalid-call` and `uninitialised`: the pointer may be no label of this function.
        checks: Checks,
    },
    /// End of the function.
    Return(Option<Operand>),
    /// Never reached: after a call that does not return.
    Unreachable,
}

/// One range of a switch; constants as in [`Operand::Int`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
    /// Where to go.
    pub target: Block,
}

impl Inst {
    /// Calls the function with every operand that the instruction reads.
    pub fn for_operands(&self, each: &mut dyn FnMut(Operand)) {
        match self {
            Inst::Move { src, .. } | Inst::Unary { src, .. } | Inst::Convert { src, .. } => each(*src),
            Inst::Binary { lhs, rhs, .. }
            | Inst::Divide { lhs, rhs, .. }
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

    /// The register that the instruction assigns.
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
    /// Calls the function with every operand that decides where to go on.
    pub fn for_operands(&self, each: &mut dyn FnMut(Operand)) {
        match *self {
            Terminator::Branch { cond, .. } => each(cond),
            Terminator::Switch { value, .. } => each(value),
            Terminator::JumpTo { addr, .. } => each(addr),
            Terminator::Return(Some(value)) => each(value),
            Terminator::Jump(_) | Terminator::Return(None) | Terminator::Unreachable => {}
        }
    }

    /// Calls the function with every block that may come next; one may come several times.
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
