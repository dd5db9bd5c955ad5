//! Type predicates, compatibility, and composite types.

pub(crate) mod convert;
pub(crate) mod print;
pub(crate) mod size;

use cairn_ir::ctype::{ArrayLen, FloatKind, FunctionType, IntKind, QualType, Quals, RecordId, Type, TypeId};
use cairn_ir::layout::{self, Target};

use crate::check::Checker;

impl Checker<'_> {
    pub(crate) fn is_error(&self, ty: TypeId) -> bool {
        ty == TypeId::ERROR
    }

    /// Returns the integer type that represents an integer or enumeration type.
    pub(crate) fn int_kind(&self, ty: TypeId) -> Option<IntKind> {
        match *self.types.get(ty) {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => Some(self.types.enumeration(id).repr),
            _ => None,
        }
    }

    pub(crate) fn float_kind(&self, ty: TypeId) -> Option<FloatKind> {
        match *self.types.get(ty) {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    pub(crate) fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Int(_) | Type::Enum(_))
    }

    pub(crate) fn is_complex(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Complex(_))
    }

    pub(crate) fn is_vector(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Vector(..))
    }

    /// Returns whether the type is arithmetic, real or complex.
    pub(crate) fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(
            self.types.get(ty),
            Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Decimal(_) | Type::Complex(_)
        )
    }

    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Pointer(_))
    }

    pub(crate) fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty)
    }

    pub(crate) fn is_function(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Function(_))
    }

    pub(crate) fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Array(..))
    }

    pub(crate) fn pointee(&self, ty: TypeId) -> Option<QualType> {
        match *self.types.get(ty) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    pub(crate) fn record_of(&self, ty: TypeId) -> Option<RecordId> {
        match *self.types.get(ty) {
            Type::Record(id) => Some(id),
            _ => None,
        }
    }

    pub(crate) fn size_of(&self, ty: TypeId) -> Option<u64> {
        layout::size_of(self.types, self.target, ty)
    }

    /// Returns whether the size is known only at run time.
    pub(crate) fn is_variable_size(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Array(_, ArrayLen::Variable(_)) => true,
            Type::Array(element, _) => self.is_variable_size(element.ty),
            _ => false,
        }
    }

    pub(crate) fn is_incomplete(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Void => true,
            Type::Record(id) => !self.types.record(id).complete,
            Type::Enum(id) => !self.types.enumeration(id).complete,
            Type::Array(_, ArrayLen::Unknown) => true,
            Type::Array(element, _) => self.is_incomplete(element.ty),
            _ => false,
        }
    }

    pub(crate) fn size_type(&self) -> TypeId {
        match self.target {
            Target::Ilp32 => TypeId::UINT,
            Target::Lp64 => TypeId::ULONG,
        }
    }

    pub(crate) fn ptrdiff_type(&self) -> TypeId {
        match self.target {
            Target::Ilp32 => TypeId::INT,
            Target::Lp64 => TypeId::LONG,
        }
    }

    pub(crate) fn wchar_type(&self) -> TypeId {
        match self.target {
            Target::Ilp32 => TypeId::LONG,
            Target::Lp64 => TypeId::INT,
        }
    }

    /// Adds qualifiers. Those of an array apply to its elements.
    pub(crate) fn qualify(&mut self, ty: QualType, quals: Quals) -> QualType {
        if quals == Quals::NONE {
            return ty;
        }
        if let Type::Array(element, len) = *self.types.get(ty.ty) {
            let element = self.qualify(element, quals);
            return QualType { ty: self.types.intern(Type::Array(element, len)), quals: ty.quals };
        }
        QualType { ty: ty.ty, quals: ty.quals.with(quals) }
    }

    /// Returns the type with the qualifiers of an array's elements applied to the array as well.
    pub(crate) fn outer_quals(&self, ty: QualType) -> QualType {
        let mut quals = ty.quals;
        let mut at = ty.ty;
        while let Type::Array(element, _) = *self.types.get(at) {
            quals = quals.with(element.quals);
            at = element.ty;
        }
        QualType { ty: ty.ty, quals }
    }

    /// Returns the adjusted type of a parameter: arrays and functions become pointers.
    pub(crate) fn adjust_param(&mut self, ty: QualType) -> QualType {
        match *self.types.get(ty.ty) {
            Type::Array(element, _) => QualType { ty: self.types.pointer(element), quals: ty.quals },
            Type::Function(_) => QualType::plain(self.types.pointer(QualType::plain(ty.ty))),
            _ => ty,
        }
    }

    /// Returns whether two types are compatible, ignoring top-level qualifiers.
    pub(crate) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b || a == TypeId::ERROR || b == TypeId::ERROR {
            return true;
        }
        match (self.types.get(a), self.types.get(b)) {
            (Type::Pointer(x), Type::Pointer(y)) => self.compatible_qual(*x, *y),
            (Type::Array(x, n), Type::Array(y, m)) => {
                self.compatible_qual(*x, *y)
                    && match (n, m) {
                        (ArrayLen::Fixed(n), ArrayLen::Fixed(m)) => n == m,
                        _ => true,
                    }
            }
            (Type::Enum(id), Type::Int(kind)) | (Type::Int(kind), Type::Enum(id)) => {
                self.types.enumeration(*id).repr == *kind
            }
            (Type::Function(f), Type::Function(g)) => self.compatible_functions(f, g),
            (Type::Vector(x, n), Type::Vector(y, m)) => n == m && self.compatible(*x, *y),
            _ => false,
        }
    }

    /// Returns whether two qualified types are compatible.
    pub(crate) fn compatible_qual(&self, a: QualType, b: QualType) -> bool {
        a.quals == b.quals && self.compatible(a.ty, b.ty)
    }

    fn compatible_functions(&self, f: &FunctionType, g: &FunctionType) -> bool {
        if !self.compatible(f.ret.ty, g.ret.ty) {
            return false;
        }
        match (f.prototyped, g.prototyped) {
            (true, true) => {
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && f.params.iter().zip(&g.params).all(|(&p, &q)| self.compatible_params(p, q))
            }
            (false, false) => true,
            (true, false) => self.compatible_without_prototype(f, g),
            (false, true) => self.compatible_without_prototype(g, f),
        }
    }

    /// Returns whether two parameter types are compatible.
    ///
    /// A transparent union is passed like its members, so it is compatible with each member type.
    fn compatible_params(&self, p: TypeId, q: TypeId) -> bool {
        let member = |union: TypeId, other: TypeId| {
            self.record_of(union).map(|id| self.types.record(id)).is_some_and(|record| {
                record.transparent && record.fields.iter().any(|field| self.compatible(field.ty.ty, other))
            })
        };
        self.compatible(p, q) || member(p, q) || member(q, p)
    }

    /// Returns whether a prototype is compatible with a function type without one.
    ///
    /// The parameters must be unchanged by the default promotions, and must agree with those of a K&R definition.
    fn compatible_without_prototype(&self, prototype: &FunctionType, other: &FunctionType) -> bool {
        if !other.params.is_empty() {
            return prototype.params.len() == other.params.len()
                && prototype
                    .params
                    .iter()
                    .zip(&other.params)
                    .all(|(&p, &q)| self.compatible(p, self.promoted_type(q)) || self.compatible(p, q));
        }
        !prototype.variadic && prototype.params.iter().all(|&p| self.compatible(p, self.promoted_type(p)))
    }

    /// Returns the type after the default argument promotions.
    pub(crate) fn promoted_type(&self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Float(FloatKind::Float) => TypeId::DOUBLE,
            Type::Int(_) | Type::Enum(_) => self.promoted_int(ty),
            _ => ty,
        }
    }

    /// Returns the composite of two compatible types.
    pub(crate) fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b || b == TypeId::ERROR {
            return a;
        }
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                let ty = self.composite(x.ty, y.ty);
                self.types.pointer(QualType { ty, quals: x.quals })
            }
            (Type::Array(x, n), Type::Array(y, m)) => {
                let ty = self.composite(x.ty, y.ty);
                let len = match (n, m) {
                    (ArrayLen::Fixed(_), _) => n,
                    (_, ArrayLen::Fixed(_)) => m,
                    (ArrayLen::Unknown, _) => m,
                    _ => n,
                };
                self.types.intern(Type::Array(QualType { ty, quals: x.quals }, len))
            }
            (Type::Function(f), Type::Function(g)) => {
                let ret = QualType { ty: self.composite(f.ret.ty, g.ret.ty), quals: f.ret.quals };
                let (base, other) = if f.prototyped || !g.prototyped { (f, g) } else { (g, f) };
                let params = if base.prototyped && other.prototyped {
                    base.params.iter().zip(&other.params).map(|(&p, &q)| self.composite(p, q)).collect()
                } else if base.params.is_empty() && !base.prototyped {
                    other.params
                } else {
                    base.params
                };
                let function = FunctionType { ret, params, variadic: base.variadic, prototyped: base.prototyped };
                self.types.intern(Type::Function(function))
            }
            // An enumeration is more specific than its integer type.
            (Type::Int(_), Type::Enum(_)) => b,
            _ => a,
        }
    }

    /// Returns `__builtin_va_list`: an array of one struct under LP64, a pointer under ILP32.
    pub(crate) fn va_list_type(&mut self) -> TypeId {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let ty = match self.target {
            Target::Ilp32 => TypeId::CHAR_PTR,
            Target::Lp64 => {
                let field = |name: &str, ty| cairn_ir::ctype::Field {
                    name: Some(name.into()),
                    ty: QualType::plain(ty),
                    bit_width: None,
                    packed: false,
                    align: 0,
                    offset: 0,
                    bit_start: 0,
                };
                // Names and size follow the System V ABI, but the first word is the address of the next argument.
                let fields = vec![
                    field("gp_offset", TypeId::UINT),
                    field("fp_offset", TypeId::UINT),
                    field("overflow_arg_area", TypeId::VOID_PTR),
                    field("reg_save_area", TypeId::VOID_PTR),
                ];
                let id = self.new_record(Some("__va_list_tag".into()), false);
                let record = &mut self.types.records[id.0 as usize];
                record.fields = fields;
                record.complete = true;
                layout::layout_record(self.types, self.target, id);
                let tag = self.types.intern(Type::Record(id));
                self.types.intern(Type::Array(QualType::plain(tag), ArrayLen::Fixed(1)))
            }
        };
        self.va_list = Some(ty);
        ty
    }

    pub(crate) fn new_record(&mut self, tag: Option<Box<str>>, union: bool) -> RecordId {
        let id = RecordId(self.types.records.len() as u32);
        self.types.records.push(cairn_ir::ctype::Record {
            tag,
            union,
            complete: false,
            fields: Vec::new(),
            packed: false,
            pragma_pack: 0,
            min_align: 0,
            transparent: false,
            size: 0,
            align: 1,
            variable: false,
        });
        id
    }
}
