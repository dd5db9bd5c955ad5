//! Node types: what the struct declarations of a program say about its graphs (papers/shape-neutral, section 3).
//!
//! A node type is a run of bytes with cells. A cell belongs to a *class*: the same field of all nodes of one type, the paper's
//! field heap. Structs inside structs keep the classes of their own type, so that a pointer to the inner one is a pointer to a
//! node as well. What a pointer to something else than a struct points to is a node of one cell, which may be a part of
//! another node.

use cairn_ir::Program;
use cairn_ir::ctype::{ArrayLen, RecordId, Type, TypeId};
use cairn_ir::layout;
use rustc_hash::FxHashMap;

/// Arrays of structs in a node with more elements than this are bytes without structure.
const ELEMENTS: u64 = 256;

/// Unions of more cells than this are bytes without structure.
const UNION_CELLS: usize = 1024;

/// A type of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A field of all nodes of a type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClassId(pub u32);

/// A class of cells.
#[derive(Clone, Debug)]
pub struct Class {
    /// `type.field`.
    pub name: String,
    /// The type of the nodes that its cells link to; `None` for data.
    pub link: Option<NodeId>,
    /// Bytes of a cell.
    pub width: u64,
    /// Whether it is declared as a pointer, to nodes or to something else.
    pub pointer: bool,
    /// Whether it is declared as a pointer to functions.
    pub code: bool,
    /// For a pointer to a pointer to nodes: the type of the cell that it points to, if that is one and not the first of many.
    pub to_cell: Option<NodeId>,
    /// The low bits of a link that may hold a tag.
    pub tag: i64,
    /// Whether it is a member of a union of which another one is something else: nothing says which one holds.
    pub mixed: bool,
    /// Whether its cells are the links of arrays that are no part of a struct: such variables are filled one by one.
    pub row: bool,
}

/// Cells of one class in a node: one, or an array of them.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// Where the first one starts.
    pub offset: u64,
    /// Their class.
    pub class: ClassId,
    /// How many there are, one behind the other.
    pub count: u64,
}

/// A type of nodes.
#[derive(Clone, Debug)]
pub struct NodeType {
    /// As in C, without `struct`.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// The alignment of the type.
    pub align: u64,
    /// Its cells, ascending. Bytes between them have no structure.
    pub cells: Vec<Cells>,
    /// Nodes that are parts of it, with their offsets.
    pub parts: Vec<(u64, NodeId)>,
    /// Whether it is what a pointer to a scalar points to: it may be a part of any node with such a cell.
    pub scalar: bool,
    /// Where an array of at most one element begins that the struct ends with: before C had a notation for it, this was how to say that
    /// there may be more of them.
    pub tail: Option<u64>,
}

/// All node types of a program, made as they are asked for.
#[derive(Debug)]
pub struct NodeTypes<'p> {
    program: &'p Program,
    /// The types.
    pub nodes: Vec<NodeType>,
    /// The classes of their cells.
    pub classes: Vec<Class>,
    records: FxHashMap<RecordId, NodeId>,
    others: FxHashMap<TypeId, NodeId>,
    data: FxHashMap<u64, NodeId>,
    opaque: Option<NodeId>,
    /// Structs that have an id and no cells yet: what links point to waits until it is certain that it is not inside of what is
    /// being laid out.
    waiting: Vec<RecordId>,
    done: FxHashMap<RecordId, ()>,
}

impl<'p> NodeTypes<'p> {
    /// No types yet.
    pub fn new(program: &'p Program) -> Self {
        let (records, others, data, done) = Default::default();
        let (nodes, classes, waiting) = Default::default();
        Self { program, nodes, classes, records, others, data, opaque: None, waiting, done }
    }

    /// A type.
    pub fn node(&self, id: NodeId) -> &NodeType {
        &self.nodes[id.0 as usize]
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// Where the cells of a class are in their nodes, if they link nodes of one type, each of which has one of them.
    pub fn chain_offset(&self, class: ClassId) -> Option<i64> {
        let known = self.class(class);
        let node = self.node(known.link.filter(|_| known.tag == 0)?);
        let mut mine = node.cells.iter().filter(|cells| cells.class == class);
        let cells = mine.next().filter(|cells| cells.count == 1)?;
        (mine.next().is_none() && !node.scalar).then_some(cells.offset as i64)
    }

    /// The classes of links to whose single cells there are links, too.
    pub fn cells_with_links_to_them(&self) -> impl Iterator<Item = ClassId> {
        let targets = self.classes.iter().filter_map(|class| class.link).map(|link| self.node(link));
        let held =
            targets.filter(|node| node.scalar).flat_map(|node| &node.cells).map(|cells| self.class(cells.class).link);
        let held: Vec<Option<NodeId>> = held.filter(Option::is_some).collect();
        (0..self.classes.len())
            .filter(move |&class| held.contains(&self.classes[class].link))
            .map(|at| ClassId(at as u32))
    }

    /// What a pointer type points to.
    pub fn pointee(&mut self, pointer: TypeId) -> Option<NodeId> {
        match *self.program.types.get(pointer) {
            Type::Pointer(to) => self.of(to.ty),
            _ => None,
        }
    }

    /// The node type of an object of a C type.
    pub fn of(&mut self, ty: TypeId) -> Option<NodeId> {
        let id = self.make(ty);
        while let Some(record) = self.waiting.pop() {
            self.complete(record);
        }
        id
    }

    fn make(&mut self, ty: TypeId) -> Option<NodeId> {
        let (types, target) = (&self.program.types, self.program.target);
        match *types.get(ty) {
            Type::Record(record) => self.record(record),
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => {
                let size = layout::size_of(types, target, ty)?;
                Some(self.scalar(size))
            }
            Type::Pointer(to) => {
                if let Some(&known) = self.others.get(&ty) {
                    return Some(known);
                }
                let width = target.pointer_bits() as u64 / 8;
                if !matches!(self.program.types.get(to.ty), Type::Record(_)) {
                    return Some(self.pointer_cell(width));
                }
                let id = self.reserve(String::new(), width, width);
                self.others.insert(ty, id);
                let link = self.make(to.ty);
                let name = link.map_or_else(|| "pointer".to_owned(), |link| format!("{} *", self.node(link).name));
                let class = self.add_class(format!("({name})"), link, width);
                let node = &mut self.nodes[id.0 as usize];
                node.name = name;
                node.cells.push(Cells { offset: 0, class, count: 1 });
                node.scalar = true;
                Some(id)
            }
            Type::Array(element, ArrayLen::Fixed(count)) if count > 0 => {
                if let Some(&known) = self.others.get(&ty) {
                    return Some(known);
                }
                let (size, align) = (layout::size_of(types, target, ty)?, layout::align_of(types, target, ty));
                let id = self.reserve(String::new(), size, align);
                self.others.insert(ty, id);
                let inner = self.make(element.ty);
                let name = inner.map_or_else(|| "array".to_owned(), |inner| self.node(inner).name.clone());
                let name = format!("{name}[{count}]");
                let mut found = Found::default();
                self.flatten(ty, 0, &name, &mut found);
                self.nodes[id.0 as usize].name = name;
                if let [only] = found.cells.as_slice() {
                    let class = &mut self.classes[only.class.0 as usize];
                    class.row = class.link.is_some() && found.parts.is_empty();
                }
                self.finish(id, found);
                Some(id)
            }
            _ => None,
        }
    }

    fn scalar(&mut self, size: u64) -> NodeId {
        if let Some(&known) = self.data.get(&size) {
            return known;
        }
        let id = self.reserve(format!("data{size}"), size, size);
        self.data.insert(size, id);
        let class = self.add_class(format!("(data{size})"), None, size);
        let node = &mut self.nodes[id.0 as usize];
        node.cells.push(Cells { offset: 0, class, count: 1 });
        node.scalar = true;
        id
    }

    /// What a pointer to pointers that are no links points to. Nothing is known of these but that they are pointers.
    fn pointer_cell(&mut self, size: u64) -> NodeId {
        if let Some(known) = self.opaque {
            return known;
        }
        let id = self.reserve("pointer".to_owned(), size, size);
        self.opaque = Some(id);
        let class = self.add_class("(pointer)".to_owned(), None, size);
        self.classes[class.0 as usize].pointer = true;
        let node = &mut self.nodes[id.0 as usize];
        node.cells.push(Cells { offset: 0, class, count: 1 });
        node.scalar = true;
        id
    }

    /// Types that have a part of another type at an offset.
    pub fn containers(&self, part: NodeId, offset: i64) -> impl Iterator<Item = &NodeType> {
        let holds = move |node: &&NodeType| node.parts.iter().any(|&(at, of)| of == part && at as i64 == offset);
        self.nodes.iter().filter(holds)
    }

    fn reserve(&mut self, name: String, size: u64, align: u64) -> NodeId {
        let (cells, parts) = (Vec::new(), Vec::new());
        self.nodes.push(NodeType { name, size, align: align.max(1), cells, parts, scalar: false, tail: None });
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn add_class(&mut self, name: String, link: Option<NodeId>, width: u64) -> ClassId {
        self.classes.push(Class {
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
        ClassId(self.classes.len() as u32 - 1)
    }

    /// The id of a struct's node type; its cells may come later.
    fn record(&mut self, record: RecordId) -> Option<NodeId> {
        if let Some(&known) = self.records.get(&record) {
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
        self.records.insert(record, id);
        self.waiting.push(record);
        Some(id)
    }

    /// Lays the cells of a struct out. Structs are not inside of themselves, so this ends.
    fn complete(&mut self, record: RecordId) -> Option<NodeId> {
        let id = self.record(record)?;
        if self.done.insert(record, ()).is_some() {
            return Some(id);
        }
        let declared = self.program.types.record(record);
        let name = self.node(id).name.clone();
        let mut found = Found::default();
        if declared.union {
            self.union(record, &name, &mut found);
        } else {
            for field in &declared.fields {
                if field.bit_width.is_none() {
                    let path = format!("{name}.{}", field.name.as_deref().unwrap_or("anonymous"));
                    self.flatten(field.ty.ty, field.offset, &path, &mut found);
                }
            }
        }
        self.finish(id, found);
        let last = declared.fields.last().filter(|_| !declared.union);
        let short = |ty| matches!(self.program.types.get(ty), Type::Array(_, ArrayLen::Fixed(0 | 1)));
        self.nodes[id.0 as usize].tail = last.filter(|field| short(field.ty.ty)).map(|field| field.offset);
        Some(id)
    }

    fn finish(&mut self, id: NodeId, mut found: Found) {
        found.cells.sort_by_key(|cells| cells.offset);
        found.parts.sort_unstable();
        found.parts.dedup();
        let node = &mut self.nodes[id.0 as usize];
        node.cells = found.cells;
        node.parts = found.parts;
    }

    /// The cells of something of a C type at an offset of a node.
    fn flatten(&mut self, ty: TypeId, offset: u64, path: &str, found: &mut Found) {
        let (types, target) = (&self.program.types, self.program.target);
        match *types.get(ty) {
            Type::Record(record) => {
                if let Some(inner) = self.complete(record) {
                    // Its cells are those of its own type: a pointer to it is a pointer to such a node.
                    found.parts.push((offset, inner));
                    let NodeType { cells, parts, .. } = self.node(inner).clone();
                    found.cells.extend(cells.into_iter().map(|cells| Cells { offset: cells.offset + offset, ..cells }));
                    found.parts.extend(parts.into_iter().map(|(at, part)| (at + offset, part)));
                }
            }
            Type::Array(element, ArrayLen::Fixed(count)) => {
                // An array of arrays is one of their elements.
                let (mut element, mut count) = (element, count);
                while let Type::Array(inner, ArrayLen::Fixed(more)) = *types.get(element.ty) {
                    let Some(all) = count.checked_mul(more) else { return };
                    (element, count) = (inner, all);
                }
                let Some(size) = layout::size_of(types, target, element.ty) else { return };
                if layout::scalar_ty(types, target, element.ty).is_some() {
                    let mut one = Found::default();
                    self.flatten(element.ty, offset, path, &mut one);
                    found.cells.extend(one.cells.into_iter().map(|cells| Cells { count, ..cells }));
                } else if count <= ELEMENTS {
                    for index in 0..count {
                        self.flatten(element.ty, offset + index * size, path, found);
                    }
                }
            }
            Type::Pointer(to) => {
                let width = target.pointer_bits() as u64 / 8;
                // As in the paper, only pointers to structs are links; what others point to is nobody's node.
                let link = match types.get(to.ty) {
                    Type::Record(record) => self.record(*record),
                    _ => None,
                };
                let to_cell = match *types.get(to.ty) {
                    Type::Pointer(inner) if matches!(types.get(inner.ty), Type::Record(_)) => self.make(to.ty),
                    _ => None,
                };
                let class = self.add_class(path.to_owned(), link, width);
                self.classes[class.0 as usize].to_cell = to_cell;
                self.classes[class.0 as usize].pointer = true;
                self.classes[class.0 as usize].code = matches!(types.get(to.ty), Type::Function(_));
                found.cells.push(Cells { offset, class, count: 1 });
            }
            _ => {
                if let (Some(width), Some(_)) =
                    (layout::size_of(types, target, ty), layout::scalar_ty(types, target, ty))
                {
                    let class = self.add_class(path.to_owned(), None, width);
                    found.cells.push(Cells { offset, class, count: 1 });
                }
            }
        }
    }

    /// A union: where all members agree on a link, it is one, and where they agree on how wide a number or pointer is, it is data of that
    /// width, of which the code may show more (`tags`). A member that ends before agrees if it is how the others begin, as a header is.
    /// Everything else is bytes without structure, because nothing says which member holds.
    fn union(&mut self, record: RecordId, path: &str, found: &mut Found) {
        let (types, target) = (&self.program.types, self.program.target);
        let declared = types.record(record);
        let mut members = Vec::new();
        for field in &declared.fields {
            let mut member = Found::default();
            let path = format!("{path}.{}", field.name.as_deref().unwrap_or("anonymous"));
            if field.bit_width.is_none() {
                self.flatten(field.ty.ty, field.offset, &path, &mut member);
            }
            let size = layout::size_of(types, target, field.ty.ty).unwrap_or(declared.size);
            members.push((field.offset + size, member));
        }
        if members.iter().any(|(_, member)| member.each(self).count() > UNION_CELLS) {
            return;
        }
        let mut agreed: Vec<(u64, u64, Option<NodeId>, bool)> = Vec::new();
        let kind = |class: ClassId| (self.class(class).link, self.class(class).pointer);
        let has = |member: &Found, offset: u64, width: u64| {
            member.each(self).find(|&(at, class)| at == offset && self.class(class).width == width)
        };
        for (member, (offset, class)) in members.iter().flat_map(|(_, m)| m.each(self).map(move |cell| (m, cell))) {
            let width = self.class(class).width;
            let mut kinds: Vec<(Option<NodeId>, bool)> = Vec::new();
            let agree = members.iter().all(|(end, other)| {
                if *end <= offset {
                    let begins = |(at, class): (u64, ClassId)| {
                        has(member, at, self.class(class).width).is_some_and(|(_, same)| kind(same) == kind(class))
                    };
                    return !other.cells.is_empty() && other.each(self).all(begins);
                }
                let same = has(other, offset, width);
                kinds.extend(same.map(|(_, class)| kind(class)));
                same.is_some()
            });
            kinds.dedup();
            if agree && !agreed.iter().any(|&(at, ..)| at == offset) {
                let link = if let [(link, _)] = kinds.as_slice() { *link } else { None };
                agreed.push((offset, width, link, kinds.len() > 1));
            }
        }
        agreed.sort_unstable();
        for (offset, width, link, mixed) in agreed {
            // Neighbours that are alike are an array, whichever member names them.
            if let Some(last) = found.cells.last_mut()
                && last.offset + last.count * width == offset
                && self.class(last.class).width == width
                && self.class(last.class).link == link
                && self.class(last.class).mixed == mixed
            {
                last.count += 1;
                continue;
            }
            let class = self.add_class(path.to_owned(), link, width);
            self.classes[class.0 as usize].mixed = mixed;
            found.cells.push(Cells { offset, class, count: 1 });
        }
    }
}

/// What [`NodeTypes::flatten`] collects.
#[derive(Debug, Default)]
struct Found {
    cells: Vec<Cells>,
    parts: Vec<(u64, NodeId)>,
}

impl Found {
    /// Every single cell: offset and class.
    fn each<'a>(&'a self, types: &'a NodeTypes<'_>) -> impl Iterator<Item = (u64, ClassId)> + 'a {
        self.cells.iter().flat_map(|cells| {
            let width = types.class(cells.class).width;
            (0..cells.count).map(move |index| (cells.offset + index * width, cells.class))
        })
    }
}

impl NodeType {
    /// The cell at exactly this offset and of this width.
    pub fn cell(&self, types: &NodeTypes<'_>, offset: i64, width: u64) -> Option<ClassId> {
        let offset = u64::try_from(offset).ok()?;
        self.cells.iter().find_map(|cells| {
            let size = types.class(cells.class).width;
            let inside = offset.checked_sub(cells.offset)?;
            (size == width && inside % size == 0 && inside / size < cells.count).then_some(cells.class)
        })
    }

    /// Whether it has links.
    pub fn has_links(&self, types: &NodeTypes<'_>) -> bool {
        self.cells.iter().any(|cells| types.class(cells.class).link.is_some())
    }

    /// Whether some of its links are elements of arrays.
    pub fn has_arrays(&self, types: &NodeTypes<'_>) -> bool {
        let again = |(index, cells): (usize, &Cells)| {
            let more = cells.count > 1 || self.cells[..index].iter().any(|before| before.class == cells.class);
            more && types.class(cells.class).link.is_some()
        };
        !self.scalar && self.cells.iter().enumerate().any(again)
    }

    /// Whether it has arrays whose elements are of this size: cells, or structs.
    pub fn has_elements(&self, types: &NodeTypes<'_>, size: i64) -> bool {
        let cells = |cells: &Cells| cells.count > 1 && types.class(cells.class).width as i64 == size;
        let again = |&(at, part): &(u64, NodeId)| {
            types.node(part).size as i64 == size && self.parts.contains(&(at + size as u64, part))
        };
        self.cells.iter().any(cells) || self.parts.iter().any(again)
    }

    /// Whether it is an array of links.
    pub fn is_row(&self, types: &NodeTypes<'_>) -> bool {
        matches!(self.cells.as_slice(), [cells] if types.class(cells.class).row)
    }

    /// Every single cell that touches a range of bytes: offset and class.
    pub fn touched(&self, types: &NodeTypes<'_>, from: i64, size: u64) -> Vec<(u64, ClassId)> {
        let (from, to) = (i128::from(from), i128::from(from) + i128::from(size));
        let mut out = Vec::new();
        for cells in &self.cells {
            let width = types.class(cells.class).width;
            for index in 0..cells.count {
                let at = cells.offset + index * width;
                if i128::from(at) < to && i128::from(at + width) > from {
                    out.push((at, cells.class));
                }
            }
        }
        out
    }

    /// The offsets of cells that hold what a scalar node type holds.
    pub fn offsets_of(&self, types: &NodeTypes<'_>, scalar: &NodeType) -> Vec<i64> {
        let Some(wanted) = scalar.cells.first().map(|cells| types.class(cells.class)) else { return Vec::new() };
        let mut out = Vec::new();
        for cells in &self.cells {
            let class = types.class(cells.class);
            if class.width == wanted.width && class.link == wanted.link {
                out.extend((0..cells.count).map(|index| (cells.offset + index * class.width) as i64));
            }
        }
        out
    }
}
