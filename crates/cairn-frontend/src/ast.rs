//! The syntax tree: what the parser saw, with no types yet. Names are resolved only as far as C's grammar needs it (whether
//! an identifier is a typedef name).

use cairn_ir::source::Span;

use crate::symbol::Symbol;

/// A translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    /// Declarations and definitions in order.
    pub items: Vec<Item>,
}

/// Something at file scope.
#[derive(Debug)]
pub enum Item {
    /// A declaration.
    Declaration(Declaration),
    /// A function definition.
    Function(Box<FunctionDef>),
    /// Top-level `asm("…")`.
    Asm(Asm),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
}

/// A declaration: specifiers and declarators.
#[derive(Debug)]
pub struct Declaration {
    /// What stands before the declarators.
    pub specs: DeclSpecs,
    /// The declared things; empty for `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
    /// The whole.
    pub span: Span,
}

/// A declarator with its initialiser.
#[derive(Debug)]
pub struct InitDeclarator {
    /// What is declared.
    pub declarator: Declarator,
    /// `= …`.
    pub init: Option<Initializer>,
    /// `asm("name")`.
    pub asm_label: Option<Box<[u8]>>,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
}

/// `static const unsigned long` and the like.
#[derive(Debug)]
pub struct DeclSpecs {
    /// `typedef`, `extern`, `static`, `auto`, `register`.
    pub storage: Option<Storage>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `inline`.
    pub inline: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// C23's `constexpr`; `quals` then has `const`.
    pub constexpr: bool,
    /// Whether the `typeof` is a `typeof_unqual`: the qualifiers of its operand are dropped.
    pub unqualified: bool,
    /// `const`, `volatile`, `restrict`, `_Atomic`.
    pub quals: cairn_ir::ctype::Quals,
    /// The type.
    pub ty: TypeSpec,
    /// `_Alignas(…)`.
    pub alignas: Vec<AlignAs>,
    /// Attributes among the specifiers.
    pub attributes: Vec<Attribute>,
    /// The specifiers.
    pub span: Span,
}

/// Storage classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of C")]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// `_Alignas` with a type or an expression.
#[derive(Debug)]
pub enum AlignAs {
    /// `_Alignas(type)`.
    Type(TypeName),
    /// `_Alignas(8)`.
    Expr(Expr),
}

/// A type specifier, the keywords already combined.
#[derive(Debug)]
pub enum TypeSpec {
    /// `void`, `int`, `double` and all other arithmetic types by keyword. The id is one of the predefined ones.
    Basic(cairn_ir::ctype::TypeId),
    /// `_Complex float` and so on: the real type, one of the predefined ones.
    Complex(cairn_ir::ctype::TypeId),
    /// `_BitInt(width)`.
    BitInt {
        /// `unsigned`.
        unsigned: bool,
        /// The width.
        width: Box<Expr>,
    },
    /// `_Decimal32` and so on.
    Decimal(cairn_ir::ctype::DecimalKind),
    /// A struct or union.
    Record(Box<RecordSpec>),
    /// An enumeration.
    Enum(Box<EnumSpec>),
    /// A typedef name.
    Typedef(Symbol, Span),
    /// `typeof(expr)`.
    TypeofExpr(Box<Expr>),
    /// `typeof(type)`.
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`.
    Atomic(Box<TypeName>),
    /// `__auto_type`, or C23's `auto` without a type.
    Auto,
    /// `__builtin_va_list`.
    VaList,
    /// No type at all: implicit int.
    Implicit,
}

/// `struct tag { … }`.
#[derive(Debug)]
pub struct RecordSpec {
    /// Whether it is a union.
    pub union: bool,
    /// The tag.
    pub tag: Option<Symbol>,
    /// The members; `None` without braces.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag and after the brace.
    pub attributes: Vec<Attribute>,
    /// `#pragma pack` in force, 0 for none.
    pub pragma_pack: u64,
    /// The place of the tag or keyword.
    pub span: Span,
}

/// A member declaration.
#[derive(Debug)]
pub enum Member {
    /// `int a, b : 3;` — no declarator for anonymous structs.
    Fields(DeclSpecs, Vec<FieldDeclarator>),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
}

/// One member.
#[derive(Debug)]
pub struct FieldDeclarator {
    /// Its declarator; without a name for unnamed bit-fields.
    pub declarator: Declarator,
    /// `: width`.
    pub width: Option<Expr>,
    /// Attributes after it.
    pub attributes: Vec<Attribute>,
}

/// `enum tag { … }`.
#[derive(Debug)]
pub struct EnumSpec {
    /// The tag.
    pub tag: Option<Symbol>,
    /// The enumerators; `None` without braces.
    pub enumerators: Option<Vec<Enumerator>>,
    /// C23's `enum e : type`.
    pub underlying: Option<TypeName>,
    /// Attributes before the tag and after the brace.
    pub attributes: Vec<Attribute>,
    /// The place of the tag or keyword.
    pub span: Span,
}

/// One enumerator.
#[derive(Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Symbol,
    /// `= value`.
    pub value: Option<Expr>,
    /// Its place.
    pub span: Span,
}

/// A declarator, inside out: the steps are applied to the specified type from first to last.
/// `int *a[3]` is `[Pointer, Array(3)]`, `int (*a)[3]` is `[Array(3), Pointer]`.
#[derive(Debug)]
pub struct Declarator {
    /// The declared name; `None` in abstract declarators.
    pub name: Option<Symbol>,
    /// The place of the name, or where it would stand.
    pub span: Span,
    /// From the specified type outwards to the name.
    pub steps: Vec<DeclStep>,
    /// Attributes inside the declarator.
    pub attributes: Vec<Attribute>,
}

/// One step of a declarator.
#[derive(Debug)]
pub enum DeclStep {
    /// `*` with qualifiers.
    Pointer(cairn_ir::ctype::Quals),
    /// `[…]`.
    Array {
        /// The length.
        len: ArraySize,
        /// Qualifiers inside the brackets (of the adjusted parameter).
        quals: cairn_ir::ctype::Quals,
        /// The brackets.
        span: Span,
    },
    /// `(…)`.
    Function(Box<FunctionDeclarator>),
}

/// What stands between brackets.
#[derive(Debug)]
pub enum ArraySize {
    /// Nothing.
    Unknown,
    /// `*`.
    Star,
    /// An expression (with or without `static`).
    Expr(Box<Expr>),
}

/// A parameter list.
#[derive(Debug)]
pub struct FunctionDeclarator {
    /// Parameters of a prototype (`(void)` has none and is a prototype).
    pub params: Vec<Param>,
    /// `...`.
    pub variadic: bool,
    /// Whether it is a prototype (`()` is not, except in C23).
    pub prototyped: bool,
    /// Names of a K&R identifier list.
    pub identifiers: Vec<(Symbol, Span)>,
    /// The parentheses.
    pub span: Span,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// Specifiers.
    pub specs: DeclSpecs,
    /// Declarator, may be abstract.
    pub declarator: Declarator,
    /// Attributes after it.
    pub attributes: Vec<Attribute>,
}

/// A function definition (also a nested one).
#[derive(Debug)]
pub struct FunctionDef {
    /// Specifiers.
    pub specs: DeclSpecs,
    /// Declarator; its last step is a function, or its type is a typedef of one (an error).
    pub declarator: Declarator,
    /// Declarations of K&R parameters.
    pub kr_params: Vec<Declaration>,
    /// Attributes before the body.
    pub attributes: Vec<Attribute>,
    /// The body.
    pub body: Compound,
    /// The header.
    pub span: Span,
}

/// `int *[3]` in casts and sizeof.
#[derive(Debug)]
pub struct TypeName {
    /// Specifiers.
    pub specs: DeclSpecs,
    /// Abstract declarator.
    pub declarator: Declarator,
    /// The whole.
    pub span: Span,
}

/// `__attribute__((name(args)))` or `[[name(args)]]`; the name without surrounding underscores.
#[derive(Debug)]
pub struct Attribute {
    /// The name (`gnu::` dropped).
    pub name: Symbol,
    /// Arguments that are expressions; other arguments are skipped.
    pub args: Vec<Expr>,
    /// Its place.
    pub span: Span,
}

/// `_Static_assert(cond, "message")`.
#[derive(Debug)]
pub struct StaticAssert {
    /// The condition.
    pub cond: Expr,
    /// The message.
    pub message: Option<Box<[u8]>>,
    /// The whole.
    pub span: Span,
}

/// An asm statement or definition.
#[derive(Debug)]
pub struct Asm {
    /// The template text.
    pub template: Box<[u8]>,
    /// Whether it has no instruction text and no labels, and every output is an input as well (`+r`): it changes nothing.
    pub empty: bool,
    /// Output operands (so that uses in later code can be told to be unsupported).
    pub outputs: Vec<Expr>,
    /// Input operands.
    pub inputs: Vec<Expr>,
    /// Labels of `asm goto`.
    pub labels: Vec<Symbol>,
    /// The whole.
    pub span: Span,
}

/// An initialiser.
#[derive(Debug)]
pub enum Initializer {
    /// `= expr`.
    Expr(Expr),
    /// `= { … }`.
    List(InitList),
}

/// `{ [2].x = 1, … }`.
#[derive(Debug)]
pub struct InitList {
    /// The entries.
    pub entries: Vec<InitEntry>,
    /// The braces.
    pub span: Span,
}

/// One entry of an initialiser list.
#[derive(Debug)]
pub struct InitEntry {
    /// `[i]`, `.x`, `[a ... b]`; empty for the next place.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: Initializer,
}

/// One designator.
#[derive(Debug)]
pub enum Designator {
    /// `.x` (or the old `x:`).
    Field(Symbol, Span),
    /// `[i]`.
    Index(Expr),
    /// `[a ... b]`.
    Range(Expr, Expr),
}

/// `{ … }`.
#[derive(Debug)]
pub struct Compound {
    /// Statements and declarations in order.
    pub items: Vec<BlockItem>,
    /// The braces.
    pub span: Span,
}

/// Something inside a block.
#[derive(Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// A nested function.
    Function(Box<FunctionDef>),
    /// A statement.
    Stmt(Stmt),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`.
    LocalLabels(Vec<(Symbol, Span)>),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// The whole.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are those of C")]
pub enum StmtKind {
    Expr(Expr),
    Empty,
    Compound(Compound),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    DoWhile(Box<Stmt>, Expr),
    For(Box<ForInit>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Switch(Expr, Box<Stmt>),
    /// `case a:` or `case a ... b:`.
    Case(Expr, Option<Expr>, Box<Stmt>),
    Default(Box<Stmt>),
    Label(Symbol, Box<Stmt>),
    Goto(Symbol),
    GotoComputed(Expr),
    Break,
    Continue,
    Return(Option<Expr>),
    Asm(Asm),
    /// What could not be parsed; an error was reported.
    Error,
}

/// The first part of a `for`.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ForInit {
    None,
    Expr(Expr),
    Declaration(Declaration),
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole.
    pub span: Span,
}

/// Binary operators, without assignment, comma and the logical ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum UnOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Deref,
    AddressOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    Real,
    Imag,
}

/// The kinds of expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// An identifier.
    Ident(Symbol),
    /// An integer constant with its type by C's rules left to the checker.
    Int(IntLiteral),
    /// A floating constant.
    Float(FloatLiteral),
    /// A character constant: value and type (`int`, or by prefix).
    Char(i64, StringPrefix),
    /// Adjacent string literals, joined: the code units' bytes without terminator, in the element's width.
    String(StringLiteral),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `f(args)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `a.x`.
    Member(Box<Expr>, Symbol, Span),
    /// `a->x`.
    Arrow(Box<Expr>, Symbol, Span),
    /// Unary operators.
    Unary(UnOp, Box<Expr>),
    /// Binary operators.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `&&`.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `||`.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `=` or `op=`.
    Assign(Option<BinOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`, the middle may be left out.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `(type)e`.
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type){ … }`.
    CompoundLiteral(Box<TypeName>, InitList),
    /// `sizeof e`.
    SizeofExpr(Box<Expr>),
    /// `sizeof(type)`.
    SizeofType(Box<TypeName>),
    /// `_Alignof(type)`; whether it is `__alignof__`, which says what gcc prefers.
    AlignofType(Box<TypeName>, bool),
    /// `__alignof__ e`.
    AlignofExpr(Box<Expr>),
    /// `&&label`.
    LabelAddress(Symbol),
    /// `({ … })`.
    StmtExpr(Box<Compound>),
    /// `_Generic(e, type: e, default: e)`; the control may be a type (C2y).
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    /// `__builtin_va_arg(ap, type)`.
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_offsetof(type, member-designator)`.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_convertvector(vector, type)`.
    ConvertVector(Box<Expr>, Box<TypeName>),
    /// `__builtin_types_compatible_p(a, b)`.
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`.
    ChooseExpr(Box<Expr>, Box<Expr>, Box<Expr>),
    /// C23 `nullptr`, `true`, `false`.
    Nullptr,
    /// C23 `true` and `false` where they are keywords.
    Bool(bool),
    /// What could not be parsed; an error was reported.
    Error,
}

/// An integer constant as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntLiteral {
    /// Its value.
    pub value: u128,
    /// Whether it is decimal (which decides the candidate types).
    pub decimal: bool,
    /// `u`.
    pub unsigned: bool,
    /// 0, 1 (`l`) or 2 (`ll`).
    pub longs: u8,
    /// `i` or `j`: imaginary.
    pub imaginary: bool,
    /// `wb`: a `_BitInt` that is just wide enough.
    pub bit_precise: bool,
}

/// A floating constant as written.
#[derive(Clone, PartialEq, Debug)]
pub struct FloatLiteral {
    /// Digits, point and exponent, decimal or hexadecimal, without suffix.
    pub text: Box<str>,
    /// The type of its suffix.
    pub kind: cairn_ir::ctype::FloatKind,
    /// The decimal type of its suffix, in place of `kind`.
    pub decimal: Option<cairn_ir::ctype::DecimalKind>,
    /// `i` or `j`: imaginary.
    pub imaginary: bool,
}

/// `L`, `u8`, `u`, `U` or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum StringPrefix {
    None,
    Wide,
    Utf8,
    Utf16,
    Utf32,
}

/// A string literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// Code units (bytes, or 16- and 32-bit units) without the terminator.
    pub units: Vec<u32>,
    /// Its prefix.
    pub prefix: StringPrefix,
}
