//! The typed tree that the checker produces.
//!
//! Every conversion is explicit, every name is resolved, and every constant expression that C requires is evaluated.
//! Lowering only has to translate the tree to IR.
//!
//! Lvalues ([`Place`]) and rvalues ([`Expr`]) are different types. The type of an expression has no qualifiers and is
//! never an array or function, since those decay. Struct and union rvalues exist; lowering keeps them in memory.

use cairn_ir::ctype::{QualType, RecordId, TypeId, VlaId};
use cairn_ir::program::AllocatedSize;
use cairn_ir::source::Span;

use crate::ast::{BinOp, StringLiteral};

/// A local variable, parameter or temporary of one function. Nested functions have their own numbering.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalId(pub u32);

/// A function or global of the translation unit: an index into [`Unit::symbols`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// A label of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub u32);

/// A string literal of the translation unit: an index into [`Unit::strings`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StringId(pub u32);

/// A checked translation unit. Its types are in the type table of the compilation.
#[derive(Debug, Default)]
pub struct Unit {
    /// The functions and the objects with static storage.
    pub symbols: Vec<SymbolDef>,
    /// The string literals with their array types.
    pub strings: Vec<(StringLiteral, TypeId)>,
    /// The spans of non-empty top-level asm.
    pub asm: Vec<Span>,
}

/// A function or object with static storage.
#[derive(Debug)]
pub struct SymbolDef {
    /// The name in the source; `function.name` for static locals, `outer.name` for nested functions.
    ///
    /// An asm label (`int f(void) asm("g")`) replaces the name.
    pub name: String,
    /// The type. A tentative definition of an array of unknown size has one element.
    pub ty: QualType,
    /// Whether this is `static`, a static local or a nested function.
    pub internal: bool,
    /// Whether another definition takes precedence: `__attribute__((weak))`.
    pub weak: bool,
    /// The alignment that the declaration or its type name sets by `aligned(n)`, also below that of the type; 0 for none.
    pub align: u64,
    /// The span of the declaration.
    pub span: Span,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// Whether a function runs as a constructor or destructor.
    pub unasked: Unasked,
}

/// The priorities of the attributes `constructor` and `destructor`; 65535 if unspecified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unasked {
    /// The function runs before `main`, lower priorities first.
    pub before_main: Option<u16>,
    /// The function runs at program exit, lower priorities last.
    pub at_exit: Option<u16>,
}

/// The kinds of symbols.
#[derive(Debug)]
pub enum SymbolKind {
    /// A function without a body in this unit.
    FunctionDecl {
        /// Whether the function is declared not to return.
        noreturn: bool,
        /// The size of the memory that the function allocates, if attributes give it.
        allocates: Option<AllocatedSize>,
    },
    /// A function with a body.
    Function(Box<Function>),
    /// An object without a definition in this unit.
    ObjectDecl,
    /// A defined object; without an initialiser its value is zero.
    Object {
        /// The initial value.
        init: Option<StaticInit>,
        /// Whether the object is `_Thread_local`.
        thread_local: bool,
    },
    /// `__attribute__((alias("other")))`.
    Alias(String),
}

/// The initial value of a static object: bytes and addresses.
#[derive(Debug, Default)]
pub struct StaticInit {
    /// The size in bytes. The initialiser of a flexible array member may make it larger than the type.
    pub size: u64,
    /// The leading bytes; the remaining bytes are zero.
    pub bytes: Vec<u8>,
    /// The addresses, in ascending order of offset.
    pub addresses: Vec<StaticAddress>,
}

/// An address constant of pointer width in an initial value.
#[derive(Debug)]
pub struct StaticAddress {
    /// The byte offset in the object.
    pub offset: u64,
    /// The entity whose address is stored.
    pub target: StaticTarget,
    /// The number of bytes added to the address.
    pub addend: i64,
}

/// The target of an address constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticTarget {
    /// A function or global, including compound literals at file scope.
    Symbol(SymbolId),
    /// A string literal.
    String(StringId),
    /// A label of the function that contains the initialiser.
    Label(LabelId),
}

/// A function definition.
#[derive(Debug)]
pub struct Function {
    /// The result type.
    pub ret: TypeId,
    /// The parameters, in order.
    pub params: Vec<LocalId>,
    /// Whether the function takes variable arguments.
    pub variadic: bool,
    /// Whether the definition is a prototype. A K&R definition is not, but its parameter types are known.
    pub prototyped: bool,
    /// Whether the function is declared not to return.
    pub noreturn: bool,
    /// All locals of the function.
    pub locals: Vec<Local>,
    /// The labels.
    pub labels: Vec<Label>,
    /// The code. Reaching its end returns 0 from `main` and an undefined value from other functions.
    pub body: Block,
    /// The nesting depth of the function: 1 at file scope.
    pub level: u32,
    /// For a nested function, the locals of enclosing functions that it uses.
    ///
    /// Each capture adds a last parameter that receives the variable's address. A pointer local for it is appended to
    /// `locals`.
    pub captures: Vec<Capture>,
    /// The span of the closing brace.
    pub end: Span,
    /// The variables that hold the dimensions of variably modified types declared in this function.
    pub vla_dimensions: Vec<(VlaId, LocalId)>,
}

/// A captured variable of an enclosing function.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    /// The level of the function that owns the variable.
    pub level: u32,
    /// The variable in that function.
    pub variable: LocalId,
    /// The local of this function that holds the variable's address.
    pub pointer: LocalId,
}

/// A label.
#[derive(Debug)]
pub struct Label {
    /// The name.
    pub name: Box<str>,
    /// Whether `&&name` occurs.
    pub address_taken: bool,
}

/// A local variable, parameter or hidden temporary.
#[derive(Debug)]
pub struct Local {
    /// The name; `None` for a hidden temporary.
    pub name: Option<Box<str>>,
    /// The type.
    pub ty: QualType,
    /// Whether the address is taken: explicitly, by decay, by a capture, or by passing a struct's storage on.
    ///
    /// Scalars whose address is not taken become registers.
    pub address_taken: bool,
    /// The alignment that the declaration or its type name sets by `aligned(n)`, also below that of the type; 0 for none.
    pub align: u64,
    /// The function of `__attribute__((cleanup(f)))`, called with the variable's address at the end of its scope.
    pub cleanup: Option<SymbolId>,
    /// The span of the declaration.
    pub span: Span,
}

/// A sequence of statements with a scope.
///
/// The locals declared directly in the block live from its entry to its exit; VLAs live from their declaration on.
#[derive(Debug)]
pub struct Block {
    /// The locals whose lifetime this block bounds, in declaration order.
    pub locals: Vec<LocalId>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The span of the whole block.
    pub span: Span,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// The span of the statement.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StmtKind {
    /// A full expression.
    Expr(Expr),
    /// The declaration of a local: it gets its initial value, or becomes indeterminate if there is none.
    Declare(LocalId, Option<LocalInit>),
    /// The declaration of a VLA with the given size in bytes. The variables of its type hold its dimensions.
    DeclareVla(LocalId, Expr),
    /// `{ … }`.
    Block(Block),
    /// `if` with a scalar condition, which lowering compares with zero.
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `do … while`.
    DoWhile(Box<Stmt>, Expr),
    /// `for`. A block around it holds its declarations.
    For(Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `switch` on a promoted value. Its `case`s are statements in the body.
    Switch {
        /// The value.
        value: Expr,
        /// The body.
        body: Box<Stmt>,
        /// The cases, which are disjoint. [`StmtKind::Case`] refers to them by index.
        cases: Vec<(i128, i128)>,
        /// Whether there is a `default`.
        has_default: bool,
    },
    /// A case of the nearest switch, by index, and the labelled statement.
    Case(u32, Box<Stmt>),
    /// The `default` of the nearest switch.
    Default(Box<Stmt>),
    /// A label.
    Label(LabelId, Box<Stmt>),
    /// `goto label`.
    Goto(LabelId),
    /// `goto *e`.
    GotoComputed(Expr),
    /// The arrival point of jumps from nested functions to the label. The local is the jump buffer.
    Landing(LabelId, LocalId),
    /// A jump from a nested function to a label outside it, with the address of the jump buffer.
    JumpOut(Expr),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`. The value has the function's return type.
    Return(Option<Expr>),
    /// A construct that is not modelled.
    Unsupported(String),
    /// The empty statement.
    Empty,
}

/// The initial value of a local.
#[derive(Debug)]
pub enum LocalInit {
    /// A scalar or struct value of the local's type.
    Value(Expr),
    /// An aggregate: every byte that no part covers is zero.
    Aggregate(AggregateInit),
}

/// The flattened form of `{ … }`, or of a string that initialises a char array.
#[derive(Debug)]
pub struct AggregateInit {
    /// Whether the parts leave some bytes uncovered, which must be zeroed first.
    pub zero: bool,
    /// The size of the whole object in bytes.
    pub size: u64,
    /// The parts, in evaluation order. A later part overrides an earlier one at the same offset.
    pub parts: Vec<InitPart>,
}

/// One scalar, struct or string inside an aggregate.
#[derive(Debug)]
pub struct InitPart {
    /// The byte offset in the aggregate.
    pub offset: u64,
    /// For a bit-field, its first bit in the byte at `offset` and its width.
    pub bits: Option<(u8, u32)>,
    /// The value.
    pub value: InitValue,
    /// The number of repetitions for `[a ... b] =` and their distance in bytes; usually `(1, 0)`.
    ///
    /// The value is computed once.
    pub repeat: (u64, u64),
}

/// The value of an [`InitPart`].
#[derive(Debug)]
pub enum InitValue {
    /// A value of the member's type.
    Expr(Expr),
    /// A string for a char array of the given number of bytes, truncated or padded with zeros.
    String(StringId, u64),
    /// Unspecified values for that many bytes: the part of a union beyond the member that is initialised.
    Unspecified(u64),
}

/// An lvalue.
#[derive(Debug)]
pub struct Place {
    /// The kind of lvalue.
    pub kind: PlaceKind,
    /// The type with qualifiers; may be an array or function type.
    pub ty: QualType,
    /// The span of the whole expression.
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
    /// `*e`, `e->`, `a[i]` (as `*(a + i)`) or a captured variable.
    Deref(Box<Expr>),
    /// A member, as an index into the record's fields; may be a bit-field.
    Field(Box<Place>, RecordId, u32),
    /// A struct rvalue stored in a temporary (`f().x`, `(c ? a : b).x`).
    Temporary(Box<Expr>),
    /// `(type){ … }` inside a function.
    ///
    /// Each evaluation initialises a hidden local, which belongs to the innermost block.
    CompoundLiteral(LocalId, Box<LocalInit>),
}

/// An rvalue.
#[derive(Debug)]
pub struct Expr {
    /// The kind of rvalue.
    pub kind: ExprKind,
    /// The type: scalar, struct, union or void.
    pub ty: TypeId,
    /// The span of the whole expression.
    pub span: Span,
}

/// The kinds of rvalues.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer; also of an enum or pointer type (null and other constant addresses).
    Int(i128),
    /// A floating constant, as the bits in the format of its type.
    Float(u128),
    /// The value of a place: a scalar, bit-field or struct.
    Read(Box<Place>),
    /// `&place`, or the decay of an array or function.
    AddressOf(Box<Place>),
    /// `&&label`.
    LabelAddress(LabelId),
    /// The address of a nested function as a value, which requires a closure.
    NestedFunction(SymbolId),
    /// `-e` on a promoted operand.
    Neg(Box<Expr>),
    /// `~e` on a promoted operand.
    BitNot(Box<Expr>),
    /// `!e`, of type `int`.
    Not(Box<Expr>),
    /// Arithmetic on operands of the result type.
    ///
    /// For shifts, the right operand is converted to the type of the left one.
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// A comparison of operands of one type, which determines signedness. The result is `int`.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `p + i` or `p - i`, with an index of the pointer-sized signed type.
    PtrAdd {
        /// The pointer.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
        /// The number of bytes per step.
        scale: Scale,
        /// Whether the index is subtracted.
        negative: bool,
    },
    /// `p - q`, divided by the element size.
    PtrSub(Box<Expr>, Box<Expr>, Scale),
    /// `a && b`, of type `int`.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`, of type `int`.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b` on values of the result type (scalar, struct or void).
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a ?: b`. `a` is evaluated once, and converted to the result type if it is not zero.
    ElseIfZero(Box<Expr>, Box<Expr>),
    /// `place = value` (scalar, bit-field or struct). The result is the new value of the place.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= value` on arithmetic types.
    ///
    /// The value of the place is converted to `compute`, combined with `value` (which has the type `compute`, also for
    /// shifts) and converted back. Pointers use `AssignPtr`.
    AssignOp {
        /// The place, evaluated once.
        place: Box<Place>,
        /// The operator.
        op: ArithOp,
        /// The right operand.
        value: Box<Expr>,
        /// The type of the computation.
        compute: TypeId,
    },
    /// `p += i` or `p -= i`.
    AssignPtr {
        /// The pointer's place, evaluated once.
        place: Box<Place>,
        /// The index, of the pointer-sized signed type.
        index: Box<Expr>,
        /// The number of bytes per step.
        scale: Scale,
        /// Whether the operator is `-=`.
        negative: bool,
    },
    /// `++` or `--` on an arithmetic or pointer place.
    IncDec {
        /// The place, evaluated once.
        place: Box<Place>,
        /// Whether the operator is `++`.
        increment: bool,
        /// Whether the result is the old value.
        postfix: bool,
        /// The number of bytes per step for pointers; `None` for arithmetic types.
        scale: Option<Scale>,
    },
    /// A call.
    Call(Box<Call>),
    /// A conversion between scalar types. `_Bool` compares with zero, and void drops the value.
    Convert(Box<Expr>),
    /// A complex number or vector, built from its elements.
    Elements(Vec<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `({ … })`. The value, if any, is evaluated at the end of the block, inside its scope.
    StmtExpr(Box<Block>, Option<Box<Expr>>),
    /// `__builtin_va_arg` on the address of a `va_list`, whose first word is the address of the next argument.
    VaArg(Box<Expr>),
    /// A call of a builtin operation.
    Builtin(Builtin, Vec<Expr>),
    /// A statement executed before an expression (VLA dimensions in casts and `sizeof`).
    After(Box<Stmt>, Box<Expr>),
    /// A construct that is not modelled. Reaching it violates an `unsupported` check.
    Unsupported(String),
}

/// The number of bytes per step of pointer arithmetic.
#[derive(Debug)]
pub enum Scale {
    /// A constant: 0 for empty structs, 1 for void and functions.
    Fixed(u64),
    /// An expression of type `size_t`, for variable-length rows.
    Variable(Box<Expr>),
}

/// Arithmetic operators. The type determines signedness and whether the operation is floating-point.
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
    /// Returns whether the comparison holds for two values in this order.
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
    /// The called function.
    pub callee: CallTarget,
    /// The type of the called function at the call.
    pub function: TypeId,
    /// The arguments, converted to the parameter types or promoted.
    pub args: Vec<Expr>,
}

/// The target of a call.
#[derive(Debug)]
pub enum CallTarget {
    /// A function by name.
    Symbol(SymbolId),
    /// A nested function by name. Lowering adds the addresses of captured variables.
    Nested(SymbolId),
    /// A function pointer.
    Pointer(Expr),
}

/// Builtin operations that are neither operators nor library functions.
///
/// `__builtin_memcpy` and the like are calls to the library function. The checker resolves `expect`, `constant_p`,
/// `offsetof`, `choose_expr` and `types_compatible_p`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `va_start(ap)` on the address of the `va_list`.
    VaStart,
    /// `va_end(ap)`.
    VaEnd,
    /// `va_copy(dst, src)` on the addresses of both `va_list`s.
    VaCopy,
    /// `alloca(size)`.
    Alloca,
    /// The number of leading zeros of an unsigned operand, as `int`. Undefined for 0.
    Clz,
    /// The number of trailing zeros, as `int`. Undefined for 0.
    Ctz,
    /// The number of one bits, as `int`.
    PopCount,
    /// The parity of the number of one bits, as `int`.
    Parity,
    /// 1 + the index of the lowest one bit, or 0 for the operand 0, as `int`.
    Ffs,
    /// The number of redundant sign bits, as `int`.
    Clrsb,
    /// Byte reversal. Operand and result have the same type.
    Bswap,
    /// `__builtin_add_overflow(a, b, &r)`, of type `_Bool`.
    ///
    /// The operands keep their own integer types. The third operand is a pointer to the result type.
    AddOverflow,
    /// `__builtin_sub_overflow(a, b, &r)`.
    SubOverflow,
    /// `__builtin_mul_overflow(a, b, &r)`.
    MulOverflow,
    /// `__builtin_add_overflow_p(a, b, c)`, where `c` only determines the type.
    AddOverflowP,
    /// `__builtin_sub_overflow_p(a, b, c)`.
    SubOverflowP,
    /// `__builtin_mul_overflow_p(a, b, c)`.
    MulOverflowP,
    /// `__builtin_unreachable()`.
    Unreachable,
    /// `__builtin_trap()`.
    Trap,
    /// `isgreater(x, y)`, a quiet floating-point comparison, as `int`.
    IsGreater,
    /// `isgreaterequal(x, y)`.
    IsGreaterEqual,
    /// `isless(x, y)`.
    IsLess,
    /// `islessequal(x, y)`.
    IsLessEqual,
    /// `islessgreater(x, y)`.
    IsLessGreater,
    /// `isunordered(x, y)`.
    IsUnordered,
    /// `isnan(x)`, as `int`.
    IsNan,
    /// `isinf_sign(x)`, as `int`: -1, 0 or 1.
    IsInfSign,
    /// `isfinite(x)`, as `int`.
    IsFinite,
    /// `isnormal(x)`, as `int`.
    IsNormal,
    /// `signbit(x)`, as `int`.
    SignBit,
    /// `__sync_fetch_and_OP` or `__atomic_fetch_OP` on an address and a value; returns the old value.
    AtomicFetch(ArithOp),
    /// `__sync_OP_and_fetch` or `__atomic_OP_fetch` on an address and a value; returns the new value.
    AtomicOp(ArithOp),
    /// Like `AtomicFetch` with `~(old & value)`; returns the old value.
    AtomicFetchNand,
    /// Like `AtomicOp` with `~(old & value)`; returns the new value.
    AtomicNandFetch,
    /// `__atomic_load_n(p)`.
    AtomicLoad,
    /// `__atomic_store_n(p, v)`.
    AtomicStore,
    /// `__atomic_exchange_n(p, v)` or `__sync_lock_test_and_set`.
    AtomicExchange,
    /// `__sync_bool_compare_and_swap(p, old, new)`.
    SyncBoolCas,
    /// `__sync_val_compare_and_swap(p, old, new)`.
    SyncValCas,
    /// `__atomic_compare_exchange_n(p, &expected, new, …)`.
    AtomicCas,
    /// `__sync_synchronize()` or another fence; has no effect.
    Fence,
}

/// Returns the arithmetic operator of a compound assignment or binary expression, if there is one.
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
