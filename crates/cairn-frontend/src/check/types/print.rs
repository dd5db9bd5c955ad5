//! Prints types in C syntax for messages.

use std::borrow::Cow;

use cairn_ir::ctype::{ArrayLen, DecimalKind, FloatKind, IntKind, QualType, Quals, Type, TypeId};

use crate::check::Checker;

impl Checker<'_> {
    pub(crate) fn print(&self, ty: TypeId) -> String {
        self.print_qual(QualType::plain(ty))
    }

    /// Prints a type such as `int (*)[3]` or `const char *`.
    pub(crate) fn print_qual(&self, ty: QualType) -> String {
        self.print_around(ty, String::new())
    }

    /// Prints a type around `inner`, which stands for the declared name.
    fn print_around(&self, ty: QualType, inner: String) -> String {
        let with_base = |base: &str| {
            let quals = quals_text(ty.quals);
            let space = if inner.is_empty() || inner.starts_with('[') { "" } else { " " };
            let space = if inner.starts_with('(') && !inner.starts_with("(*") { "" } else { space };
            let space = if inner.starts_with('[') { " " } else { space };
            let space = if inner.starts_with('(') { " " } else { space };
            format!("{quals}{base}{space}{inner}")
        };
        match self.types.get(ty.ty) {
            Type::Void => with_base("void"),
            Type::Int(kind) => with_base(&int_name(*kind)),
            Type::Float(kind) => with_base(float_name(*kind)),
            Type::Decimal(DecimalKind::Decimal32) => with_base("_Decimal32"),
            Type::Decimal(DecimalKind::Decimal64) => with_base("_Decimal64"),
            Type::Decimal(DecimalKind::Decimal128) => with_base("_Decimal128"),
            Type::Complex(real) => with_base(&format!("_Complex {}", self.print(*real))),
            Type::Error => with_base("<error>"),
            Type::Record(id) => {
                let record = self.types.record(*id);
                let word = if record.union { "union" } else { "struct" };
                match &record.tag {
                    Some(tag) => with_base(&format!("{word} {tag}")),
                    None => with_base(&format!("{word} (unnamed)")),
                }
            }
            Type::Enum(id) => match &self.types.enumeration(*id).tag {
                Some(tag) => with_base(&format!("enum {tag}")),
                None => with_base("enum (unnamed)"),
            },
            Type::Vector(element, bytes) => {
                let element = self.print(*element);
                with_base(&format!("__attribute__((vector_size({bytes}))) {element}"))
            }
            Type::Pointer(to) => {
                let quals = quals_text(ty.quals);
                let quals = quals.trim_end();
                let mut text = format!("*{quals}");
                if !quals.is_empty() && !inner.is_empty() && !inner.starts_with(['(', '[']) {
                    text.push(' ');
                }
                text.push_str(&inner);
                if matches!(self.types.get(to.ty), Type::Array(..) | Type::Function(_)) {
                    text = format!("({text})");
                }
                self.print_around(*to, text)
            }
            Type::Array(element, len) => {
                let len = match len {
                    ArrayLen::Fixed(n) => n.to_string(),
                    ArrayLen::Unknown => String::new(),
                    ArrayLen::Variable(_) => "*".to_owned(),
                };
                let element = QualType { ty: element.ty, quals: element.quals.with(ty.quals) };
                self.print_around(element, format!("{inner}[{len}]"))
            }
            Type::Function(function) => {
                let mut params: Vec<String> = function.params.iter().map(|&p| self.print(p)).collect();
                if function.variadic {
                    params.push("...".to_owned());
                } else if params.is_empty() && function.prototyped {
                    params.push("void".to_owned());
                }
                self.print_around(function.ret, format!("{inner}({})", params.join(", ")))
            }
        }
    }
}

fn quals_text(quals: Quals) -> String {
    let mut text = String::new();
    for (qual, word) in [
        (Quals::CONST, "const "),
        (Quals::VOLATILE, "volatile "),
        (Quals::RESTRICT, "restrict "),
        (Quals::ATOMIC, "_Atomic "),
    ] {
        if quals.has(qual) {
            text.push_str(word);
        }
    }
    text
}

fn int_name(kind: IntKind) -> Cow<'static, str> {
    let name = match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
        IntKind::BitInt { width, signed } => {
            return format!("{}_BitInt({width})", if signed { "" } else { "unsigned " }).into();
        }
        IntKind::Field { width, signed } => {
            return format!("{}:{width}", if signed { "long long" } else { "unsigned long long" }).into();
        }
    };
    name.into()
}

pub(crate) fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float128 => "_Float128",
    }
}
