//! Facts about cells that only the code shows: tags in links, links in integers, and links to single cells.
//!
//! Code shows them by masking a value that it reads from a cell, by making a pointer of the rest of an integer, or by
//! accessing the target of a pointer to a pointer and nothing after it. These operations are only seen during an
//! execution, and the rules are made before it. So the first execution collects demands ("this class holds links to
//! that type, with tags in those bits"). If there are any, the rules are made anew and everything is executed again. A
//! demand is no promise: with it, all functions have to keep the cells valid in this sense.

use super::super::limits::LARGEST_TAG;
use super::{ClassId, NodeId, NodeTypes};

/// The result of an operation on an address with a tag, for each tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TagMap {
    /// The type of the node.
    pub node: NodeId,
    /// Whether the result has the address as well; otherwise it is the tag alone.
    pub keeps: bool,
    /// The tag of the result, indexed by the tag of the operand.
    pub table: Vec<i64>,
}

/// The demands of a program's code on its classes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Demands {
    /// Bits that are masked in cells of a class.
    masks: Vec<(ClassId, i64)>,
    /// Pointers that are made of integers in cells of a class. A class with two types gets none.
    links: Vec<(ClassId, NodeId)>,
    /// Pointers to pointers whose target is accessed.
    cells: Vec<ClassId>,
    /// Pointers to pointers that point to arrays, or to anything.
    arrays: Vec<ClassId>,
    maps: Vec<TagMap>,
}

impl Demands {
    /// Adds the demands of another function and returns whether any is new.
    pub fn join(&mut self, others: Demands) -> bool {
        let before = self.clone();
        for (class, mask) in others.masks {
            self.mask(class, mask);
        }
        for (class, node) in others.links {
            self.link(class, node);
        }
        for map in others.maps {
            self.map(map);
        }
        for (mine, others) in [(&mut self.cells, others.cells), (&mut self.arrays, others.arrays)] {
            mine.extend(others);
            mine.sort_unstable();
            mine.dedup();
        }
        *self != before
    }

    /// Returns the operations on tags.
    pub fn maps(&self) -> &[TagMap] {
        &self.maps
    }

    /// Adds bits that are masked in cells of a class.
    pub fn mask(&mut self, class: ClassId, bits: i64) {
        match self.masks.iter_mut().find(|(known, _)| *known == class) {
            Some((_, mask)) => *mask |= bits,
            None => self.masks.push((class, bits)),
        }
    }

    /// Adds the type of a pointer that is made of integers in cells of a class.
    pub fn link(&mut self, class: ClassId, node: NodeId) {
        if !self.links.contains(&(class, node)) {
            self.links.push((class, node));
        }
    }

    /// Adds an operation on a tag.
    pub fn map(&mut self, map: TagMap) {
        if !self.maps.contains(&map) {
            self.maps.push(map);
        }
    }

    /// Adds a class of pointers to pointers whose target is accessed.
    pub fn cell(&mut self, class: ClassId) {
        self.cells.push(class);
    }

    /// Adds a class of pointers to pointers that point to arrays.
    pub fn array(&mut self, class: ClassId) {
        self.arrays.push(class);
    }

    /// Refines the classes by what is demanded of them.
    pub fn apply(&self, types: &mut NodeTypes<'_>) {
        for &(class, node) in &self.links {
            let several = self.links.iter().any(|&(other, ty)| other == class && ty != node);
            if types.class(class).link.is_none() && !types.class(class).pointer && !several {
                types.classes[class.index()].link = Some(node);
            }
        }
        for &class in &self.cells {
            if types.class(class).link.is_none() && !self.arrays.contains(&class) {
                types.classes[class.index()].link = types.class(class).to_cell;
            }
        }
        for &(class, mask) in &self.masks {
            let Some(link) = types.class(class).link else { continue };
            // All bits up to the highest one that is masked.
            let tag = ((mask as u64).checked_ilog2().map_or(0, |bit| (2_u64 << bit) - 1)) as i64;
            if tag <= LARGEST_TAG && tag < types.node(link).align as i64 {
                types.classes[class.index()].tag = tag;
            }
        }
    }
}
