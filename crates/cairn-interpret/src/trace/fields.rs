//! The scalar parts of a C type, with the expressions that name them.

use cairn_ir::ctype::{ArrayLen, IntKind, RecordId, Type, TypeId};
use cairn_ir::{Program, layout};

use crate::limits::{NAMED_ELEMENTS, NAMED_PARTS};

/// A scalar part of an object, or an array of characters.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// How the part is named after the object: `.next`, `[2].size`, or nothing for the object itself.
    pub path: String,
    /// The byte offset.
    pub at: u64,
    pub ty: TypeId,
    /// The first bit and the width of a bit-field.
    pub bits: Option<(u32, u32)>,
}

/// Returns the scalar parts of a type: all of a struct, and the first elements of an array.
pub(crate) fn parts_of(program: &Program, ty: TypeId) -> Vec<Part> {
    let mut parts = Vec::new();
    add(program, ty, &Part { path: String::new(), at: 0, ty, bits: None }, &mut parts);
    parts
}

fn add(program: &Program, ty: TypeId, place: &Part, parts: &mut Vec<Part>) {
    if parts.len() >= NAMED_PARTS {
        return;
    }
    match *program.types.get(ty) {
        Type::Record(record) => {
            for field in shown_fields(program, record) {
                let name = field.name.as_deref();
                let part = Part {
                    path: name.map_or_else(|| place.path.clone(), |name| format!("{}.{name}", place.path)),
                    at: place.at + field.offset,
                    ty: field.ty.ty,
                    bits: field.bit_width.map(|width| (u32::from(field.bit_start), width)),
                };
                if name.is_some() || part.bits.is_none() {
                    add(program, field.ty.ty, &part, parts);
                }
            }
        }
        Type::Array(element, length) if !is_character(program, element.ty) => {
            let Some(size) = layout::size_of(&program.types, program.target, element.ty) else { return };
            let count = match length {
                ArrayLen::Fixed(count) => count,
                ArrayLen::Unknown | ArrayLen::Variable(_) => 0,
            };
            for index in 0..count.min(NAMED_ELEMENTS) {
                let path = format!("{}[{index}]", place.path);
                let part = Part { path, at: place.at + index * size, ty: element.ty, bits: None };
                add(program, element.ty, &part, parts);
            }
        }
        Type::Void | Type::Function(_) | Type::Error => {}
        _ => parts.push(Part { ty, ..place.clone() }),
    }
}

/// Returns the fields of a struct, and of a union the one that may hold a pointer, or else the first.
fn shown_fields(program: &Program, record: RecordId) -> Vec<&cairn_ir::ctype::Field> {
    let record = program.types.record(record);
    if !record.union {
        return record.fields.iter().collect();
    }
    let is_pointer = |field: &&cairn_ir::ctype::Field| matches!(program.types.get(field.ty.ty), Type::Pointer(_));
    record.fields.iter().find(is_pointer).or(record.fields.first()).into_iter().collect()
}

/// Returns whether a type is a character type, whose arrays are strings.
pub(crate) fn is_character(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar))
}

/// Returns what a pointer type points to, unless that is `void`.
pub(crate) fn pointee(program: &Program, ty: TypeId) -> Option<TypeId> {
    match *program.types.get(ty) {
        Type::Pointer(to) if to.ty != TypeId::VOID && to.ty != TypeId::ERROR => Some(to.ty),
        _ => None,
    }
}

/// Returns the name of a type for people: `struct task`, `int`, `char *`.
pub(crate) fn type_name(program: &Program, ty: TypeId) -> Option<String> {
    Some(match program.types.get(ty) {
        Type::Record(id) => {
            let record = program.types.record(*id);
            let word = if record.union { "union" } else { "struct" };
            format!("{word} {}", record.tag.as_deref()?)
        }
        Type::Enum(id) => format!("enum {}", program.types.enumeration(*id).tag.as_deref()?),
        Type::Pointer(to) => {
            let to = type_name(program, to.ty)?;
            if to.ends_with('*') { format!("{to}*") } else { format!("{to} *") }
        }
        Type::Array(element, _) => format!("{}[]", type_name(program, element.ty)?),
        Type::Void => "void".to_owned(),
        Type::Int(kind) => match kind {
            IntKind::Bool => "bool",
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            _ => return None,
        }
        .to_owned(),
        _ => return None,
    })
}

/// Returns the expression for the bytes at an offset of an object of a type, after the name of the object.
///
/// `size` is the number of bytes that are accessed; 0 stands for any number.
pub(crate) fn path_at(program: &Program, ty: TypeId, at: u64, size: u64) -> Option<String> {
    let whole = layout::size_of(&program.types, program.target, ty)?;
    match *program.types.get(ty) {
        Type::Record(record) => {
            let fields = &program.types.record(record).fields;
            let holds = |field: &&cairn_ir::ctype::Field| {
                let size = layout::size_of(&program.types, program.target, field.ty.ty).unwrap_or(0);
                field.bit_width.is_none() && at >= field.offset && at - field.offset < size
            };
            let field = fields.iter().find(holds)?;
            if at == 0 && size == whole && size != 0 {
                return Some(String::new());
            }
            let rest = path_at(program, field.ty.ty, at - field.offset, size)?;
            Some(match &field.name {
                Some(name) => format!(".{name}{rest}"),
                None => rest,
            })
        }
        Type::Array(element, _) => {
            let one = layout::size_of(&program.types, program.target, element.ty).filter(|&one| one > 0)?;
            let rest = path_at(program, element.ty, at % one, size)?;
            Some(format!("[{}]{rest}", at / one))
        }
        _ if at == 0 && (size == 0 || size <= whole) => Some(String::new()),
        _ => None,
    }
}
