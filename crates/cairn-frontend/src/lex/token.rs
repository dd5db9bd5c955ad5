//! Tokens: sixteen bytes each, literals decoded only when the parser gets to them.

use crate::symbol::Symbol;

/// A token of the text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Global offset of its first byte.
    pub start: u32,
    /// Global offset one past its last byte.
    pub end: u32,
    /// The symbol's number for identifiers and keywords; for literals whether an error was already reported.
    pub payload: u32,
    /// What it is.
    pub kind: TokenKind,
}

impl Token {
    /// The name of an identifier or keyword.
    pub fn symbol(self) -> Symbol {
        Symbol(self.payload)
    }

    /// Where it stands.
    pub fn span(self) -> cairn_ir::source::Span {
        cairn_ir::source::Span::new(self.start, self.end)
    }
}

impl TokenKind {
    /// Whether it is an identifier or a keyword, so that the token has a symbol.
    pub fn is_word(self) -> bool {
        self == TokenKind::Ident || self as u8 >= TokenKind::Auto as u8
    }
}

macro_rules! token_kinds {
    ($($name:ident $text:literal,)*) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum TokenKind { $($name,)* }

        impl TokenKind {
            /// How it is written, or what it is called.
            pub fn text(self) -> &'static str {
                match self { $(TokenKind::$name => $text,)* }
            }
        }
    };
}

token_kinds! {
    Eof "end of file",
    Ident "identifier",
    Number "number",
    CharConstant "character constant",
    String "string literal",
    LParen "(",
    RParen ")",
    LBracket "[",
    RBracket "]",
    LBrace "{",
    RBrace "}",
    Semi ";",
    Comma ",",
    Colon ":",
    Question "?",
    Tilde "~",
    Dot ".",
    Ellipsis "...",
    Arrow "->",
    Plus "+",
    PlusPlus "++",
    PlusEq "+=",
    Minus "-",
    MinusMinus "--",
    MinusEq "-=",
    Star "*",
    StarEq "*=",
    Slash "/",
    SlashEq "/=",
    Percent "%",
    PercentEq "%=",
    Amp "&",
    AmpAmp "&&",
    AmpEq "&=",
    Pipe "|",
    PipePipe "||",
    PipeEq "|=",
    Caret "^",
    CaretEq "^=",
    Bang "!",
    BangEq "!=",
    Eq "=",
    EqEq "==",
    Lt "<",
    LtEq "<=",
    LtLt "<<",
    LtLtEq "<<=",
    Gt ">",
    GtEq ">=",
    GtGt ">>",
    GtGtEq ">>=",
    Auto "auto",
    Break "break",
    Case "case",
    Char "char",
    Const "const",
    Continue "continue",
    Default "default",
    Do "do",
    Double "double",
    Else "else",
    Enum "enum",
    Extern "extern",
    Float "float",
    For "for",
    Goto "goto",
    If "if",
    Inline "inline",
    Int "int",
    Long "long",
    Register "register",
    Restrict "restrict",
    Return "return",
    Short "short",
    Signed "signed",
    Sizeof "sizeof",
    Static "static",
    Struct "struct",
    Switch "switch",
    Typedef "typedef",
    Union "union",
    Unsigned "unsigned",
    Void "void",
    Volatile "volatile",
    While "while",
    Alignas "alignas",
    Alignof "alignof",
    Atomic "_Atomic",
    Bool "bool",
    Complex "_Complex",
    Generic "_Generic",
    Imaginary "_Imaginary",
    Noreturn "_Noreturn",
    StaticAssert "static_assert",
    ThreadLocal "thread_local",
    BitInt "_BitInt",
    Decimal "_Decimal",
    Asm "asm",
    Typeof "typeof",
    TypeofUnqual "typeof_unqual",
    Attribute "__attribute__",
    Extension "__extension__",
    Label "__label__",
    Real "__real__",
    Imag "__imag__",
    Int128 "__int128",
    SignedInt128 "__int128_t",
    UnsignedInt128 "__uint128_t",
    AutoType "__auto_type",
    VaArg "__builtin_va_arg",
    VaList "__builtin_va_list",
    Offsetof "__builtin_offsetof",
    ConvertVector "__builtin_convertvector",
    TypesCompatible "__builtin_types_compatible_p",
    ChooseExpr "__builtin_choose_expr",
    Float16 "_Float16",
    Float32 "_Float32",
    Float64 "_Float64",
    Float64x "_Float64x",
    Float128 "_Float128",
    True "true",
    False "false",
    Nullptr "nullptr",
    Constexpr "constexpr",
    Pragma "_Pragma",
}
