//! The code that the interpreter runs: every body of the program translated once into one flat list of small operations.
//!
//! Operands are indices into the frame's values. A frame holds the registers of its function, then the addresses of its
//! slots, then its constants, so that no operation asks what kind an operand is.

use cairn_ir::inst::{BinaryOp, BitRange, CompareOp, ConvertOp, DivideOp, Passing};
use cairn_ir::program::Signature;
use cairn_ir::{Checks, FuncId, Intrinsic, Loc, Ty, UnaryOp};

use super::value::Value;

/// An index into the values of a frame.
pub(super) type At = u32;

/// A result that goes nowhere.
pub(super) const NOWHERE: At = u32::MAX;

/// One operation. Jumps go to positions in [`Code::ops`]; a conditional jump goes on behind itself otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Move {
        dst: At,
        src: At,
    },
    /// Nothing is known of the low bits.
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
    /// Sign extension: up by `up` bits, then arithmetically and logically down.
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
    /// A pointer addition and the access through its result in one.
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
    /// A slot comes to life; its index in the function.
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

/// Operations that need more room or more time.
#[derive(Clone, Debug)]
pub(super) enum SlowOp {
    Unary { op: UnaryOp, ty: Ty, dst: At, src: At },
    Binary { op: BinaryOp, ty: Ty, dst: At, a: At, b: At },
    Divide { op: DivideOp, ty: Ty, dst: At, a: At, b: At },
    Compare { op: CompareOp, ty: Ty, dst: At, a: At, b: At },
    Convert { op: ConvertOp, from: Ty, to: Ty, dst: At, src: At },
    PtrAdd { dst: At, base: At, index: At, scale: i64 },
    MoveWide { dst: At, src: At },
    UndefWide { dst: At },
    Load { dst: At, ty: Ty, addr: At, offset: i64 },
    Store { ty: Ty, addr: At, offset: i64, src: At },
    LoadBits { dst: At, ty: Ty, addr: At, offset: i64, bits: BitRange, signed: bool },
    StoreBits { ty: Ty, addr: At, offset: i64, bits: BitRange, src: At },
    Copy { dst: At, src: At, size: u64, src_checks: Checks },
    Zero { dst: At, offset: i64, size: u64 },
    EnterVla { slot: u32, size: At },
    Intrinsic { op: Intrinsic, dst: At, ty: Option<Ty>, args: Box<[At]> },
    Unsupported { what: Box<str> },
}

/// A call as the caller sees it.
#[derive(Clone, Debug)]
pub(super) struct CallSite {
    pub dst: At,
    pub callee: CallTarget,
    pub args: Box<[(At, Passing)]>,
    pub ret: Option<Ty>,
    pub fixed: u32,
    pub prototyped: bool,
    /// For a call of a known function with a body: all arguments are narrow scalars that fit its registers.
    pub simple: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum CallTarget {
    Function(FuncId),
    Pointer(At),
}

/// The ranges of a switch, ascending in the order of the value's signedness.
#[derive(Clone, Debug)]
pub(super) struct SwitchTable {
    /// Bits of the value.
    pub bits: u32,
    pub signed: bool,
    /// Least value, greatest value, target; sorted by the least value.
    pub ranges: Box<[(i128, i128, u32)]>,
    /// Targets by value minus `dense_low`, when the values lie close together.
    pub dense: Box<[u32]>,
    pub dense_low: i128,
    pub default: u32,
}

/// Where a slot is kept and what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotInfo {
    pub at: At,
    pub size: u64,
    pub align: u64,
}

/// Where a parameter goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum ParamPlace {
    Reg(At, Ty),
    Slot(u32),
}

/// A function in the flat code.
#[derive(Clone, Debug)]
pub(super) struct FunctionCode {
    /// Position of its first operation; `None` without a body.
    pub entry: Option<u32>,
    /// What a fresh frame looks like.
    pub template: Box<[Value]>,
    pub slots: Box<[SlotInfo]>,
    pub params: Box<[ParamPlace]>,
    pub signature: Signature,
    /// Positions of blocks whose address is taken, by block.
    pub block_starts: Box<[u32]>,
}

/// Where an operation comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpInfo {
    pub loc: Loc,
    pub checks: Checks,
}

/// The whole program.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    /// As many as operations.
    pub infos: Vec<OpInfo>,
    pub slow: Vec<SlowOp>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<SwitchTable>,
    /// Blocks that computed jumps may go to.
    pub computed: Vec<Box<[u32]>>,
    pub functions: Vec<FunctionCode>,
    /// First positions of the functions that have code, ascending.
    pub starts: Vec<(u32, FuncId)>,
}

impl Code {
    /// The function that holds an operation.
    pub fn function_at(&self, position: u32) -> FuncId {
        let after = self.starts.partition_point(|&(start, _)| start <= position);
        after.checked_sub(1).map_or(FuncId(0), |i| self.starts[i].1)
    }

    pub fn info(&self, position: u32) -> OpInfo {
        let none = OpInfo { loc: Loc::NONE, checks: Checks::NONE };
        self.infos.get(position as usize).copied().unwrap_or(none)
    }
}
