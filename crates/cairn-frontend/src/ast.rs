//! The untyped syntax tree that the parser produces.
//!
//! Names are resolved only as far as C's grammar requires: whether an identifier is a typedef name.

use cairn_ir::source::Span;

use crate::symbol::Symbol;

/// A translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    /// Declarations and definitions, in source order.
    pub items: Vec<Item>,
}

/// An item at file scope.
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
    /// The declaration specifiers.
    pub specs: DeclSpecs,
    /// The declarators; empty for `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
    /// The span of the whole declaration.
    pub span: Span,
}

/// A declarator with its initialiser.
#[derive(Debug)]
pub struct InitDeclarator {
    /// The declarator.
    pub declarator: Declarator,
    /// The initialiser after `=`.
    pub init: Option<Initializer>,
    /// The assembler name: `asm("name")`.
    pub asm_label: Option<Box<[u8]>>,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
}

/// Declaration specifiers, such as `static const unsigned long`.
#[derive(Debug)]
pub struct DeclSpecs {
    /// The storage class.
    pub storage: Option<Storage>,
    /// Whether `_Thread_local` or `__thread` occurs.
    pub thread_local: bool,
    /// Whether `inline` occurs.
    pub inline: bool,
    /// Whether `_Noreturn` occurs.
    pub noreturn: bool,
    /// Whether C23's `constexpr` occurs; `quals` then contains `const`.
    pub constexpr: bool,
    /// Whether the `typeof` is a `typeof_unqual`, which drops the qualifiers of its operand.
    pub unqualified: bool,
    /// The qualifiers `const`, `volatile`, `restrict` and `_Atomic`.
    pub quals: cairn_ir::ctype::Quals,
    /// The type specifier.
    pub ty: TypeSpec,
    /// The operands of `_Alignas(…)`.
    pub alignas: Vec<AlignAs>,
    /// Attributes among the specifiers.
    pub attributes: Vec<Attribute>,
    /// The span of the specifiers.
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

/// A type specifier, with its keywords already combined.
#[derive(Debug)]
pub enum TypeSpec {
    /// `void`, `int`, `double` or another arithmetic type given by keywords, as a predefined id.
    Basic(cairn_ir::ctype::TypeId),
    /// `_Complex float` and so on, with the real type as a predefined id.
    Complex(cairn_ir::ctype::TypeId),
    /// `_BitInt(width)`.
    BitInt {
        /// Whether `unsigned` occurs.
        unsigned: bool,
        /// The width in bits.
        width: Box<Expr>,
    },
    /// `_Decimal32`, `_Decimal64` or `_Decimal128`.
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
    /// No type specifier: implicit int.
    Implicit,
}

/// `struct tag { … }`.
#[derive(Debug)]
pub struct RecordSpec {
    /// Whether this is a union.
    pub union: bool,
    /// The tag.
    pub tag: Option<Symbol>,
    /// The members; `None` without braces.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag and after the closing brace.
    pub attributes: Vec<Attribute>,
    /// The argument of the `#pragma pack` in force; 0 for none.
    pub pragma_pack: u64,
    /// The span of the tag or keyword.
    pub span: Span,
}

/// A member declaration.
#[derive(Debug)]
pub enum Member {
    /// `int a, b : 3;`. An anonymous struct has no declarator.
    Fields(DeclSpecs, Vec<FieldDeclarator>),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
}

/// One declarator of a member declaration.
#[derive(Debug)]
pub struct FieldDeclarator {
    /// The declarator; nameless for unnamed bit-fields.
    pub declarator: Declarator,
    /// The width of a bit-field: `: width`.
    pub width: Option<Expr>,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
}

/// `enum tag { … }`.
#[derive(Debug)]
pub struct EnumSpec {
    /// The tag.
    pub tag: Option<Symbol>,
    /// The enumerators; `None` without braces.
    pub enumerators: Option<Vec<Enumerator>>,
    /// The underlying type of C23's `enum e : type`.
    pub underlying: Option<TypeName>,
    /// Attributes before the tag and after the closing brace.
    pub attributes: Vec<Attribute>,
    /// The span of the tag or keyword.
    pub span: Span,
}

/// One enumerator.
#[derive(Debug)]
pub struct Enumerator {
    /// The name.
    pub name: Symbol,
    /// The value after `=`.
    pub value: Option<Expr>,
    /// The span of the name.
    pub span: Span,
}

/// A declarator as a list of steps from the specified type to the declared name.
///
/// The steps are applied to the specified type in order: `int *a[3]` is `[Pointer, Array(3)]`, and `int (*a)[3]` is
/// `[Array(3), Pointer]`.
#[derive(Debug)]
pub struct Declarator {
    /// The declared name; `None` in abstract declarators.
    pub name: Option<Symbol>,
    /// The span of the name, or the position where it would be.
    pub span: Span,
    /// The steps, starting at the specified type.
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
        /// The qualifiers inside the brackets, which apply to the adjusted parameter.
        quals: cairn_ir::ctype::Quals,
        /// The span of the brackets.
        span: Span,
    },
    /// `(…)`.
    Function(Box<FunctionDeclarator>),
}

/// The length between the brackets of an array declarator.
#[derive(Debug)]
pub enum ArraySize {
    /// No length.
    Unknown,
    /// `*`.
    Star,
    /// An expression, with or without `static`.
    Expr(Box<Expr>),
}

/// A parameter list.
#[derive(Debug)]
pub struct FunctionDeclarator {
    /// The parameters of a prototype. `(void)` is a prototype without parameters.
    pub params: Vec<Param>,
    /// Whether the list ends in `...`.
    pub variadic: bool,
    /// Whether this is a prototype. `()` is not, except in C23.
    pub prototyped: bool,
    /// The names of a K&R identifier list.
    pub identifiers: Vec<(Symbol, Span)>,
    /// The span of the parentheses.
    pub span: Span,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// The declaration specifiers.
    pub specs: DeclSpecs,
    /// The declarator, possibly abstract.
    pub declarator: Declarator,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
}

/// A function definition, possibly nested.
#[derive(Debug)]
pub struct FunctionDef {
    /// The declaration specifiers.
    pub specs: DeclSpecs,
    /// The declarator. Its last step is a function, or its type is a typedef of a function type (an error).
    pub declarator: Declarator,
    /// The declarations of K&R parameters.
    pub kr_params: Vec<Declaration>,
    /// Attributes before the body.
    pub attributes: Vec<Attribute>,
    /// The body.
    pub body: Compound,
    /// The span of the function's header.
    pub span: Span,
}

/// A type name such as `int *[3]`, in casts and `sizeof`.
#[derive(Debug)]
pub struct TypeName {
    /// The specifiers and qualifiers.
    pub specs: DeclSpecs,
    /// The abstract declarator.
    pub declarator: Declarator,
    /// The span of the whole type name.
    pub span: Span,
}

/// `__attribute__((name(args)))` or `[[name(args)]]`.
#[derive(Debug)]
pub struct Attribute {
    /// The name without surrounding underscores and without `gnu::`.
    pub name: Symbol,
    /// The arguments that are expressions; other arguments are skipped.
    pub args: Vec<Expr>,
    /// The span of the attribute.
    pub span: Span,
}

/// `_Static_assert(cond, "message")`.
#[derive(Debug)]
pub struct StaticAssert {
    /// The condition.
    pub cond: Expr,
    /// The message, if given.
    pub message: Option<Box<[u8]>>,
    /// The span of the whole declaration.
    pub span: Span,
}

/// An asm statement or definition.
#[derive(Debug)]
pub struct Asm {
    /// The template text.
    pub template: Box<[u8]>,
    /// Whether the asm has no effect.
    ///
    /// It has no instruction text and no labels, and every output is an input as well (`+r`).
    pub empty: bool,
    /// The output operands. Their later uses are reported as unsupported.
    pub outputs: Vec<Expr>,
    /// The input operands.
    pub inputs: Vec<Expr>,
    /// The labels of `asm goto`.
    pub labels: Vec<Symbol>,
    /// The span of the whole statement.
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
    /// The span of the braces.
    pub span: Span,
}

/// One entry of an initialiser list.
#[derive(Debug)]
pub struct InitEntry {
    /// The designators `[i]`, `.x` or `[a ... b]`; empty for the next subobject.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: Initializer,
}

/// One designator.
#[derive(Debug)]
pub enum Designator {
    /// `.x`, or the obsolete `x:`.
    Field(Symbol, Span),
    /// `[i]`.
    Index(Expr),
    /// `[a ... b]`.
    Range(Expr, Expr),
}

/// `{ … }`.
#[derive(Debug)]
pub struct Compound {
    /// Statements and declarations, in source order.
    pub items: Vec<BlockItem>,
    /// The span of the braces.
    pub span: Span,
}

/// An item of a block.
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
    /// The kind of statement.
    pub kind: StmtKind,
    /// The span of the whole statement.
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
    /// A statement that could not be parsed; an error was reported.
    Error,
}

/// The first clause of a `for`.
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
    /// The kind of expression.
    pub kind: ExprKind,
    /// The span of the whole expression.
    pub span: Span,
}

/// Binary operators except assignment, comma, `&&` and `||`.
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
    /// An integer constant. The checker determines its type.
    Int(IntLiteral),
    /// A floating constant.
    Float(FloatLiteral),
    /// A character constant: its value and its prefix, which determines the type.
    Char(i64, StringPrefix),
    /// Adjacent string literals, concatenated.
    String(StringLiteral),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `f(args)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `a.x`.
    Member(Box<Expr>, Symbol, Span),
    /// `a->x`.
    Arrow(Box<Expr>, Symbol, Span),
    /// A unary operation.
    Unary(UnOp, Box<Expr>),
    /// A binary operation.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `&&`.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `||`.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `=` or `op=`.
    Assign(Option<BinOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`; the middle operand may be omitted.
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
    /// `_Alignof(type)`, or `__alignof__(type)`, the preferred alignment, if the flag is set.
    AlignofType(Box<TypeName>, bool),
    /// `__alignof__ e`.
    AlignofExpr(Box<Expr>),
    /// `&&label`.
    LabelAddress(Symbol),
    /// `({ … })`.
    StmtExpr(Box<Compound>),
    /// `_Generic(e, type: e, default: e)`.
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
    /// C23's `nullptr`.
    Nullptr,
    /// C23's `true` and `false`.
    Bool(bool),
    /// An expression that could not be parsed; an error was reported.
    Error,
}

/// An integer constant as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntLiteral {
    /// The value.
    pub value: u128,
    /// Whether the constant is decimal, which affects the candidate types.
    pub decimal: bool,
    /// Whether the suffix contains `u`.
    pub unsigned: bool,
    /// The number of `l`s in the suffix: 0, 1 or 2.
    pub longs: u8,
    /// Whether the suffix contains `i` or `j` (imaginary).
    pub imaginary: bool,
    /// Whether the suffix contains `wb`, for a `_BitInt` of the smallest sufficient width.
    pub bit_precise: bool,
}

/// A floating constant as written.
#[derive(Clone, PartialEq, Debug)]
pub struct FloatLiteral {
    /// Digits, point and exponent without the suffix, decimal or hexadecimal.
    pub text: Box<str>,
    /// The type that the suffix gives.
    pub kind: cairn_ir::ctype::FloatKind,
    /// The decimal type that the suffix gives; overrides `kind`.
    pub decimal: Option<cairn_ir::ctype::DecimalKind>,
    /// Whether the suffix contains `i` or `j` (imaginary).
    pub imaginary: bool,
}

/// The encoding prefix of a literal: `L`, `u8`, `u`, `U` or none.
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
    /// The code units (8, 16 or 32 bits wide) without the terminator.
    pub units: Vec<u32>,
    /// The encoding prefix.
    pub prefix: StringPrefix,
}
