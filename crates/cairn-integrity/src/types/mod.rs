//! Node types: the struct declarations of a program as types of graph nodes (papers/shape-neutral, section 3).
//!
//! A node type is a number of bytes with cells. Each cell belongs to a *class*: the same field of all nodes of one
//! type, the paper's field heap. A struct inside of a struct keeps the classes of its own type, so that a pointer to
//! the inner struct is a pointer to a node as well. A pointer to a scalar points to a node of one cell, which may be a
//! part of another node.
//!
//! `build` makes the types from the declarations; `demands` refines them by facts that only the code shows. During an
//! execution the types do not change.

mod build;
mod demands;

use cairn_ir::Program;
use cairn_ir::ctype::{ArrayLen, RecordId, Type, TypeId};
use cairn_ir::layout;
use rustc_hash::FxHashMap;

pub(super) use demands::{Demands, TagMap};

/// A type of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A field of all nodes of a type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ClassId(pub u32);

impl ClassId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A class of cells.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// `type.field`.
    pub name: String,
    /// The type of the nodes that the cells link to; `None` for data.
    pub link: Option<NodeId>,
    /// The size of a cell in bytes.
    pub width: u64,
    /// Whether the field is declared as a pointer, to nodes or to something else.
    pub pointer: bool,
    /// Whether the field is declared as a pointer to functions.
    pub code: bool,
    /// For a pointer to a pointer to nodes: the type of the cell that it points to, if that is a single cell.
    pub to_cell: Option<NodeId>,
    /// The low bits of a link that may hold a tag.
    pub tag: i64,
    /// Whether it is a member of a union in which another member has a different kind.
    ///
    /// Nothing says which member is active.
    pub mixed: bool,
    /// Whether its cells are the elements of an array of links that is not a part of a struct.
    ///
    /// Loops fill such arrays one by one.
    pub row: bool,
}

/// Cells of one class in a node: a single cell, or an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    /// The offset of the first cell.
    pub offset: u64,
    /// The class of the cells.
    pub class: ClassId,
    /// The number of cells, which are contiguous.
    pub count: u64,
}

/// A type of nodes.
#[derive(Clone, Debug)]
pub(super) struct NodeType {
    /// The name as in C, without `struct`.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The alignment of the type.
    pub align: u64,
    /// The cells by ascending offset. Bytes between them have no structure.
    pub cells: Vec<Cells>,
    /// Nodes that are parts of this one, with their offsets.
    pub parts: Vec<(u64, NodeId)>,
    /// Whether this is the target of a pointer to a scalar, which may be a part of any node with such a cell.
    pub scalar: bool,
    /// The offset of an array of at most one element at the end of the struct.
    ///
    /// Old code declares arrays of unknown length like this.
    pub tail: Option<u64>,
}

/// All node types of a program.
#[derive(Debug)]
pub(super) struct NodeTypes<'p> {
    program: &'p Program,
    nodes: Vec<NodeType>,
    classes: Vec<Class>,
    records: FxHashMap<RecordId, NodeId>,
    /// Pointers to structs, and arrays.
    others: FxHashMap<TypeId, NodeId>,
    /// Data, by size.
    data: FxHashMap<u64, NodeId>,
    /// The target of a pointer to pointers that are no links.
    opaque: Option<NodeId>,
}

impl<'p> NodeTypes<'p> {
    /// Returns the node types of all declarations that the functions of the user need.
    pub fn new(program: &'p Program) -> Self {
        build::build(program)
    }

    pub fn node(&self, id: NodeId) -> &NodeType {
        &self.nodes[id.index()]
    }

    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// Iterates over all node types.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &NodeType)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// Iterates over all classes.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        self.classes.iter().enumerate().map(|(index, class)| (ClassId(index as u32), class))
    }

    /// Iterates over the ids of all classes.
    pub fn class_ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len() as u32).map(ClassId)
    }

    /// Returns the node type of an object of a C type.
    pub fn of(&self, ty: TypeId) -> Option<NodeId> {
        let (types, target) = (&self.program.types, self.program.target);
        match *types.get(ty) {
            Type::Record(record) => self.records.get(&record).copied(),
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => {
                layout::size_of(types, target, ty).and_then(|size| self.data.get(&size).copied())
            }
            Type::Pointer(to) => match self.others.get(&ty) {
                Some(&known) => Some(known),
                None if matches!(types.get(to.ty), Type::Record(_)) => None,
                None => self.opaque,
            },
            Type::Array(_, ArrayLen::Fixed(_)) => self.others.get(&ty).copied(),
            _ => None,
        }
    }

    /// Returns the node type of the target of a pointer type.
    pub fn pointee(&self, pointer: TypeId) -> Option<NodeId> {
        match *self.program.types.get(pointer) {
            Type::Pointer(to) => self.of(to.ty),
            _ => None,
        }
    }

    /// Returns the offset of a class in its nodes, if its cells link nodes of one type of which each has one such cell.
    pub fn chain_offset(&self, class: ClassId) -> Option<i64> {
        let known = self.class(class);
        let node = self.node(known.link.filter(|_| known.tag == 0)?);
        let mut mine = node.cells.iter().filter(|cells| cells.class == class);
        let cells = mine.next().filter(|cells| cells.count == 1)?;
        (mine.next().is_none() && !node.scalar).then_some(cells.offset as i64)
    }

    /// Iterates over the classes of links that are themselves the target of links to single cells.
    pub fn linked_cells(&self) -> impl Iterator<Item = ClassId> {
        let targets = self.classes.iter().filter_map(|class| class.link).map(|link| self.node(link));
        let held =
            targets.filter(|node| node.scalar).flat_map(|node| &node.cells).map(|cells| self.class(cells.class).link);
        let held: Vec<Option<NodeId>> = held.filter(Option::is_some).collect();
        self.classes().filter(move |(_, class)| held.contains(&class.link)).map(|(id, _)| id)
    }

    /// Iterates over the types that have a part of another type at an offset.
    pub fn containers(&self, part: NodeId, offset: i64) -> impl Iterator<Item = &NodeType> {
        let holds = move |node: &&NodeType| node.parts.iter().any(|&(at, of)| of == part && at as i64 == offset);
        self.nodes.iter().filter(holds)
    }
}

impl NodeType {
    /// Returns the class of the cell with exactly this offset and width.
    pub fn cell(&self, types: &NodeTypes<'_>, offset: i64, width: u64) -> Option<ClassId> {
        let offset = u64::try_from(offset).ok()?;
        self.cells.iter().find_map(|cells| {
            let size = types.class(cells.class).width;
            let inside = offset.checked_sub(cells.offset)?;
            (size == width && inside % size == 0 && inside / size < cells.count).then_some(cells.class)
        })
    }

    pub fn has_links(&self, types: &NodeTypes<'_>) -> bool {
        self.cells.iter().any(|cells| types.class(cells.class).link.is_some())
    }

    /// Returns whether some of its links are elements of arrays.
    pub fn has_arrays(&self, types: &NodeTypes<'_>) -> bool {
        let again = |(index, cells): (usize, &Cells)| {
            let more = cells.count > 1 || self.cells[..index].iter().any(|before| before.class == cells.class);
            more && types.class(cells.class).link.is_some()
        };
        !self.scalar && self.cells.iter().enumerate().any(again)
    }

    /// Returns whether it has arrays whose elements, cells or structs, are of this size.
    pub fn has_elements(&self, types: &NodeTypes<'_>, size: i64) -> bool {
        let cells = |cells: &Cells| cells.count > 1 && types.class(cells.class).width as i64 == size;
        let again = |&(at, part): &(u64, NodeId)| {
            types.node(part).size as i64 == size && self.parts.contains(&(at + size as u64, part))
        };
        self.cells.iter().any(cells) || self.parts.iter().any(again)
    }

    /// Returns whether it is an array of links.
    pub fn is_row(&self, types: &NodeTypes<'_>) -> bool {
        matches!(self.cells.as_slice(), [cells] if types.class(cells.class).row)
    }

    /// Returns offset and class of every single cell that overlaps a range of bytes.
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

    /// Returns offset and class of every single cell.
    pub fn all_cells(&self, types: &NodeTypes<'_>) -> Vec<(u64, ClassId)> {
        self.touched(types, 0, self.size)
    }

    /// Returns the offsets of the cells that a pointer to this scalar type may point to.
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

    /// Returns the number of elements of its longest array.
    pub fn longest_array(&self) -> u64 {
        self.cells.iter().map(|cells| cells.count).max().unwrap_or(0)
    }
}
