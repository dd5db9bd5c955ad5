//! Interned C types.
//!
//! Two types are the same type exactly if their ids are equal. Qualifiers are kept apart, in [`QualType`].

use rustc_hash::FxHashMap;

/// The id of an interned type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// The id of a struct or union.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// The id of an enumeration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u32);

/// The id of a variable-length array dimension. The front-end maps it to the variable that holds the dimension's value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VlaId(pub u32);

/// A set of type qualifiers.
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

    /// Returns the union of both sets.
    #[must_use]
    pub const fn with(self, other: Quals) -> Quals {
        Quals(self.0 | other.0)
    }

    /// Returns whether the set contains all of `other`.
    pub const fn has(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    /// The unqualified type.
    pub ty: TypeId,
    /// The qualifiers.
    pub quals: Quals,
}

impl QualType {
    /// Creates an unqualified type.
    pub const fn plain(ty: TypeId) -> Self {
        Self { ty, quals: Quals::NONE }
    }
}

/// The integer types. Plain `char` is signed, as on x86, but a distinct type.
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
    /// `_BitInt(width)` with at most 128 bits.
    BitInt {
        width: u8,
        signed: bool,
    },
    /// The type of a bit-field wider than `int` and narrower than its declared type: gcc computes in the field's width.
    Field {
        width: u8,
        signed: bool,
    },
}

/// The floating types. `_Float32`, `_Float64`, `_Float32x` and `_Float64x` map to the type with the same format.
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
    /// A constant length.
    Fixed(u64),
    /// `[]`: an incomplete array or a flexible array member.
    Unknown,
    /// A length computed at run time.
    Variable(VlaId),
}

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer type, including `_Bool`.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// A decimal floating type.
    Decimal(DecimalKind),
    /// The complex type with the given real type.
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
    /// A GNU vector with the given element type and total size in bytes.
    Vector(TypeId, u64),
    /// The type of an invalid declaration. It suppresses follow-up errors.
    Error,
}

/// A function type. Parameter types are adjusted (arrays and functions become pointers) and unqualified.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// The result type.
    pub ret: QualType,
    /// The parameter types.
    pub params: Vec<TypeId>,
    /// Whether the parameter list ends in `...`.
    pub variadic: bool,
    /// Whether the function has a prototype (`f()` has none).
    pub prototyped: bool,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name; `None` for anonymous members and unnamed bit-fields.
    pub name: Option<Box<str>>,
    /// The type.
    pub ty: QualType,
    /// The width of a bit-field; `None` for an ordinary member.
    pub bit_width: Option<u32>,
    /// Whether `__attribute__((packed))` applies to the member.
    pub packed: bool,
    /// The alignment requested by `aligned(n)` or `_Alignas`; 0 for none.
    pub align: u64,
    /// The byte offset; for a bit-field, of the byte that holds its first bit. Set by the layout.
    pub offset: u64,
    /// The first bit of a bit-field within the byte at `offset` (0 to 7). Set by the layout.
    pub bit_start: u8,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The tag; `None` for an untagged record.
    pub tag: Option<Box<str>>,
    /// Whether the record is a union.
    pub union: bool,
    /// Whether the members are known.
    pub complete: bool,
    /// The members, in declaration order.
    pub fields: Vec<Field>,
    /// Whether the record has `__attribute__((packed))`.
    pub packed: bool,
    /// The argument of the `#pragma pack(n)` in force; 0 for none.
    pub pragma_pack: u64,
    /// The alignment requested by `aligned(n)`; 0 for none.
    pub min_align: u64,
    /// Whether the record has `__attribute__((transparent_union))`.
    pub transparent: bool,
    /// The size in bytes. Set by the layout.
    pub size: u64,
    /// The alignment in bytes. Set by the layout.
    pub align: u64,
    /// Whether the size depends on variables because of a VLA member, which is not supported. Set by the layout.
    pub variable: bool,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// The tag; `None` for an untagged enumeration.
    pub tag: Option<Box<str>>,
    /// Whether the enumerators are known.
    pub complete: bool,
    /// The integer type that represents the enumeration.
    pub repr: IntKind,
}

/// The table of all types of a program.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: Vec<Type>,
    index: FxHashMap<Type, TypeId>,
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// The number of variable-length array dimensions.
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
    /// Returns the id of a type, adding the type to the table if necessary.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// Returns the structure of a type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Returns the type of pointers to `to`.
    pub fn pointer(&mut self, to: QualType) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// Returns the struct or union with the given id.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// Returns the enumeration with the given id.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }
}
