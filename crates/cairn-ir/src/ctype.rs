//! C types, interned: two types are the same type exactly when their ids are equal (qualifiers apart).

use rustc_hash::FxHashMap;

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// A struct or union.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// An enumeration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u32);

/// A variable-length array dimension: the front-end keeps the variable that holds its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VlaId(pub u32);

/// Type qualifiers as a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quals(pub u8);

impl Quals {
    /// No qualifier.
    pub const NONE: Quals = Quals(0);
    /// `const`.
    pub const CONST: Quals = Quals(1);
    /// `volatile`.
    pub const VOLATILE: Quals = Quals(2);
    /// `restrict`.
    pub const RESTRICT: Quals = Quals(4);
    /// `_Atomic`.
    pub const ATOMIC: Quals = Quals(8);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Quals) -> Quals {
        Quals(self.0 | other.0)
    }

    /// Whether all of `other` are in it.
    pub const fn has(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub quals: Quals,
}

impl QualType {
    /// The type without qualifiers.
    pub const fn plain(ty: TypeId) -> Self {
        Self { ty, quals: Quals::NONE }
    }
}

/// The integer types; `char` is signed on x86 but a type of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of C")]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// `_BitInt(width)`, of at most 128 bits.
    BitInt {
        width: u8,
        signed: bool,
    },
    /// The value of a bit-field that is wider than `int` and narrower than its declared type: gcc computes in its width.
    Field {
        width: u8,
        signed: bool,
    },
}

/// The floating types; `_Float32`, `_Float64`, `_Float32x`, `_Float64x` are the types they have the format of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of C")]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float128,
}

/// The decimal floating types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of C")]
pub enum DecimalKind {
    Decimal32,
    Decimal64,
    Decimal128,
}

/// The length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    /// Known.
    Fixed(u64),
    /// `[]`: incomplete, or a flexible member.
    Unknown,
    /// Computed at run time.
    Variable(VlaId),
}

/// The shape of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer type (also `_Bool`).
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// A decimal floating type.
    Decimal(DecimalKind),
    /// A complex type of that real type.
    Complex(TypeId),
    /// A pointer.
    Pointer(QualType),
    /// An array.
    Array(QualType, ArrayLen),
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// A GNU vector of that many bytes.
    Vector(TypeId, u64),
    /// What a wrong declaration gets, so that one mistake gives one error.
    Error,
}

/// A function type. Parameter types are adjusted (arrays and functions to pointers) and unqualified.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// Result.
    pub ret: QualType,
    /// Parameters.
    pub params: Vec<TypeId>,
    /// `...`.
    pub variadic: bool,
    /// Whether it has a prototype (`f()` has none).
    pub prototyped: bool,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; `None` for anonymous members and unnamed bit-fields.
    pub name: Option<Box<str>>,
    /// Its type.
    pub ty: QualType,
    /// The width, for bit-fields.
    pub bit_width: Option<u32>,
    /// `__attribute__((packed))` or that of the record.
    pub packed: bool,
    /// `aligned(n)` or `_Alignas`, 0 for none.
    pub align: u64,
    /// Set by layout: byte offset (for a bit-field: of the byte that holds its first bit).
    pub offset: u64,
    /// Set by layout: for a bit-field, its first bit within that byte (0 to 7).
    pub bit_start: u8,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The tag; `None` when it has none.
    pub tag: Option<Box<str>>,
    /// Whether it is a union.
    pub union: bool,
    /// Whether the members are known.
    pub complete: bool,
    /// The members in order.
    pub fields: Vec<Field>,
    /// `__attribute__((packed))`.
    pub packed: bool,
    /// `#pragma pack(n)` in force, 0 for none.
    pub pragma_pack: u64,
    /// `aligned(n)`, 0 for none.
    pub min_align: u64,
    /// `__attribute__((transparent_union))`.
    pub transparent: bool,
    /// Set by layout.
    pub size: u64,
    /// Set by layout.
    pub align: u64,
    /// Set by layout when the size depends on variables (a VLA member): not supported.
    pub variable: bool,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// The tag; `None` when it has none.
    pub tag: Option<Box<str>>,
    /// Whether the enumerators are known.
    pub complete: bool,
    /// The integer type that represents it.
    pub repr: IntKind,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: Vec<Type>,
    index: FxHashMap<Type, TypeId>,
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// How many variable array dimensions there are.
    pub vla_count: u32,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut table = Self {
            types: Vec::new(),
            index: FxHashMap::default(),
            records: Vec::new(),
            enums: Vec::new(),
            vla_count: 0,
        };
        for ty in PREDEFINED {
            table.intern(ty.clone());
        }
        table
    }
}

macro_rules! predefined {
    ($($name:ident = $index:literal $ty:expr,)*) => {
        const PREDEFINED: &[Type] = &[$($ty,)*];
        #[expect(missing_docs, reason = "the names are those of C")]
        impl TypeId { $(pub const $name: TypeId = TypeId($index);)* }
    };
}

predefined! {
    VOID = 0 Type::Void,
    ERROR = 1 Type::Error,
    BOOL = 2 Type::Int(IntKind::Bool),
    CHAR = 3 Type::Int(IntKind::Char),
    SCHAR = 4 Type::Int(IntKind::SChar),
    UCHAR = 5 Type::Int(IntKind::UChar),
    SHORT = 6 Type::Int(IntKind::Short),
    USHORT = 7 Type::Int(IntKind::UShort),
    INT = 8 Type::Int(IntKind::Int),
    UINT = 9 Type::Int(IntKind::UInt),
    LONG = 10 Type::Int(IntKind::Long),
    ULONG = 11 Type::Int(IntKind::ULong),
    LONG_LONG = 12 Type::Int(IntKind::LongLong),
    ULONG_LONG = 13 Type::Int(IntKind::ULongLong),
    INT128 = 14 Type::Int(IntKind::Int128),
    UINT128 = 15 Type::Int(IntKind::UInt128),
    FLOAT16 = 16 Type::Float(FloatKind::Float16),
    FLOAT = 17 Type::Float(FloatKind::Float),
    DOUBLE = 18 Type::Float(FloatKind::Double),
    LONG_DOUBLE = 19 Type::Float(FloatKind::LongDouble),
    FLOAT128 = 20 Type::Float(FloatKind::Float128),
    VOID_PTR = 21 Type::Pointer(QualType::plain(TypeId::VOID)),
    CHAR_PTR = 22 Type::Pointer(QualType::plain(TypeId::CHAR)),
}

impl TypeTable {
    /// The id of a type, new or known.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// The shape of a type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// A pointer to `to`.
    pub fn pointer(&mut self, to: QualType) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// A struct or union.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// An enumeration.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }
}
