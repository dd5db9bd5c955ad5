//! Parses declaration specifiers: storage classes, qualifiers, and the keywords that together name a type.

use cairn_ir::ctype::{DecimalKind, Quals, TypeId};
use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::source::Span;

use super::scope::Meaning;
use super::{Parse, Parser};
use crate::ast::{AlignAs, DeclSpecs, Expr, Storage, TypeSpec};
use crate::lex::{Token, TokenKind};

/// A bit set of the type keywords seen so far.
mod word {
    pub const VOID: u32 = 1;
    pub const CHAR: u32 = 2;
    pub const SHORT: u32 = 4;
    pub const INT: u32 = 8;
    pub const LONG: u32 = 16;
    /// The second `long`.
    pub const LONG_LONG: u32 = 32;
    pub const SIGNED: u32 = 64;
    pub const UNSIGNED: u32 = 128;
    pub const FLOAT: u32 = 256;
    pub const DOUBLE: u32 = 512;
    pub const BOOL: u32 = 1024;
    pub const COMPLEX: u32 = 2048;
    pub const INT128: u32 = 4096;
    pub const FLOAT16: u32 = 8192;
    pub const FLOAT128: u32 = 16384;
    pub const BIT_INT: u32 = 32768;
}

/// The context of specifiers, which determines the interpretation of an unknown name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// File scope, where only declarations occur.
    File,
    /// A block, where expressions occur as well.
    Block,
    /// A struct, a parameter list or a cast, where a type is required.
    Type,
}

/// The role of an identifier among specifiers.
enum Named {
    /// It names a type, and was consumed.
    Type,
    /// It is this keyword.
    Keyword(TokenKind),
    /// It is not a specifier.
    Other,
}

/// The specifiers parsed so far.
struct Reading {
    specs: DeclSpecs,
    /// The type keywords, as bits of [`word`].
    words: u32,
    /// Whether the type is given by other means than type keywords.
    other_type: bool,
    /// The width of `_BitInt`.
    width: Option<Box<Expr>>,
}

impl Reading {
    /// Returns whether a type was given, so that a following identifier is the declared name.
    fn has_type(&self) -> bool {
        self.other_type || self.words != 0
    }
}

impl Parser<'_> {
    /// Returns whether a declaration starts here, in a block or at file scope.
    pub(super) fn at_declaration(&self) -> bool {
        use TokenKind::*;
        match self.kind() {
            Typedef | Extern | Static | Auto | Register | Inline | Noreturn | ThreadLocal | Alignas | StaticAssert => {
                true
            }
            Ident => match self.keyword_of(self.token()) {
                Constexpr | ThreadLocal | StaticAssert | Alignas => true,
                _ => self.at_type_name(),
            },
            Attribute => false,
            _ => self.at_type_name(),
        }
    }

    /// Returns whether a type name starts here, as in casts.
    #[inline]
    pub(super) fn at_type_name(&self) -> bool {
        self.starts_type_name(self.token())
    }

    pub(super) fn starts_type_name(&self, token: Token) -> bool {
        if token.kind == TokenKind::Ident {
            return match self.meaning(token.symbol()) {
                Meaning::Typedef | Meaning::UnknownType => true,
                Meaning::Keyword => is_type_word(self.keyword_of(token)),
                Meaning::Ordinary | Meaning::Undeclared => false,
            };
        }
        is_type_word(token.kind)
    }

    /// Returns whether the text after an opening parenthesis is a type name.
    ///
    /// A type name may start with a storage class (C23's compound literals) or `__extension__`. An undeclared name
    /// followed only by stars is also taken for a type.
    pub(super) fn at_parenthesised_type(&self) -> bool {
        use TokenKind::*;
        match self.kind() {
            Ident => match self.meaning(self.token().symbol()) {
                Meaning::Undeclared => {
                    let stars = (1..).take_while(|&ahead| self.peek(ahead) == Star).count();
                    stars > 0 && self.peek(1 + stars) == RParen
                }
                Meaning::Keyword => {
                    matches!(self.keyword_of(self.token()), Constexpr | ThreadLocal) || self.at_type_name()
                }
                _ => self.at_type_name(),
            },
            Static | Register | ThreadLocal | Auto => true,
            Extension => self.tokens.get(self.pos + 1).is_some_and(|&t| self.starts_type_name(t)),
            kind => is_type_word(kind),
        }
    }

    /// Parses specifiers. Without any type specifier, the type is [`TypeSpec::Implicit`].
    pub(super) fn specifiers(&mut self, place: Place) -> Parse<DeclSpecs> {
        use TokenKind::*;
        let start = self.start();
        let mut r = Reading {
            specs: DeclSpecs {
                storage: None,
                thread_local: false,
                inline: false,
                noreturn: false,
                constexpr: false,
                unqualified: false,
                quals: Quals::NONE,
                ty: TypeSpec::Implicit,
                alignas: Vec::new(),
                attributes: Vec::new(),
                span: Span::new(start, start),
            },
            words: 0,
            other_type: false,
            width: None,
        };
        loop {
            let token = self.token();
            let mut kind = token.kind;
            if kind == Ident {
                match self.named_specifier(&mut r, place, token) {
                    Named::Type => continue,
                    Named::Keyword(keyword) => kind = keyword,
                    Named::Other => break,
                }
            }
            match kind {
                Typedef => self.storage(&mut r, Storage::Typedef),
                Extern => self.storage(&mut r, Storage::Extern),
                Static => self.storage(&mut r, Storage::Static),
                Auto => self.storage(&mut r, Storage::Auto),
                Register => self.storage(&mut r, Storage::Register),
                ThreadLocal => r.specs.thread_local = true,
                Inline => r.specs.inline = true,
                Noreturn => r.specs.noreturn = true,
                Constexpr => {
                    r.specs.constexpr = true;
                    r.specs.quals = r.specs.quals.with(Quals::CONST);
                }
                Const => r.specs.quals = r.specs.quals.with(Quals::CONST),
                Volatile => r.specs.quals = r.specs.quals.with(Quals::VOLATILE),
                Restrict => r.specs.quals = r.specs.quals.with(Quals::RESTRICT),
                Atomic if self.peek(1) != LParen => r.specs.quals = r.specs.quals.with(Quals::ATOMIC),
                Extension => {}
                Void => self.add_word(&mut r, word::VOID),
                Char => self.add_word(&mut r, word::CHAR),
                Short => self.add_word(&mut r, word::SHORT),
                Int => self.add_word(&mut r, word::INT),
                Long if r.words & word::LONG != 0 => self.add_word(&mut r, word::LONG_LONG),
                Long => self.add_word(&mut r, word::LONG),
                Signed => self.add_word(&mut r, word::SIGNED),
                Unsigned => self.add_word(&mut r, word::UNSIGNED),
                Float | Float32 => self.add_word(&mut r, word::FLOAT),
                Double | Float64 => self.add_word(&mut r, word::DOUBLE),
                Float64x => self.add_word(&mut r, word::DOUBLE | word::LONG),
                Float16 => self.add_word(&mut r, word::FLOAT16),
                Float128 => self.add_word(&mut r, word::FLOAT128),
                Bool => self.add_word(&mut r, word::BOOL),
                Complex => self.add_word(&mut r, word::COMPLEX),
                Int128 => self.add_word(&mut r, word::INT128),
                SignedInt128 => self.set_type(&mut r, TypeSpec::Basic(TypeId::INT128), token),
                UnsignedInt128 => self.set_type(&mut r, TypeSpec::Basic(TypeId::UINT128), token),
                VaList => self.set_type(&mut r, TypeSpec::VaList, token),
                AutoType => self.set_type(&mut r, TypeSpec::Auto, token),
                Struct | Union => {
                    let record = self.nest(|p| p.record(&mut r.specs.attributes))?;
                    let defined = record.members.is_some();
                    self.set_type(&mut r, TypeSpec::Record(Box::new(record)), token);
                    if defined && self.lacks_semi(token) {
                        break;
                    }
                    continue;
                }
                Enum => {
                    let enumeration = self.enumeration(&mut r.specs.attributes)?;
                    let defined = enumeration.enumerators.is_some();
                    self.set_type(&mut r, TypeSpec::Enum(Box::new(enumeration)), token);
                    if defined && self.lacks_semi(token) {
                        break;
                    }
                    continue;
                }
                Typeof | TypeofUnqual => {
                    r.specs.unqualified |= kind == TypeofUnqual;
                    let ty = self.typeof_specifier()?;
                    self.set_type(&mut r, ty, token);
                    continue;
                }
                Atomic => {
                    self.bump();
                    let open = self.take();
                    let ty = self.type_name()?;
                    self.expect_close(open, RParen);
                    self.set_type(&mut r, TypeSpec::Atomic(Box::new(ty)), token);
                    continue;
                }
                Alignas => {
                    let align = self.alignas()?;
                    r.specs.alignas.push(align);
                    continue;
                }
                Attribute => {
                    self.attributes(&mut r.specs.attributes)?;
                    continue;
                }
                LBracket if self.at_attribute() => {
                    self.attributes(&mut r.specs.attributes)?;
                    continue;
                }
                BitInt => {
                    self.add_word(&mut r, word::BIT_INT);
                    self.bump();
                    let open = self.token();
                    self.expect(LParen, "after '_BitInt'")?;
                    r.width = Some(Box::new(self.nest(|p| p.conditional())?));
                    self.expect_close(open, RParen);
                    continue;
                }
                Decimal => {
                    let kind = match &*self.token_text(token) {
                        "_Decimal32" => DecimalKind::Decimal32,
                        "_Decimal64" => DecimalKind::Decimal64,
                        _ => DecimalKind::Decimal128,
                    };
                    self.set_type(&mut r, TypeSpec::Decimal(kind), token);
                }
                Imaginary => {
                    self.error_at(token.span(), "imaginary types are not supported");
                    self.bump();
                    self.set_type(&mut r, TypeSpec::Basic(TypeId::ERROR), token);
                    continue;
                }
                _ => break,
            }
            self.bump();
        }
        r.specs.span = self.span_from(start);
        self.finish_type(&mut r);
        Ok(r.specs)
    }

    /// Reads an identifier among the specifiers. An identifier that names a type is consumed.
    fn named_specifier(&mut self, r: &mut Reading, place: Place, token: Token) -> Named {
        match self.meaning(token.symbol()) {
            Meaning::Typedef if !r.has_type() => {
                self.bump();
                self.set_type(r, TypeSpec::Typedef(token.symbol(), token.span()), token);
                Named::Type
            }
            Meaning::UnknownType if !r.has_type() => {
                self.bump();
                self.set_type(r, TypeSpec::Basic(TypeId::ERROR), token);
                Named::Type
            }
            Meaning::Keyword => {
                let kind = self.keyword_of(token);
                // After a type, such a word is the declared name. `_Complex` alone does not count as a type.
                let half = r.words == word::COMPLEX && !r.other_type;
                let is_name = r.has_type() && !half && (is_type_word(kind) || self.declarator_ends_at(1));
                if is_name { Named::Other } else { Named::Keyword(kind) }
            }
            Meaning::Ordinary | Meaning::Undeclared if !r.has_type() && self.looks_like_type(place, r) => {
                let name = self.interner.name(token.symbol()).to_owned();
                self.error_at(token.span(), format!("unknown type name '{name}'"));
                self.declare_unknown_type(token.symbol());
                self.bump();
                self.set_type(r, TypeSpec::Basic(TypeId::ERROR), token);
                Named::Type
            }
            _ => Named::Other,
        }
    }

    /// Reports a missing semicolon after `struct s { … }` if another declaration starts on the next line.
    fn lacks_semi(&mut self, keyword: Token) -> bool {
        use TokenKind::*;
        let type_starts = |token: &Token| {
            self.starts_type_name(*token)
                && !matches!(token.kind, Const | Volatile | Restrict | Atomic | Attribute | Ident)
        };
        let new = match self.kind() {
            Typedef => true,
            Static | Extern | Inline => self.tokens.get(self.pos + 1).is_some_and(type_starts),
            _ => type_starts(&self.token()),
        };
        if !new || !self.starts_line(self.pos) {
            return false;
        }
        let message = format!("expected ';' after {}, found {}", keyword.kind.text(), self.found());
        self.error_at(self.place_behind(), message);
        true
    }

    /// Returns whether the token `ahead` ends a declarator that consists of a single name.
    fn declarator_ends_at(&self, ahead: usize) -> bool {
        use TokenKind::*;
        matches!(self.peek(ahead), Semi | Comma | Eq | RParen | LBracket | Colon)
    }

    /// Returns whether an identifier that is not a type was probably meant as one.
    fn looks_like_type(&self, place: Place, r: &Reading) -> bool {
        let undeclared = self.meaning(self.token().symbol()) == Meaning::Undeclared;
        match self.peek(1) {
            TokenKind::Ident => true,
            TokenKind::Star => match place {
                Place::File | Place::Type => true,
                Place::Block => {
                    let after = (2..).find(|&ahead| self.peek(ahead) != TokenKind::Star).unwrap_or(2);
                    undeclared
                        && self.peek(after) == TokenKind::Ident
                        && matches!(self.peek(after + 1), TokenKind::Semi | TokenKind::Eq | TokenKind::Comma)
                }
            },
            // A lone name is a declarator with implicit int (`static x;`), except where only a type is possible.
            TokenKind::RParen | TokenKind::Comma => place == Place::Type && undeclared && r.specs.storage.is_none(),
            _ => false,
        }
    }

    /// Returns whether a block item that starts with an identifier is a declaration with an unknown type.
    pub(super) fn at_unknown_type(&self) -> bool {
        if !self.at(TokenKind::Ident) {
            return false;
        }
        let undeclared = self.meaning(self.token().symbol()) == Meaning::Undeclared;
        match self.peek(1) {
            TokenKind::Ident => {
                let name = self.tokens[self.pos + 1];
                // `a b` with two declared names is more likely a missing operator.
                let fresh = undeclared || self.meaning(name.symbol()) == Meaning::Undeclared;
                fresh
                    && matches!(
                        self.peek(2),
                        TokenKind::Semi | TokenKind::Eq | TokenKind::Comma | TokenKind::LBracket | TokenKind::LParen
                    )
            }
            TokenKind::Star if undeclared => {
                let after = (2..).find(|&ahead| self.peek(ahead) != TokenKind::Star).unwrap_or(2);
                self.peek(after) == TokenKind::Ident
                    && matches!(self.peek(after + 1), TokenKind::Semi | TokenKind::Eq | TokenKind::Comma)
            }
            _ => false,
        }
    }

    fn storage(&mut self, r: &mut Reading, storage: Storage) {
        match r.specs.storage {
            None => r.specs.storage = Some(storage),
            Some(before) if before == storage => {}
            // C23: `auto` with another storage class requests the type of the initialiser.
            Some(Storage::Auto) => r.specs.storage = Some(storage),
            Some(_) if storage == Storage::Auto => self.set_type(r, TypeSpec::Auto, self.token()),
            Some(_) => {
                let token = self.token();
                self.error_at(token.span(), "cannot combine with previous storage class");
            }
        }
    }

    fn set_type(&mut self, r: &mut Reading, ty: TypeSpec, token: Token) {
        if r.other_type || r.words != 0 {
            self.cannot_combine(r, token);
            return;
        }
        r.other_type = true;
        r.specs.ty = ty;
    }

    fn add_word(&mut self, r: &mut Reading, bits: u32) {
        let words = r.words | bits;
        let twice = r.words & bits != 0;
        if r.other_type || twice || (words & !word::COMPLEX != 0 && basic_type(words & !word::COMPLEX).is_none()) {
            let token = self.token();
            self.cannot_combine(r, token);
            return;
        }
        r.words = words;
    }

    #[cold]
    fn cannot_combine(&mut self, r: &mut Reading, token: Token) {
        if !matches!(r.specs.ty, TypeSpec::Basic(TypeId::ERROR)) {
            let text = self.token_text(token).into_owned();
            self.error_at(token.span(), format!("cannot combine '{text}' with the previous type specifier"));
        }
        r.words = 0;
        r.other_type = true;
        r.specs.ty = TypeSpec::Basic(TypeId::ERROR);
    }

    /// Combines the keywords into the type that they name.
    fn finish_type(&mut self, r: &mut Reading) {
        if r.words == 0 {
            return;
        }
        let plain = r.words & !word::COMPLEX;
        let complex = r.words & word::COMPLEX != 0;
        // GNU C: `_Complex` alone means `_Complex double`.
        let ty = if plain == 0 { Some(TypeId::DOUBLE) } else { basic_type(plain) };
        let width = r.width.take();
        r.specs.ty = match (ty, complex) {
            (Some(ty), false) => match width {
                Some(width) => TypeSpec::BitInt { unsigned: ty == TypeId::UINT, width },
                None => TypeSpec::Basic(ty),
            },
            (Some(ty), true) if width.is_none() && !matches!(ty, TypeId::VOID | TypeId::BOOL) => TypeSpec::Complex(ty),
            (Some(_), true) => {
                self.report(Diagnostic::error(r.specs.span, "invalid type for '_Complex'"));
                TypeSpec::Basic(TypeId::ERROR)
            }
            (None, _) => TypeSpec::Basic(TypeId::ERROR),
        };
    }

    /// Parses `typeof(type)` or `typeof(expression)`.
    fn typeof_specifier(&mut self) -> Parse<TypeSpec> {
        self.bump();
        let open = self.token();
        self.expect(TokenKind::LParen, "after 'typeof'")?;
        let ty = self.nest(|p| {
            Ok(if p.at_parenthesised_type() {
                TypeSpec::TypeofType(Box::new(p.type_name()?))
            } else {
                TypeSpec::TypeofExpr(Box::new(p.expression()?))
            })
        })?;
        self.expect_close(open, TokenKind::RParen);
        Ok(ty)
    }

    fn alignas(&mut self) -> Parse<AlignAs> {
        self.bump();
        let open = self.token();
        self.expect(TokenKind::LParen, "after 'alignas'")?;
        let align =
            if self.at_type_name() { AlignAs::Type(self.type_name()?) } else { AlignAs::Expr(self.conditional()?) };
        self.expect_close(open, TokenKind::RParen);
        Ok(align)
    }
}

/// Returns whether a keyword can start a type name.
fn is_type_word(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Void | Char
            | Short
            | Int
            | Long
            | Signed
            | Unsigned
            | Float
            | Double
            | Bool
            | Complex
            | Imaginary
            | Int128
            | SignedInt128
            | UnsignedInt128
            | VaList
            | AutoType
            | Struct
            | Union
            | Enum
            | Typeof
            | TypeofUnqual
            | Atomic
            | Const
            | Volatile
            | Restrict
            | Attribute
            | BitInt
            | Decimal
            | Float16
            | Float32
            | Float64
            | Float64x
            | Float128
    )
}

/// Returns the type that the keywords name together, or `None` if they do not form a type.
fn basic_type(words: u32) -> Option<TypeId> {
    use word::*;
    const LONG_LONG_INT: u32 = LONG | LONG_LONG;
    // `int` is redundant next to these, and `signed` matters only for `char`.
    let sized = if words & (SHORT | LONG | SIGNED | UNSIGNED) != 0 { words & !INT } else { words };
    Some(match sized {
        VOID => TypeId::VOID,
        BOOL => TypeId::BOOL,
        CHAR => TypeId::CHAR,
        w if w == CHAR | SIGNED => TypeId::SCHAR,
        w if w == CHAR | UNSIGNED => TypeId::UCHAR,
        SHORT => TypeId::SHORT,
        w if w == SHORT | SIGNED => TypeId::SHORT,
        w if w == SHORT | UNSIGNED => TypeId::USHORT,
        INT | SIGNED => TypeId::INT,
        UNSIGNED => TypeId::UINT,
        LONG => TypeId::LONG,
        w if w == LONG | SIGNED => TypeId::LONG,
        w if w == LONG | UNSIGNED => TypeId::ULONG,
        LONG_LONG_INT => TypeId::LONG_LONG,
        w if w == LONG_LONG_INT | SIGNED => TypeId::LONG_LONG,
        w if w == LONG_LONG_INT | UNSIGNED => TypeId::ULONG_LONG,
        INT128 => TypeId::INT128,
        w if w == INT128 | SIGNED => TypeId::INT128,
        w if w == INT128 | UNSIGNED => TypeId::UINT128,
        BIT_INT => TypeId::INT,
        w if w == BIT_INT | SIGNED => TypeId::INT,
        w if w == BIT_INT | UNSIGNED => TypeId::UINT,
        FLOAT => TypeId::FLOAT,
        DOUBLE => TypeId::DOUBLE,
        w if w == DOUBLE | LONG => TypeId::LONG_DOUBLE,
        FLOAT16 => TypeId::FLOAT16,
        FLOAT128 => TypeId::FLOAT128,
        _ => return None,
    })
}
