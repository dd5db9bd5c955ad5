//! Makes node types from the declarations of a program.

use cairn_ir::ctype::{ArrayLen, QualType, RecordId, Type, TypeId};
use cairn_ir::program::Origin;
use cairn_ir::{Inst, Program, layout};
use rustc_hash::FxHashSet;

use super::super::limits::{STRUCT_ELEMENTS, UNION_CELLS};
use super::{Cells, Class, ClassId, NodeId, NodeType, NodeTypes};

/// Makes the node types of all globals, and of all variables, temporaries and calls in functions of the user.
pub(super) fn build(program: &Program) -> NodeTypes<'_> {
    let mut builder = Builder::new(program);
    for global in &program.globals {
        if let Some(ty) = global.ctype {
            builder.of(ty);
        }
    }
    for function in &program.functions {
        if function.origin == Origin::Model {
            continue;
        }
        let Some(body) = &function.body else { continue };
        builder.signature(body.ctypes.function);
        for ty in body.ctypes.regs.iter().flatten() {
            builder.pointee(*ty);
        }
        for ty in body.ctypes.slots.iter().flatten() {
            builder.of(*ty);
            builder.pointee(*ty);
        }
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            if let Inst::Call(call) = inst {
                builder.signature(call.ctype);
            }
        }
    }
    builder.types
}

/// The types made so far, and the structs that are not laid out yet.
struct Builder<'p> {
    program: &'p Program,
    types: NodeTypes<'p>,
    /// Structs with an id and without cells.
    ///
    /// The target of a link waits here until the struct around the link is laid out, because it may be that very
    /// struct.
    waiting: Vec<RecordId>,
    done: FxHashSet<RecordId>,
}

/// The cells and parts of a type that is being laid out.
#[derive(Debug, Default)]
struct Layout {
    cells: Vec<Cells>,
    parts: Vec<(u64, NodeId)>,
}

impl Layout {
    /// Iterates over offset and class of every single cell.
    fn each<'a>(&'a self, types: &'a NodeTypes<'_>) -> impl Iterator<Item = (u64, ClassId)> + 'a {
        self.cells.iter().flat_map(|cells| {
            let width = types.class(cells.class).width;
            (0..cells.count).map(move |index| (cells.offset + index * width, cells.class))
        })
    }

    /// Returns the cell with exactly this offset and width.
    fn cell(&self, types: &NodeTypes<'_>, offset: u64, width: u64) -> Option<ClassId> {
        let same = |&(at, class): &(u64, ClassId)| at == offset && types.class(class).width == width;
        self.each(types).find(same).map(|(_, class)| class)
    }
}

/// A word that all members of a union have at the same offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Agreed {
    offset: u64,
    width: u64,
    link: Option<NodeId>,
    mixed: bool,
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program) -> Self {
        let (nodes, classes) = Default::default();
        let (records, others, data) = Default::default();
        let types = NodeTypes { program, nodes, classes, records, others, data, opaque: None };
        Self { program, types, waiting: Vec::new(), done: FxHashSet::default() }
    }

    /// Makes the types of the parameters and the result of a function type.
    fn signature(&mut self, ty: Option<TypeId>) {
        let program = self.program;
        let Some(Type::Function(function)) = ty.map(|ty| program.types.get(ty)) else { return };
        for &ty in function.params.iter().chain([&function.ret.ty]) {
            self.pointee(ty);
            if !matches!(program.types.get(ty), Type::Pointer(_)) {
                self.of(ty);
            }
        }
    }

    fn pointee(&mut self, pointer: TypeId) {
        if let Type::Pointer(to) = *self.program.types.get(pointer) {
            self.of(to.ty);
        }
    }

    fn of(&mut self, ty: TypeId) {
        self.make(ty);
        while let Some(record) = self.waiting.pop() {
            self.complete(record);
        }
    }

    fn class_mut(&mut self, id: ClassId) -> &mut Class {
        &mut self.types.classes[id.index()]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut NodeType {
        &mut self.types.nodes[id.index()]
    }

    fn pointer_width(&self) -> u64 {
        self.program.target.pointer_bits() as u64 / 8
    }

    fn make(&mut self, ty: TypeId) -> Option<NodeId> {
        let (types, target) = (&self.program.types, self.program.target);
        match *types.get(ty) {
            Type::Record(record) => self.record(record),
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => {
                let size = layout::size_of(types, target, ty)?;
                Some(self.data(size))
            }
            Type::Pointer(_) | Type::Array(..) if self.types.others.contains_key(&ty) => {
                self.types.others.get(&ty).copied()
            }
            Type::Pointer(to) => Some(self.pointer(ty, to.ty)),
            Type::Array(element, ArrayLen::Fixed(count)) if count > 0 => self.array(ty, element, count),
            _ => None,
        }
    }

    /// Makes the single cell that a pointer to a scalar points to.
    fn single_cell(&mut self, id: NodeId, class: ClassId) {
        let node = self.node_mut(id);
        node.cells.push(Cells { offset: 0, class, count: 1 });
        node.scalar = true;
    }

    fn data(&mut self, size: u64) -> NodeId {
        if let Some(&known) = self.types.data.get(&size) {
            return known;
        }
        let id = self.reserve(format!("data{size}"), size, size);
        self.types.data.insert(size, id);
        let class = self.add_class(format!("(data{size})"), None, size);
        self.single_cell(id, class);
        id
    }

    fn pointer(&mut self, ty: TypeId, to: TypeId) -> NodeId {
        let width = self.pointer_width();
        if !matches!(self.program.types.get(to), Type::Record(_)) {
            return self.opaque_pointer(width);
        }
        let id = self.reserve(String::new(), width, width);
        self.types.others.insert(ty, id);
        let link = self.make(to);
        let name = link.map_or_else(|| "pointer".to_owned(), |link| format!("{} *", self.types.node(link).name));
        let class = self.add_class(format!("({name})"), link, width);
        self.node_mut(id).name = name;
        self.single_cell(id, class);
        id
    }

    /// Makes the target of a pointer to pointers that are no links.
    ///
    /// Nothing is known of them but that they are pointers.
    fn opaque_pointer(&mut self, size: u64) -> NodeId {
        if let Some(known) = self.types.opaque {
            return known;
        }
        let id = self.reserve("pointer".to_owned(), size, size);
        self.types.opaque = Some(id);
        let class = self.add_class("(pointer)".to_owned(), None, size);
        self.class_mut(class).pointer = true;
        self.single_cell(id, class);
        id
    }

    fn array(&mut self, ty: TypeId, element: QualType, count: u64) -> Option<NodeId> {
        let (types, target) = (&self.program.types, self.program.target);
        let (size, align) = (layout::size_of(types, target, ty)?, layout::align_of(types, target, ty));
        let id = self.reserve(String::new(), size, align);
        self.types.others.insert(ty, id);
        let inner = self.make(element.ty);
        let name = inner.map_or_else(|| "array".to_owned(), |inner| self.types.node(inner).name.clone());
        let name = format!("{name}[{count}]");
        let mut layout = Layout::default();
        self.flatten(ty, 0, &name, &mut layout);
        self.node_mut(id).name = name;
        if let [only] = layout.cells.as_slice() {
            let class = self.class_mut(only.class);
            class.row = class.link.is_some() && layout.parts.is_empty();
        }
        self.finish(id, layout);
        Some(id)
    }

    fn reserve(&mut self, name: String, size: u64, align: u64) -> NodeId {
        let (cells, parts) = (Vec::new(), Vec::new());
        let nodes = &mut self.types.nodes;
        nodes.push(NodeType { name, size, align: align.max(1), cells, parts, scalar: false, tail: None });
        NodeId(nodes.len() as u32 - 1)
    }

    fn add_class(&mut self, name: String, link: Option<NodeId>, width: u64) -> ClassId {
        let classes = &mut self.types.classes;
        classes.push(Class {
            name,
            link,
            width,
            pointer: link.is_some(),
            code: false,
            to_cell: None,
            tag: 0,
            mixed: false,
            row: false,
        });
        ClassId(classes.len() as u32 - 1)
    }

    /// Returns the id of a struct's node type; its cells may come later.
    fn record(&mut self, record: RecordId) -> Option<NodeId> {
        if let Some(&known) = self.types.records.get(&record) {
            return Some(known);
        }
        let declared = self.program.types.record(record);
        if !declared.complete || declared.variable || declared.size == 0 {
            return None;
        }
        let name = match &declared.tag {
            Some(tag) => tag.to_string(),
            None => format!("anonymous{}", record.0),
        };
        let id = self.reserve(name, declared.size, declared.align);
        self.types.records.insert(record, id);
        self.waiting.push(record);
        Some(id)
    }

    /// Lays out the cells of a struct. No struct is inside of itself, so the recursion ends.
    fn complete(&mut self, record: RecordId) -> Option<NodeId> {
        let id = self.record(record)?;
        if !self.done.insert(record) {
            return Some(id);
        }
        let declared = self.program.types.record(record);
        let name = self.types.node(id).name.clone();
        let mut layout = Layout::default();
        if declared.union {
            self.union(record, &name, &mut layout);
        } else {
            for field in &declared.fields {
                if field.bit_width.is_none() {
                    let path = format!("{name}.{}", field.name.as_deref().unwrap_or("anonymous"));
                    self.flatten(field.ty.ty, field.offset, &path, &mut layout);
                }
            }
        }
        self.finish(id, layout);
        let last = declared.fields.last().filter(|_| !declared.union);
        let short = |ty| matches!(self.program.types.get(ty), Type::Array(_, ArrayLen::Fixed(0 | 1)));
        let tail = last.filter(|field| short(field.ty.ty)).map(|field| field.offset);
        self.node_mut(id).tail = tail;
        Some(id)
    }

    fn finish(&mut self, id: NodeId, mut layout: Layout) {
        layout.cells.sort_by_key(|cells| cells.offset);
        layout.parts.sort_unstable();
        layout.parts.dedup();
        let node = self.node_mut(id);
        node.cells = layout.cells;
        node.parts = layout.parts;
    }

    /// Adds the cells of an object of a C type at an offset.
    fn flatten(&mut self, ty: TypeId, offset: u64, path: &str, layout: &mut Layout) {
        let (types, target) = (&self.program.types, self.program.target);
        match *types.get(ty) {
            Type::Record(record) => {
                if let Some(inner) = self.complete(record) {
                    // The cells are those of the struct's own type, so that a pointer to it is a pointer to such a
                    // node.
                    layout.parts.push((offset, inner));
                    let NodeType { cells, parts, .. } = self.types.node(inner).clone();
                    let moved = cells.into_iter().map(|cells| Cells { offset: cells.offset + offset, ..cells });
                    layout.cells.extend(moved);
                    layout.parts.extend(parts.into_iter().map(|(at, part)| (at + offset, part)));
                }
            }
            Type::Array(element, ArrayLen::Fixed(count)) => self.flatten_array(element, count, offset, path, layout),
            Type::Pointer(to) => {
                // As in the paper, only pointers to structs are links.
                let link = match types.get(to.ty) {
                    Type::Record(record) => self.record(*record),
                    _ => None,
                };
                let to_cell = match *types.get(to.ty) {
                    Type::Pointer(inner) if matches!(types.get(inner.ty), Type::Record(_)) => self.make(to.ty),
                    _ => None,
                };
                let id = self.add_class(path.to_owned(), link, self.pointer_width());
                let class = self.class_mut(id);
                class.to_cell = to_cell;
                class.pointer = true;
                class.code = matches!(types.get(to.ty), Type::Function(_));
                layout.cells.push(Cells { offset, class: id, count: 1 });
            }
            _ => {
                if let (Some(width), Some(_)) =
                    (layout::size_of(types, target, ty), layout::scalar_ty(types, target, ty))
                {
                    let class = self.add_class(path.to_owned(), None, width);
                    layout.cells.push(Cells { offset, class, count: 1 });
                }
            }
        }
    }

    fn flatten_array(&mut self, element: QualType, count: u64, offset: u64, path: &str, layout: &mut Layout) {
        let (types, target) = (&self.program.types, self.program.target);
        // An array of arrays is one array of the innermost elements.
        let (mut element, mut count) = (element, count);
        while let Type::Array(inner, ArrayLen::Fixed(more)) = *types.get(element.ty) {
            let Some(all) = count.checked_mul(more) else { return };
            (element, count) = (inner, all);
        }
        let Some(size) = layout::size_of(types, target, element.ty) else { return };
        if layout::scalar_ty(types, target, element.ty).is_some() {
            let mut one = Layout::default();
            self.flatten(element.ty, offset, path, &mut one);
            layout.cells.extend(one.cells.into_iter().map(|cells| Cells { count, ..cells }));
        } else if count <= STRUCT_ELEMENTS {
            for index in 0..count {
                self.flatten(element.ty, offset + index * size, path, layout);
            }
        }
    }

    /// Adds the cells of a union.
    ///
    /// Where all members agree on a link, the cell is that link. Where they agree on the width of a number or pointer,
    /// the cell is data of that width, of which the code may show more (`Demands`). Everything else is bytes without
    /// structure, because nothing says which member is active.
    fn union(&mut self, record: RecordId, path: &str, layout: &mut Layout) {
        let (types, target) = (&self.program.types, self.program.target);
        let declared = types.record(record);
        let mut members = Vec::new();
        for field in &declared.fields {
            let mut member = Layout::default();
            let path = format!("{path}.{}", field.name.as_deref().unwrap_or("anonymous"));
            if field.bit_width.is_none() {
                self.flatten(field.ty.ty, field.offset, &path, &mut member);
            }
            let size = layout::size_of(types, target, field.ty.ty).unwrap_or(declared.size);
            members.push((field.offset + size, member));
        }
        if members.iter().any(|(_, member)| member.each(&self.types).count() > UNION_CELLS) {
            return;
        }
        for Agreed { offset, width, link, mixed } in self.agreed_words(&members) {
            // Adjacent words of the same kind are an array, whichever member names them.
            if let Some(last) = layout.cells.last_mut()
                && last.offset + last.count * width == offset
                && self.types.class(last.class).width == width
                && self.types.class(last.class).link == link
                && self.types.class(last.class).mixed == mixed
            {
                last.count += 1;
                continue;
            }
            let class = self.add_class(path.to_owned(), link, width);
            self.class_mut(class).mixed = mixed;
            layout.cells.push(Cells { offset, class, count: 1 });
        }
    }

    /// Returns the words that all members of a union have.
    ///
    /// A shorter member agrees if the others begin like it, as with a header.
    fn agreed_words(&self, members: &[(u64, Layout)]) -> Vec<Agreed> {
        let types = &self.types;
        let kind = |class: ClassId| (types.class(class).link, types.class(class).pointer);
        let mut agreed: Vec<Agreed> = Vec::new();
        for (member, (offset, class)) in members.iter().flat_map(|(_, m)| m.each(types).map(move |cell| (m, cell))) {
            let width = types.class(class).width;
            let mut kinds: Vec<(Option<NodeId>, bool)> = Vec::new();
            let agree = members.iter().all(|(end, other)| {
                if *end <= offset {
                    let begins = |(at, class): (u64, ClassId)| {
                        member.cell(types, at, types.class(class).width).is_some_and(|same| kind(same) == kind(class))
                    };
                    return !other.cells.is_empty() && other.each(types).all(begins);
                }
                let same = other.cell(types, offset, width);
                kinds.extend(same.map(kind));
                same.is_some()
            });
            kinds.dedup();
            if agree && !agreed.iter().any(|known| known.offset == offset) {
                let link = if let [(link, _)] = kinds.as_slice() { *link } else { None };
                agreed.push(Agreed { offset, width, link, mixed: kinds.len() > 1 });
            }
        }
        agreed.sort_unstable();
        agreed
    }
}
