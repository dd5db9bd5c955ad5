//! Tokens of sixteen bytes each. The parser decodes literals on demand.

use crate::symbol::Symbol;

/// A token of the text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The global offset of the first byte.
    pub start: u32,
    /// The global offset after the last byte.
    pub end: u32,
    /// The symbol of an identifier or keyword; for a literal, whether an error was already reported.
    pub payload: u32,
    /// The kind of token.
    pub kind: TokenKind,
}

impl Token {
    /// Returns the name of an identifier or keyword.
    pub fn symbol(self) -> Symbol {
        Symbol(self.payload)
    }

    /// Returns the span of the token.
    pub fn span(self) -> cairn_ir::source::Span {
        cairn_ir::source::Span::new(self.start, self.end)
    }
}

impl TokenKind {
    /// Returns whether the token is an identifier or a keyword, and so has a symbol.
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
            /// Returns the spelling, or a description of tokens without a fixed spelling.
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
