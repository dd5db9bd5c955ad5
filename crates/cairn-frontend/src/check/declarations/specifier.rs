//! Declaration specifiers and attributes.

use cairn_ir::ctype::{IntKind, QualType, Quals, Type, TypeId};
use cairn_ir::layout::{self, int_signed};
use cairn_ir::program::AllocatedSize;
use cairn_ir::source::Span;

use crate::ast::{AlignAs, Attribute, DeclSpecs, ExprKind, TypeName, TypeSpec};
use crate::check::Checker;
use crate::check::constants::integer;
use crate::check::declarations::scope::Entity;
use crate::hir::Unasked;
use crate::limits::MAX_VECTOR_BYTES;
use crate::symbol::{Interner, Symbol};

macro_rules! names {
    ($($field:ident = $text:literal,)*) => {
        /// Interned names that the checker compares with.
        #[derive(Debug)]
        pub(crate) struct Names { $(pub $field: Symbol,)* }

        impl Names {
            pub fn new(interner: &mut Interner) -> Self {
                Self { $($field: interner.intern($text),)* }
            }
        }
    };
}

names! {
    aligned = "aligned",
    packed = "packed",
    mode = "mode",
    vector_size = "vector_size",
    transparent_union = "transparent_union",
    weak = "weak",
    alias = "alias",
    noreturn = "noreturn",
    c11_noreturn = "_Noreturn",
    cleanup = "cleanup",
    gnu_inline = "gnu_inline",
    malloc = "malloc",
    alloc_size = "alloc_size",
    constructor = "constructor",
    destructor = "destructor",
    ifunc = "ifunc",
    scalar_storage_order = "scalar_storage_order",
    ms_struct = "ms_struct",
    weakref = "weakref",
    section = "section",
    func = "__func__",
    function = "__FUNCTION__",
    pretty_function = "__PRETTY_FUNCTION__",
    alloca = "alloca",
}

/// The attributes of a declaration that affect checking.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// The alignment requested by `aligned(n)` and `_Alignas`; 0 for none.
    pub align: u64,
    pub packed: bool,
    pub mode: Option<Symbol>,
    pub vector: Option<u64>,
    pub transparent: bool,
    pub weak: bool,
    pub noreturn: bool,
    pub gnu_inline: bool,
    /// Whether the function returns newly allocated memory: `malloc`.
    pub malloc: bool,
    /// The size of the returned memory: `alloc_size(n)` or `alloc_size(n, m)`.
    pub alloc_size: Option<AllocatedSize>,
    pub alias: Option<String>,
    pub cleanup: Option<(Symbol, Span)>,
    pub unasked: Unasked,
}

/// A specified type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Specified {
    pub ty: QualType,
    /// The alignment that a type name carries; 0 for none.
    pub align: u64,
}

/// Returns whether the start-up code runs what a section holds, before `main` or at the end.
fn runs_unasked(section: &str) -> bool {
    let arrays = [".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"];
    [".init", ".fini"].contains(&section) || arrays.iter().any(|array| section.starts_with(array))
}

impl Checker<'_> {
    pub(crate) fn attributes(&mut self, attributes: &[Attribute], out: &mut Attributes) {
        for attribute in attributes {
            let name = attribute.name;
            if name == self.names.aligned {
                let align = match attribute.args.first() {
                    Some(arg) => self.alignment(arg),
                    None => 16,
                };
                out.align = out.align.max(align);
            } else if name == self.names.packed {
                out.packed = true;
            } else if name == self.names.mode {
                if let Some(ExprKind::Ident(mode)) = attribute.args.first().map(|a| &a.kind) {
                    out.mode = Some(*mode);
                }
            } else if name == self.names.vector_size {
                if let Some(arg) = attribute.args.first() {
                    out.vector = self.constant_integer(arg).and_then(|v| u64::try_from(v).ok());
                }
            } else if name == self.names.transparent_union {
                out.transparent = true;
            } else if name == self.names.weak {
                out.weak = true;
            } else if name == self.names.noreturn || name == self.names.c11_noreturn {
                out.noreturn = true;
            } else if name == self.names.gnu_inline {
                out.gnu_inline = true;
            } else if name == self.names.malloc {
                out.malloc = true;
            } else if name == self.names.alloc_size {
                let mut argument = |index: usize| {
                    let number = attribute.args.get(index).and_then(|arg| self.constant_integer(arg));
                    number.and_then(|number| u32::try_from(number.checked_sub(1)?).ok())
                };
                let (size, count) = (argument(0), argument(1));
                out.alloc_size = size.map(|size| AllocatedSize { size, count });
            } else if name == self.names.alias {
                if let Some(ExprKind::String(text)) = attribute.args.first().map(|a| &a.kind) {
                    out.alias = Some(text.units.iter().filter_map(|&u| char::from_u32(u)).collect());
                }
            } else if name == self.names.cleanup {
                if let Some(ExprKind::Ident(function)) = attribute.args.first().map(|a| &a.kind) {
                    out.cleanup = Some((*function, attribute.span));
                }
            } else if name == self.names.constructor || name == self.names.destructor {
                let priority = attribute.args.first().and_then(|arg| self.constant_integer(arg));
                let priority = priority.and_then(|value| u16::try_from(value).ok()).unwrap_or(u16::MAX);
                if name == self.names.constructor {
                    out.unasked.before_main = Some(priority);
                } else {
                    out.unasked.at_exit = Some(priority);
                }
            } else if [self.names.ifunc, self.names.scalar_storage_order, self.names.ms_struct, self.names.weakref]
                .contains(&name)
            {
                let text = format!("attribute '{}' is not supported", self.name(name));
                self.error(attribute.span, text);
            } else if name == self.names.section
                && let Some(ExprKind::String(text)) = attribute.args.first().map(|a| &a.kind)
            {
                let section: String = text.units.iter().filter_map(|&u| char::from_u32(u)).collect();
                if runs_unasked(&section) {
                    self.error(attribute.span, format!("section '{section}' is not supported"));
                }
            }
        }
    }

    /// Evaluates an alignment, which must be a power of two or 0.
    fn alignment(&mut self, expr: &crate::ast::Expr) -> u64 {
        let Some(value) = self.constant_integer(expr) else { return 0 };
        match u64::try_from(value) {
            Ok(0) => 0,
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => align,
            _ => {
                self.error(expr.span, "requested alignment is not a power of 2");
                0
            }
        }
    }

    pub(crate) fn alignas(&mut self, list: &[AlignAs], out: &mut Attributes) {
        for entry in list {
            let align = match entry {
                AlignAs::Type(name) => {
                    let ty = self.type_name_unevaluated(name);
                    layout::align_of(self.types, self.target, ty.ty)
                }
                AlignAs::Expr(expr) => self.alignment(expr),
            };
            out.align = out.align.max(align);
        }
    }

    /// Returns the type that the specifiers name.
    ///
    /// `alone` means that no declarator follows, in which case `struct s;` declares a new struct.
    pub(crate) fn specifiers(&mut self, specs: &DeclSpecs, alone: bool) -> Specified {
        let mut align = 0;
        let ty = match &specs.ty {
            TypeSpec::Basic(ty) => QualType::plain(*ty),
            TypeSpec::Complex(real) => QualType::plain(self.types.intern(Type::Complex(*real))),
            TypeSpec::BitInt { unsigned, width } => QualType::plain(self.bit_precise(!unsigned, width)),
            TypeSpec::Decimal(kind) => QualType::plain(self.types.intern(Type::Decimal(*kind))),
            TypeSpec::Record(spec) => QualType::plain(self.record_specifier(spec, alone)),
            TypeSpec::Enum(spec) => QualType::plain(self.enum_specifier(spec, alone)),
            TypeSpec::Typedef(name, span) => match self.scopes.lookup(*name) {
                Some(Entity::Typedef(ty, typedef_align)) => {
                    align = typedef_align;
                    ty
                }
                Some(Entity::Error) => QualType::plain(TypeId::ERROR),
                _ => {
                    let text = format!("unknown type name '{}'", self.name(*name));
                    self.error(*span, text);
                    QualType::plain(TypeId::ERROR)
                }
            },
            TypeSpec::TypeofExpr(expr) => self.typeof_expr(expr),
            TypeSpec::TypeofType(name) => self.type_name(name),
            TypeSpec::Atomic(name) => {
                let ty = self.type_name(name);
                QualType { ty: ty.ty, quals: ty.quals.with(Quals::ATOMIC) }
            }
            TypeSpec::Auto => {
                self.error(specs.span, "'__auto_type' is only allowed in a declaration with an initializer");
                QualType::plain(TypeId::ERROR)
            }
            TypeSpec::VaList => QualType::plain(self.va_list_type()),
            TypeSpec::Implicit => {
                self.warning(specs.span, "type specifier missing, defaults to 'int'");
                QualType::plain(TypeId::INT)
            }
        };
        let ty = if specs.unqualified { self.unqualified(ty) } else { ty };
        Specified { ty: self.qualify(ty, specs.quals), align }
    }

    /// Returns the type `_BitInt(width)`.
    fn bit_precise(&mut self, signed: bool, width: &crate::ast::Expr) -> TypeId {
        let Some(value) = self.constant_integer(width) else { return TypeId::ERROR };
        let least = if signed { 2 } else { 1 };
        match u8::try_from(value) {
            Ok(width @ 1..=128) if i128::from(width) >= least => {
                self.types.intern(Type::Int(IntKind::BitInt { width, signed }))
            }
            _ => {
                let text = if value < least {
                    format!("'_BitInt' must have at least {least} bit{}", if signed { "s" } else { "" })
                } else {
                    "'_BitInt' of more than 128 bits is not supported".to_owned()
                };
                self.error(width.span, text);
                TypeId::ERROR
            }
        }
    }

    /// Removes all qualifiers, including those of array elements.
    fn unqualified(&mut self, ty: QualType) -> QualType {
        if let Type::Array(element, len) = *self.types.get(ty.ty) {
            let element = self.unqualified(element);
            return QualType::plain(self.types.intern(Type::Array(element, len)));
        }
        QualType::plain(ty.ty)
    }

    /// Returns the type of an unevaluated expression, including the qualifiers of an lvalue.
    fn typeof_expr(&mut self, expr: &crate::ast::Expr) -> QualType {
        match self.operand(expr) {
            crate::check::expressions::expr::Operand::Place(place) => place.ty,
            crate::check::expressions::expr::Operand::Value(value) => QualType::plain(self.type_of_value(&value)),
        }
    }

    /// Returns the type of a type name. Dimensions to be evaluated are added to `pending`.
    pub(crate) fn type_name(&mut self, name: &TypeName) -> QualType {
        self.type_name_aligned(name).ty
    }

    pub(crate) fn type_name_aligned(&mut self, name: &TypeName) -> Specified {
        let specified = self.specifiers(&name.specs, false);
        let mut attributes = Attributes::default();
        self.attributes(&name.specs.attributes, &mut attributes);
        self.attributes(&name.declarator.attributes, &mut attributes);
        let base = self.apply_type_attributes(specified.ty, &attributes, name.span);
        let ty = self.declarator_type(base, &name.declarator.steps, name.declarator.span);
        let align = if name.declarator.steps.is_empty() { specified.align.max(attributes.align) } else { 0 };
        Specified { ty, align }
    }

    /// Returns the type of a type name without evaluating its dimensions.
    pub(crate) fn type_name_unevaluated(&mut self, name: &TypeName) -> QualType {
        let pending = std::mem::take(&mut self.pending);
        let ty = self.type_name(name);
        self.pending = pending;
        ty
    }

    /// Applies `mode` and `vector_size`, which change the type itself.
    pub(crate) fn apply_type_attributes(&mut self, ty: QualType, attributes: &Attributes, span: Span) -> QualType {
        let mut ty = ty;
        if let Some(mode) = attributes.mode {
            ty.ty = self.apply_mode(ty.ty, mode, span);
        }
        if let Some(bytes) = attributes.vector {
            let element = self.size_of(ty.ty).filter(|&s| s > 0);
            match element {
                Some(size)
                    if self.is_arithmetic(ty.ty) && bytes > 0 && bytes % size == 0 && bytes <= MAX_VECTOR_BYTES =>
                {
                    ty.ty = self.types.intern(Type::Vector(ty.ty, bytes));
                }
                _ if self.is_error(ty.ty) => {}
                _ => {
                    let text = format!("invalid vector of {bytes} bytes of element type '{}'", self.print(ty.ty));
                    self.error(span, text);
                }
            }
        }
        ty
    }

    fn apply_mode(&mut self, ty: TypeId, mode: Symbol, span: Span) -> TypeId {
        let name = self.interner.name(mode).trim_matches('_').to_owned();
        let bits = match name.as_str() {
            "QI" | "byte" => 8,
            "HI" => 16,
            "SI" => 32,
            "DI" => 64,
            "TI" => 128,
            "word" | "pointer" | "unwind_word" => self.target.pointer_bits(),
            "libgcc_cmp_return" | "libgcc_shift_count" => self.target.pointer_bits(),
            _ => 0,
        };
        if let Some(kind) = self.int_kind(ty)
            && let Some(kind) = self.int_of_width(bits, int_signed(kind))
        {
            return integer::type_of(kind);
        }
        let complex = self.is_complex(ty);
        let float = match name.as_str() {
            "HF" | "HC" => Some(cairn_ir::ctype::FloatKind::Float16),
            "SF" | "SC" => Some(cairn_ir::ctype::FloatKind::Float),
            "DF" | "DC" => Some(cairn_ir::ctype::FloatKind::Double),
            "XF" | "XC" => Some(cairn_ir::ctype::FloatKind::LongDouble),
            "TF" | "TC" => Some(cairn_ir::ctype::FloatKind::Float128),
            _ => None,
        };
        match float {
            Some(kind) if complex || name.ends_with('C') => {
                self.types.intern(Type::Complex(crate::check::types::convert::float_type(kind)))
            }
            Some(kind) => self.types.intern(Type::Float(kind)),
            None if self.is_pointer(ty) && bits == self.target.pointer_bits() => ty,
            None if self.is_error(ty) => ty,
            None => {
                let text = format!("mode '{name}' is not supported for type '{}'", self.print(ty));
                self.error(span, text);
                ty
            }
        }
    }

    /// Returns the alignment of a type, or its explicit alignment `align` if that is not 0.
    ///
    /// Under ILP32, the preferred alignment of `long long` and `double` exceeds the minimum one.
    pub(crate) fn alignof_type(&self, ty: TypeId, align: u64, preferred: bool) -> u64 {
        match (align, preferred) {
            (0, false) => layout::align_of(self.types, self.target, ty),
            (0, true) => layout::preferred_align_of(self.types, self.target, ty),
            (align, _) => align,
        }
    }
}
