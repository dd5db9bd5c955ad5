//! The code that the interpreter executes: one flat list of small operations for the whole program.
//!
//! Operands are indices into the values of a frame. A frame holds the registers of its function, then the addresses
//! of its slots, then its constants. Operations therefore need not distinguish kinds of operands.

use cairn_ir::inst::{BinaryOp, BitRange, CompareOp, ConvertOp, DivideOp, FitsOp, Passing};
use cairn_ir::program::Signature;
use cairn_ir::{Checks, FuncId, Intrinsic, Loc, Ty, UnaryOp};

use crate::arithmetic::value::Value;

/// An index into the values of a frame.
pub(crate) type At = u32;

/// The destination of a result that is dropped.
pub(crate) const NOWHERE: At = u32::MAX;

/// An operation.
///
/// Jumps go to positions in [`Code::ops`]; a conditional jump that is not taken continues with the next operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Move {
        dst: At,
        src: At,
    },
    /// Makes the low `width` bits uninitialised.
    Undef {
        width: u8,
        dst: At,
    },
    Add32 {
        dst: At,
        a: At,
        b: At,
    },
    Sub32 {
        dst: At,
        a: At,
        b: At,
    },
    Mul32 {
        dst: At,
        a: At,
        b: At,
    },
    And {
        dst: At,
        a: At,
        b: At,
    },
    Or {
        dst: At,
        a: At,
        b: At,
    },
    Xor {
        dst: At,
        a: At,
        b: At,
    },
    Shl32 {
        dst: At,
        a: At,
        b: At,
    },
    LShr32 {
        dst: At,
        a: At,
        b: At,
    },
    AShr32 {
        dst: At,
        a: At,
        b: At,
    },
    Add64 {
        dst: At,
        a: At,
        b: At,
    },
    Sub64 {
        dst: At,
        a: At,
        b: At,
    },
    Mul64 {
        dst: At,
        a: At,
        b: At,
    },
    Shl64 {
        dst: At,
        a: At,
        b: At,
    },
    LShr64 {
        dst: At,
        a: At,
        b: At,
    },
    AShr64 {
        dst: At,
        a: At,
        b: At,
    },
    AddF64 {
        dst: At,
        a: At,
        b: At,
    },
    SubF64 {
        dst: At,
        a: At,
        b: At,
    },
    MulF64 {
        dst: At,
        a: At,
        b: At,
    },
    DivF64 {
        dst: At,
        a: At,
        b: At,
    },
    AddF32 {
        dst: At,
        a: At,
        b: At,
    },
    SubF32 {
        dst: At,
        a: At,
        b: At,
    },
    MulF32 {
        dst: At,
        a: At,
        b: At,
    },
    DivF32 {
        dst: At,
        a: At,
        b: At,
    },
    /// Integer division of up to 64 bits.
    Divide {
        op: DivideOp,
        bits: u8,
        dst: At,
        a: At,
        b: At,
    },
    SetEq {
        dst: At,
        a: At,
        b: At,
    },
    SetNe {
        dst: At,
        a: At,
        b: At,
    },
    SetULt {
        dst: At,
        a: At,
        b: At,
    },
    SetULe {
        dst: At,
        a: At,
        b: At,
    },
    /// Signed comparisons; `shift` moves the sign bit to bit 63.
    SetSLt {
        shift: u8,
        dst: At,
        a: At,
        b: At,
    },
    SetSLe {
        shift: u8,
        dst: At,
        a: At,
        b: At,
    },
    /// Comparisons of `f64`.
    SetF64 {
        op: CompareOp,
        dst: At,
        a: At,
        b: At,
    },
    JumpEq {
        a: At,
        b: At,
        to: u32,
    },
    JumpNe {
        a: At,
        b: At,
        to: u32,
    },
    JumpULt {
        a: At,
        b: At,
        to: u32,
    },
    JumpULe {
        a: At,
        b: At,
        to: u32,
    },
    JumpSLt {
        shift: u8,
        a: At,
        b: At,
        to: u32,
    },
    JumpSLe {
        shift: u8,
        a: At,
        b: At,
        to: u32,
    },
    JumpIf {
        cond: At,
        to: u32,
    },
    JumpIfNot {
        cond: At,
        to: u32,
    },
    Jump {
        to: u32,
    },
    /// Sign extension: shifts left by `up` bits and arithmetically back, then drops the `down` high bits.
    SExt {
        up: u8,
        down: u8,
        dst: At,
        src: At,
    },
    /// Keeps the low bits.
    Trunc {
        drop: u8,
        dst: At,
        src: At,
    },
    SIntToF64 {
        shift: u8,
        dst: At,
        src: At,
    },
    PtrAdd {
        scale: u16,
        dst: At,
        base: At,
        index: At,
    },
    /// `base + offset`.
    PtrOffset {
        dst: At,
        base: At,
        offset: i32,
    },
    PtrSub {
        dst: At,
        a: At,
        b: At,
    },
    PtrToInt {
        dst: At,
        src: At,
    },
    Load8 {
        dst: At,
        addr: At,
        offset: i32,
    },
    Load16 {
        dst: At,
        addr: At,
        offset: i32,
    },
    Load32 {
        dst: At,
        addr: At,
        offset: i32,
    },
    Load64 {
        dst: At,
        addr: At,
        offset: i32,
    },
    LoadPtr32 {
        dst: At,
        addr: At,
        offset: i32,
    },
    LoadPtr64 {
        dst: At,
        addr: At,
        offset: i32,
    },
    Store8 {
        src: At,
        addr: At,
        offset: i32,
    },
    Store16 {
        src: At,
        addr: At,
        offset: i32,
    },
    Store32 {
        src: At,
        addr: At,
        offset: i32,
    },
    Store64 {
        src: At,
        addr: At,
        offset: i32,
    },
    StorePtr32 {
        src: At,
        addr: At,
        offset: i32,
    },
    StorePtr64 {
        src: At,
        addr: At,
        offset: i32,
    },
    /// A pointer addition fused with the access through its result.
    Load8At {
        scale: u16,
        dst: At,
        base: At,
        index: At,
    },
    Load32At {
        scale: u16,
        dst: At,
        base: At,
        index: At,
    },
    Load64At {
        scale: u16,
        dst: At,
        base: At,
        index: At,
    },
    LoadPtr32At {
        scale: u16,
        dst: At,
        base: At,
        index: At,
    },
    LoadPtr64At {
        scale: u16,
        dst: At,
        base: At,
        index: At,
    },
    Store8At {
        scale: u16,
        src: At,
        base: At,
        index: At,
    },
    Store32At {
        scale: u16,
        src: At,
        base: At,
        index: At,
    },
    Store64At {
        scale: u16,
        src: At,
        base: At,
        index: At,
    },
    /// Begins the lifetime of a slot, given by its index in the function.
    Enter {
        slot: u32,
    },
    Leave {
        slot: u32,
    },
    /// An entry of [`Code::calls`].
    Call {
        site: u32,
    },
    /// An entry of [`Code::slow`].
    Slow {
        index: u32,
    },
    /// An entry of [`Code::switches`].
    Switch {
        value: At,
        table: u32,
    },
    /// An entry of [`Code::computed`].
    JumpTo {
        addr: At,
        table: u32,
    },
    Return {
        src: At,
    },
    ReturnNothing,
    Unreachable,
}

/// Operations that are too large or too slow for [`Op`].
#[derive(Clone, Debug)]
pub(crate) enum SlowOp {
    Unary {
        op: UnaryOp,
        ty: Ty,
        dst: At,
        src: At,
    },
    Binary {
        op: BinaryOp,
        ty: Ty,
        dst: At,
        a: At,
        b: At,
    },
    Divide {
        op: DivideOp,
        ty: Ty,
        dst: At,
        a: At,
        b: At,
    },
    Fits {
        op: FitsOp,
        ty: Ty,
        a: At,
        b: At,
    },
    Compare {
        op: CompareOp,
        ty: Ty,
        dst: At,
        a: At,
        b: At,
    },
    Convert {
        op: ConvertOp,
        from: Ty,
        to: Ty,
        dst: At,
        src: At,
    },
    PtrAdd {
        dst: At,
        base: At,
        index: At,
        scale: i64,
    },
    /// In an execution that stands for all others: the comparison, difference or number of addresses.
    ComparePointers {
        op: CompareOp,
        dst: At,
        a: At,
        b: At,
    },
    PtrSub {
        dst: At,
        a: At,
        b: At,
    },
    PtrToInt {
        dst: At,
        src: At,
    },
    MoveWide {
        dst: At,
        src: At,
    },
    Use {
        ty: Ty,
        src: At,
        is_argument: bool,
    },
    UndefWide {
        dst: At,
    },
    Load {
        dst: At,
        ty: Ty,
        addr: At,
        offset: i64,
    },
    Store {
        ty: Ty,
        addr: At,
        offset: i64,
        src: At,
    },
    LoadBits {
        dst: At,
        ty: Ty,
        addr: At,
        offset: i64,
        bits: BitRange,
        signed: bool,
    },
    StoreBits {
        ty: Ty,
        addr: At,
        offset: i64,
        bits: BitRange,
        src: At,
    },
    Copy {
        dst: At,
        src: At,
        size: u64,
        src_checks: Checks,
    },
    Zero {
        dst: At,
        offset: i64,
        size: u64,
    },
    EnterVla {
        slot: u32,
        size: At,
    },
    Intrinsic {
        op: Intrinsic,
        dst: At,
        ty: Option<Ty>,
        args: Box<[At]>,
    },
    Unsupported {
        what: Box<str>,
    },
}

/// A call from the caller's side.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub dst: At,
    pub callee: CallTarget,
    pub args: Box<[(At, Passing)]>,
    pub ret: Option<Ty>,
    pub fixed: u32,
    pub prototyped: bool,
    /// Whether the callee is a known function with a body and all arguments are narrow scalars of matching types.
    pub simple: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CallTarget {
    Function(FuncId),
    Pointer(At),
}

/// The cases of a switch, in ascending signed or unsigned order.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    /// The width of the value in bits.
    pub bits: u32,
    pub signed: bool,
    /// Least value, greatest value and target, sorted by the least value.
    pub ranges: Box<[(i128, i128, u32)]>,
    /// The targets by value minus `dense_low`; empty if the values are too far apart.
    pub dense: Box<[u32]>,
    pub dense_low: i128,
    pub default: u32,
}

/// The position and the layout of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotInfo {
    pub at: At,
    pub size: u64,
    pub align: u64,
}

/// The destination of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamPlace {
    Reg(At, Ty),
    Slot(u32),
}

/// The code of a function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    /// The position of its first operation; `None` without a body.
    pub entry: Option<u32>,
    /// The values of a fresh frame.
    pub template: Box<[Value]>,
    pub slots: Box<[SlotInfo]>,
    pub params: Box<[ParamPlace]>,
    pub signature: Signature,
    /// The position of each block.
    pub block_starts: Box<[u32]>,
}

/// The origin of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpInfo {
    pub loc: Loc,
    pub checks: Checks,
}

/// The code of the whole program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    /// The origin of each operation.
    pub infos: Vec<OpInfo>,
    pub slow: Vec<SlowOp>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<SwitchTable>,
    /// The blocks that each computed jump may go to.
    pub computed: Vec<Box<[u32]>>,
    pub functions: Vec<FunctionCode>,
    /// The first position of each function that has code, ascending.
    pub starts: Vec<(u32, FuncId)>,
}

impl Code {
    /// Returns the function that contains an operation.
    pub fn function_at(&self, position: u32) -> FuncId {
        let after = self.starts.partition_point(|&(start, _)| start <= position);
        after.checked_sub(1).map_or(FuncId(0), |i| self.starts[i].1)
    }

    pub fn info(&self, position: u32) -> OpInfo {
        let none = OpInfo { loc: Loc::NONE, checks: Checks::NONE };
        self.infos.get(position as usize).copied().unwrap_or(none)
    }
}
