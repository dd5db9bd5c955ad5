//! The typed tree: what the checker makes of the syntax tree. Every conversion is explicit, every name is resolved, every
//! constant that C requires to be one is computed; lowering only has to say it in IR.
//!
//! Lvalues ([`Place`]) and rvalues ([`Expr`]) are different types. An expression's type has no qualifiers and is never an
//! array or function (those decay). Struct and union rvalues exist: lowering keeps them in memory.

use cairn_ir::ctype::{QualType, RecordId, TypeId, VlaId};
use cairn_ir::program::AllocatedSize;
use cairn_ir::source::Span;

use crate::ast::{BinOp, StringLiteral};

/// A local variable, parameter or temporary of one function (nested functions have their own numbering).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalId(pub u32);

/// A function or global of the translation unit ([`Unit::symbols`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// A label of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub u32);

/// A string literal of the translation unit ([`Unit::strings`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StringId(pub u32);

/// A checked translation unit. Its types are in the run's common table.
#[derive(Debug, Default)]
pub struct Unit {
    /// Everything with static storage or code.
    pub symbols: Vec<SymbolDef>,
    /// String literals, each with its array type.
    pub strings: Vec<(StringLiteral, TypeId)>,
    /// Non-empty top-level asm.
    pub asm: Vec<Span>,
}

/// A function or object with static storage.
#[derive(Debug)]
pub struct SymbolDef {
    /// The name: in the source, `function.name` for static locals, `outer.name` for nested functions; an asm label
    /// (`int f(void) asm("g")`) replaces it.
    pub name: String,
    /// Its type (for an array of unknown size with a tentative definition: of one element).
    pub ty: QualType,
    /// `static`, a static local, or a nested function.
    pub internal: bool,
    /// `__attribute__((weak))`: another definition wins.
    pub weak: bool,
    /// `aligned(n)`, 0 for that of the type.
    pub align: u64,
    /// Where it is declared.
    pub span: Span,
    /// What it is.
    pub kind: SymbolKind,
    /// Whether a function runs without being called.
    pub unasked: Unasked,
}

/// When a function runs by itself: the priorities of the attributes `constructor` and `destructor`, 65535 where they give none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unasked {
    /// Before `main`, those of lower priority first.
    pub before_main: Option<u16>,
    /// When the program ends, those of lower priority last.
    pub at_exit: Option<u16>,
}

/// What a symbol stands for.
#[derive(Debug)]
pub enum SymbolKind {
    /// A function without a body here.
    FunctionDecl {
        /// `_Noreturn` or the attribute.
        noreturn: bool,
        /// The size of the new memory that it returns, where attributes tell.
        allocates: Option<AllocatedSize>,
    },
    /// A function with a body.
    Function(Box<Function>),
    /// An object without a definition here.
    ObjectDecl,
    /// A defined object; without an initialiser it is zero.
    Object {
        /// Its initial value.
        init: Option<StaticInit>,
        /// `_Thread_local`.
        thread_local: bool,
    },
    /// `__attribute__((alias("other")))`.
    Alias(String),
}

/// A static initial value: bytes in place and addresses.
#[derive(Debug, Default)]
pub struct StaticInit {
    /// The object's size may exceed that of its type by a flexible array member's initialiser.
    pub size: u64,
    /// Leading bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// Addresses, ascending by offset.
    pub addresses: Vec<StaticAddress>,
}

/// An address constant in an initial value, of pointer width.
#[derive(Debug)]
pub struct StaticAddress {
    /// Where it stands.
    pub offset: u64,
    /// What it points to.
    pub target: StaticTarget,
    /// Bytes added.
    pub addend: i64,
}

/// What an address constant points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticTarget {
    /// A function or global (compound literals at file scope are globals too).
    Symbol(SymbolId),
    /// A string literal.
    String(StringId),
    /// A label of the function that the initialiser stands in.
    Label(LabelId),
}

/// A function body.
#[derive(Debug)]
pub struct Function {
    /// Result.
    pub ret: TypeId,
    /// Parameters in order.
    pub params: Vec<LocalId>,
    /// `...`.
    pub variadic: bool,
    /// Whether it was defined with a prototype (K&R definitions are not, but their parameter types are known).
    pub prototyped: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// Every local of the function.
    pub locals: Vec<Local>,
    /// Names of the labels, for dumps.
    pub labels: Vec<Label>,
    /// The code. Falling off its end returns (0 in `main`, an undefined value elsewhere).
    pub body: Block,
    /// How many functions it is nested in, and itself: 1 for one at file scope.
    pub level: u32,
    /// For a nested function: locals of the enclosing functions that it uses, with the local of this function (of type
    /// "pointer to the variable", appended to `locals`) that receives each one's address as an additional last parameter.
    pub captures: Vec<Capture>,
    /// The closing brace.
    pub end: Span,
    /// The variable that holds each dimension of variably modified types declared in this function.
    pub vla_dimensions: Vec<(VlaId, LocalId)>,
}

/// A captured variable of an enclosing function.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    /// The level of the function whose local it is.
    pub level: u32,
    /// Its number there.
    pub variable: LocalId,
    /// In this function: holds the address.
    pub pointer: LocalId,
}

/// A label.
#[derive(Debug)]
pub struct Label {
    /// Its name.
    pub name: Box<str>,
    /// Whether `&&name` occurs.
    pub address_taken: bool,
}

/// A local variable, parameter or hidden temporary.
#[derive(Debug)]
pub struct Local {
    /// Its name; `None` for hidden ones.
    pub name: Option<Box<str>>,
    /// Its type.
    pub ty: QualType,
    /// Whether its address is taken (explicitly, by decay, by a capture, by being a struct's place that is passed on…).
    /// Scalars whose address is not taken become registers.
    pub address_taken: bool,
    /// `aligned(n)`, 0 for that of the type.
    pub align: u64,
    /// `__attribute__((cleanup(f)))`: called with its address when it goes out of scope.
    pub cleanup: Option<SymbolId>,
    /// Where it is declared.
    pub span: Span,
}

/// Statements with a scope: locals declared directly in it live from its entry to its exit (VLAs from their declaration).
#[derive(Debug)]
pub struct Block {
    /// The locals whose life this block bounds, in order of declaration.
    pub locals: Vec<LocalId>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The whole.
    pub span: Span,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StmtKind {
    /// A full expression.
    Expr(Expr),
    /// The declaration of a local is reached: it gets its initial value, or becomes indeterminate without one.
    Declare(LocalId, Option<LocalInit>),
    /// A VLA's declaration is reached: its dimensions are in the variables of its type; it comes to life with `size` bytes.
    DeclareVla(LocalId, Expr),
    /// `{ … }`.
    Block(Block),
    /// `if`. The condition is scalar; lowering compares it with zero.
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `do … while`.
    DoWhile(Box<Stmt>, Expr),
    /// `for` (its declarations stand in a block around it).
    For(Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `switch`: the value is promoted; `case`s are statements inside.
    Switch {
        /// The value.
        value: Expr,
        /// The body.
        body: Box<Stmt>,
        /// The cases, disjoint; each index is that of a [`StmtKind::Case`] in the body.
        cases: Vec<(i128, i128)>,
        /// Whether there is a default.
        has_default: bool,
    },
    /// The case with that index of the nearest switch, and the statement it labels.
    Case(u32, Box<Stmt>),
    /// The default of the nearest switch.
    Default(Box<Stmt>),
    /// A label.
    Label(LabelId, Box<Stmt>),
    /// `goto label`.
    Goto(LabelId),
    /// `goto *e`.
    GotoComputed(Expr),
    /// Where a jump from a nested function to the label arrives; the variable says how to get here.
    Landing(LabelId, LocalId),
    /// Such a jump; the address of that variable.
    JumpOut(Expr),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`; the value has the function's return type.
    Return(Option<Expr>),
    /// Something that is not modelled.
    Unsupported(String),
    /// Nothing.
    Empty,
}

/// The initial value of a local.
#[derive(Debug)]
pub enum LocalInit {
    /// A scalar or struct value of the local's type.
    Value(Expr),
    /// An aggregate: everything not named is zero.
    Aggregate(AggregateInit),
}

/// The flattened form of `{ … }` (and of a string for a char array).
#[derive(Debug)]
pub struct AggregateInit {
    /// Whether some byte is not covered by the parts and has to be zeroed first.
    pub zero: bool,
    /// Bytes of the whole object.
    pub size: u64,
    /// The parts, in the order of evaluation; a later one overrides an earlier one at the same place.
    pub parts: Vec<InitPart>,
}

/// One scalar, struct or string inside an aggregate.
#[derive(Debug)]
pub struct InitPart {
    /// Byte offset in the aggregate.
    pub offset: u64,
    /// Its bits, when it is a bit-field: first bit in the byte at `offset`, and width.
    pub bits: Option<(u8, u32)>,
    /// Its value.
    pub value: InitValue,
    /// `[a ... b] =`: how often it is repeated, and at which distance in bytes. `(1, 0)` normally. The value is computed once.
    pub repeat: (u64, u64),
}

/// The value of a part.
#[derive(Debug)]
pub enum InitValue {
    /// A value of the member's type.
    Expr(Expr),
    /// A string for a char array of that many bytes (cut or filled with zeros).
    String(StringId, u64),
}

/// An lvalue.
#[derive(Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Its type with qualifiers; may be an array or function type.
    pub ty: QualType,
    /// The whole.
    pub span: Span,
}

/// The kinds of lvalues.
#[derive(Debug)]
pub enum PlaceKind {
    /// A local of this function.
    Local(LocalId),
    /// A global, static local or function.
    Symbol(SymbolId),
    /// A string literal.
    String(StringId),
    /// `*e`, `e->` and `a[i]` (as `*(a + i)`), captured variables.
    Deref(Box<Expr>),
    /// A member: index into the record's fields. May be a bit-field.
    Field(Box<Place>, RecordId, u32),
    /// A struct rvalue that is put in a temporary (`f().x`, `(c ? a : b).x`).
    Temporary(Box<Expr>),
    /// `(type){ … }` inside a function: the hidden local, initialised each time it is evaluated. The local belongs to the
    /// innermost block.
    CompoundLiteral(LocalId, Box<LocalInit>),
}

/// An rvalue.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type: scalar, struct, union, or void.
    pub ty: TypeId,
    /// The whole.
    pub span: Span,
}

/// The kinds of rvalues.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer (also of an enum or pointer type: null and other constant addresses).
    Int(i128),
    /// A floating constant: the bits in its type's format.
    Float(u128),
    /// The value of a place: a scalar load, a bit-field load, or a struct value.
    Read(Box<Place>),
    /// `&place`, and an array or function that decays.
    AddressOf(Box<Place>),
    /// `&&label`.
    LabelAddress(LabelId),
    /// The address of a nested function as a value: made by capturing.
    NestedFunction(SymbolId),
    /// `-e` on a promoted operand.
    Neg(Box<Expr>),
    /// `~e` on a promoted operand.
    BitNot(Box<Expr>),
    /// `!e`: int.
    Not(Box<Expr>),
    /// Arithmetic on operands of the result's type (for shifts: the left operand's type; the right one is converted to it).
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// A comparison of operands of one type: int. Signedness by that type.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `p + i`: the index has the pointer-sized signed type; negative scale for subtraction of an index.
    PtrAdd {
        /// The pointer.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
        /// Bytes per step.
        scale: Scale,
        /// Whether it is `p - i`.
        negative: bool,
    },
    /// `p - q`, divided by the element's size.
    PtrSub(Box<Expr>, Box<Expr>, Scale),
    /// `a && b`: int.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`: int.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b` on values of the result's type (scalar, struct or void).
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a ?: b`: `a` is evaluated once, converted to the result's type when it is not zero.
    ElseIfZero(Box<Expr>, Box<Expr>),
    /// `place = value` (scalar, bit-field or struct); the result is the new value as the place holds it.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= value`: read the place, convert to `compute`, combine with `value` (already of the type `compute`, for
    /// shifts too), convert back. Pointers use `AssignPtr`.
    AssignOp {
        /// The place, evaluated once.
        place: Box<Place>,
        /// The operator.
        op: ArithOp,
        /// The right side.
        value: Box<Expr>,
        /// The type that is computed in.
        compute: TypeId,
    },
    /// `p += i`, `p -= i`.
    AssignPtr {
        /// The pointer's place, evaluated once.
        place: Box<Place>,
        /// The index of pointer-sized signed type.
        index: Box<Expr>,
        /// Bytes per step.
        scale: Scale,
        /// `-=`.
        negative: bool,
    },
    /// `++` and `--` on arithmetic and pointer places.
    IncDec {
        /// The place, evaluated once.
        place: Box<Place>,
        /// `++`.
        increment: bool,
        /// Whether the result is the old value.
        postfix: bool,
        /// Bytes per step for pointers; `None` for arithmetic types.
        scale: Option<Scale>,
    },
    /// A call.
    Call(Box<Call>),
    /// A conversion between scalar types (also to `_Bool`: compares with zero; to void: drops the value).
    Convert(Box<Expr>),
    /// A complex number or vector of its elements.
    Elements(Vec<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `({ … })`: the value of the last expression statement, which stands apart; it is evaluated inside the block's scope.
    StmtExpr(Box<Block>, Option<Box<Expr>>),
    /// `__builtin_va_arg`: `ap` is the address of the `va_list` (its first word is the next argument's address).
    VaArg(Box<Expr>),
    /// A builtin operation.
    Builtin(Builtin, Vec<Expr>),
    /// A whole statement before an expression (VLA dimensions in casts and sizeof).
    After(Box<Stmt>, Box<Expr>),
    /// Something that is not modelled; reaching it is an `unsupported` check.
    Unsupported(String),
}

/// Bytes per step of pointer arithmetic.
#[derive(Debug)]
pub enum Scale {
    /// Known (0 for empty structs, 1 for void and functions).
    Fixed(u64),
    /// An expression of type `size_t` (variable-length rows).
    Variable(Box<Expr>),
}

/// Arithmetic operators; signedness and float-ness come from the type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

/// Comparison operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// Whether it holds between two values of this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
        }
    }
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// What is called.
    pub callee: CallTarget,
    /// The type of the called function as the call sees it.
    pub function: TypeId,
    /// Arguments, converted to the parameter types or promoted.
    pub args: Vec<Expr>,
}

/// What is called.
#[derive(Debug)]
pub enum CallTarget {
    /// A function by name.
    Symbol(SymbolId),
    /// A nested function by name: lowering adds the captured addresses.
    Nested(SymbolId),
    /// A function pointer.
    Pointer(Expr),
}

/// Builtin operations that are neither operators nor library functions. `__builtin_memcpy` and the like are calls of the
/// library function; `expect`, `constant_p`, `offsetof`, `choose_expr`, `types_compatible_p` are resolved by the checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `va_start(ap)`: the argument is the address of the `va_list`.
    VaStart,
    /// `va_end(ap)`.
    VaEnd,
    /// `va_copy(dst, src)`: both are addresses of `va_list`s.
    VaCopy,
    /// `alloca(size)`.
    Alloca,
    /// Leading zeros of an unsigned operand: int. Undefined for 0.
    Clz,
    /// Trailing zeros: int.
    Ctz,
    /// One bits: int.
    PopCount,
    /// Parity: int.
    Parity,
    /// 1 + index of the lowest one bit, or 0: int.
    Ffs,
    /// Redundant sign bits: int.
    Clrsb,
    /// Bytes reversed; operand and result of the same type.
    Bswap,
    /// `__builtin_add_overflow(a, b, &r)`: operands keep their own integer types, the third is a pointer to the result type;
    /// `_Bool`.
    AddOverflow,
    /// Likewise.
    SubOverflow,
    /// Likewise.
    MulOverflow,
    /// `__builtin_add_overflow_p(a, b, c)`: like the above, the third operand only gives the type.
    AddOverflowP,
    /// Likewise.
    SubOverflowP,
    /// Likewise.
    MulOverflowP,
    /// `__builtin_unreachable()`.
    Unreachable,
    /// `__builtin_trap()`.
    Trap,
    /// Rotations are written with shifts; comparisons of floats that never trap: int.
    IsGreater,
    /// Likewise.
    IsGreaterEqual,
    /// Likewise.
    IsLess,
    /// Likewise.
    IsLessEqual,
    /// Likewise.
    IsLessGreater,
    /// Likewise.
    IsUnordered,
    /// `isnan(x)`: int.
    IsNan,
    /// `isinf_sign(x)`: int, -1, 0 or 1.
    IsInfSign,
    /// `isfinite(x)`: int.
    IsFinite,
    /// `isnormal(x)`: int.
    IsNormal,
    /// `signbit(x)`: int.
    SignBit,
    /// `__sync_fetch_and_OP`, `__atomic_fetch_OP`: address, value; returns the old value.
    AtomicFetch(ArithOp),
    /// `__sync_OP_and_fetch`, `__atomic_OP_fetch`: returns the new value.
    AtomicOp(ArithOp),
    /// `~(old & value)`: returns the old value.
    AtomicFetchNand,
    /// Likewise: returns the new value.
    AtomicNandFetch,
    /// `__atomic_load_n(p)`.
    AtomicLoad,
    /// `__atomic_store_n(p, v)`.
    AtomicStore,
    /// `__atomic_exchange_n(p, v)`, `__sync_lock_test_and_set`.
    AtomicExchange,
    /// `__sync_bool_compare_and_swap(p, old, new)`.
    SyncBoolCas,
    /// `__sync_val_compare_and_swap(p, old, new)`.
    SyncValCas,
    /// `__atomic_compare_exchange_n(p, &expected, new, …)`.
    AtomicCas,
    /// `__sync_synchronize()` and fences: nothing.
    Fence,
}

/// The operator of a compound assignment or binary expression, when it is an arithmetic one.
pub fn arith_op(op: BinOp) -> Option<ArithOp> {
    Some(match op {
        BinOp::Mul => ArithOp::Mul,
        BinOp::Div => ArithOp::Div,
        BinOp::Rem => ArithOp::Rem,
        BinOp::Add => ArithOp::Add,
        BinOp::Sub => ArithOp::Sub,
        BinOp::Shl => ArithOp::Shl,
        BinOp::Shr => ArithOp::Shr,
        BinOp::And => ArithOp::And,
        BinOp::Xor => ArithOp::Xor,
        BinOp::Or => ArithOp::Or,
        _ => return None,
    })
}
