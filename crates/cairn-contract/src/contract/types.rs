//! C types as text, and the C expressions of places.

use cairn_ir::ctype::{ArrayLen, FloatKind, IntKind, QualType, Quals, Type, TypeId, TypeTable};
use cairn_ir::{FuncId, Program, layout};

use super::{Place, Root};

/// Returns the text of a type.
pub(crate) fn type_text(types: &TypeTable, ty: QualType) -> String {
    let constant = if ty.quals.has(Quals::CONST) { "const " } else { "" };
    match types.get(ty.ty) {
        Type::Void => format!("{constant}void"),
        Type::Int(kind) => format!("{constant}{}", int_text(*kind)),
        Type::Float(kind) => format!("{constant}{}", float_text(*kind)),
        Type::Pointer(to) => {
            let inner = type_text(types, *to);
            let star = if inner.ends_with('*') { "*" } else { " *" };
            let after = if constant.is_empty() { "" } else { " const" };
            format!("{inner}{star}{after}")
        }
        Type::Array(of, ArrayLen::Fixed(length)) => format!("{}[{length}]", type_text(types, *of)),
        Type::Array(of, _) => format!("{}[]", type_text(types, *of)),
        Type::Function(_) => "function".to_owned(),
        Type::Record(id) => {
            let record = types.record(*id);
            let keyword = if record.union { "union" } else { "struct" };
            let tag = record.tag.as_deref().map_or(String::new(), |tag| format!(" {tag}"));
            format!("{constant}{keyword}{tag}")
        }
        Type::Enum(id) => {
            let tag = types.enumeration(*id).tag.as_deref().map_or(String::new(), |tag| format!(" {tag}"));
            format!("{constant}enum{tag}")
        }
        Type::Decimal(_) | Type::Complex(_) | Type::Vector(..) | Type::Error => "number".to_owned(),
    }
}

fn int_text(kind: IntKind) -> &'static str {
    match kind {
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
        IntKind::BitInt { .. } | IntKind::Field { .. } => "int",
    }
}

fn float_text(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float128 => "_Float128",
    }
}

/// Names the places of one function.
#[derive(Clone, Debug)]
pub(crate) struct Names<'p> {
    pub program: &'p Program,
    /// The names and types of the parameters, starting with the hidden one.
    parameters: Vec<(String, Option<TypeId>)>,
    /// The type of the result.
    pub result: Option<QualType>,
}

impl<'p> Names<'p> {
    /// Returns the names of a function.
    pub fn of(program: &'p Program, function: FuncId) -> Self {
        let function = &program.functions[function.index()];
        let body = function.body.as_ref();
        let ty = body.and_then(|body| body.ctypes.function).and_then(|ty| match program.types.get(ty) {
            Type::Function(ty) => Some(ty),
            _ => None,
        });
        let result = ty.map(|ty| ty.ret);
        let hidden = result.is_some_and(|ret| matches!(program.types.get(ret.ty), Type::Record(_)));
        let types = ty.map_or(&[][..], |ty| &ty.params);
        let name = |index: usize| {
            let body = body?;
            match *body.params.get(index)? {
                cairn_ir::program::Param::Reg(reg) => body.regs[reg.index()].name.as_deref(),
                cairn_ir::program::Param::Slot(slot) => body.slots[slot.index()].name.as_deref(),
            }
        };
        let parameters = (0..function.signature.params.len())
            .map(|index| {
                let ty = index.checked_sub(usize::from(hidden)).and_then(|index| types.get(index)).copied();
                let text = name(index).map_or_else(|| format!("argument {}", index + 1), str::to_owned);
                (text, ty)
            })
            .collect();
        Self { program, parameters, result }
    }

    /// Returns the parameters: name and type.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, Option<TypeId>)> {
        self.parameters.iter().map(|(name, ty)| (name.as_str(), *ty))
    }

    /// Returns the place of a parameter.
    pub fn parameter(&self, index: usize) -> Place {
        let text =
            self.parameters.get(index).map_or_else(|| format!("argument {}", index + 1), |(name, _)| name.clone());
        Place { root: Root::Parameter(index), steps: Vec::new(), text }
    }

    /// Returns the type of the value at a place.
    pub fn type_of(&self, place: &Place) -> Option<TypeId> {
        let mut steps = place.steps.iter();
        let mut ty = match &place.root {
            Root::Parameter(index) => self.parameters.get(*index)?.1?,
            Root::Result => self.result?.ty,
            Root::Call(_) => return None,
            Root::Variable(name) => {
                let global = self.program.globals.iter().find(|global| global.name == *name)?;
                let at = *steps.next()?;
                member_at(self.program, global.ctype?, at)?.1
            }
        };
        for &at in steps {
            let Type::Pointer(to) = self.program.types.get(ty) else { return None };
            ty = element_at(self.program, to.ty, at)?.2;
        }
        Some(ty)
    }

    /// Returns the type that the pointer at a place points to.
    pub fn pointee(&self, place: &Place) -> Option<QualType> {
        match self.program.types.get(self.type_of(place)?) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// Returns the place of the value at an offset of the memory behind a place.
    pub fn behind(&self, place: &Place, at: u64) -> Place {
        let pointee = self.pointee(place).map(|to| to.ty);
        let found = pointee.and_then(|ty| element_at(self.program, ty, at));
        let text = match found {
            Some((0, name, _)) if name.starts_with('.') => format!("{}->{}", place.text, &name[1..]),
            Some((0, name, _)) if name.is_empty() => format!("*{}", place.text),
            Some((0, name, _)) => format!("(*{}){name}", place.text),
            Some((index, name, _)) => format!("{}[{index}]{name}", place.text),
            None => format!("{}+{at}", place.text),
        };
        let mut steps = place.steps.clone();
        steps.push(at);
        Place { root: place.root.clone(), steps, text }
    }

    /// Returns the place of the value at an offset of a global variable.
    pub fn in_variable(&self, index: usize, at: u64) -> Place {
        let global = &self.program.globals[index];
        let member = global.ctype.and_then(|ty| member_at(self.program, ty, at));
        let text = match member {
            Some((member, _)) => format!("{}{member}", global.name),
            None if at == 0 => global.name.clone(),
            None => format!("{}+{at}", global.name),
        };
        Place { root: Root::Variable(global.name.clone()), steps: vec![at], text }
    }
}

/// Returns the element of an array of a type that holds an offset: its index, the member in it, and the type of the member.
fn element_at(program: &Program, ty: TypeId, at: u64) -> Option<(u64, String, TypeId)> {
    let size = layout::size_of(&program.types, program.target, ty).filter(|&size| size > 0)?;
    let (member, found) = member_at(program, ty, at % size)?;
    Some((at / size, member, found))
}

/// Returns the scalar member at an offset of a type, as `.a[1].b`, and its type.
fn member_at(program: &Program, ty: TypeId, at: u64) -> Option<(String, TypeId)> {
    match program.types.get(ty) {
        Type::Record(id) => {
            let record = program.types.record(*id);
            let mut found = None;
            for field in record.fields.iter().filter(|field| field.offset <= at) {
                let inside = at - field.offset;
                let size = layout::size_of(&program.types, program.target, field.ty.ty).unwrap_or(0);
                if inside < size {
                    found = Some((field, inside));
                    // A union has several members at an offset, of which the first is as good as any.
                    break;
                }
            }
            let (field, inside) = found?;
            let (rest, ty) = member_at(program, field.ty.ty, inside)?;
            let name = field.name.as_deref().map_or(String::new(), |name| format!(".{name}"));
            Some((format!("{name}{rest}"), ty))
        }
        Type::Array(of, _) => {
            let size = layout::size_of(&program.types, program.target, of.ty).filter(|&size| size > 0)?;
            let (rest, ty) = member_at(program, of.ty, at % size)?;
            Some((format!("[{}]{rest}", at / size), ty))
        }
        _ => (at == 0).then(|| (String::new(), ty)),
    }
}
