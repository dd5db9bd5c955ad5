//! Questions about addresses: what they point to, as far as declarations and the path say.

use cairn_rules::{Lit, Term};

use super::super::limits::ALLOCATION_ALIGNMENT;
use super::super::types::{Cells, ClassId, NodeId};
use super::PathSolver;

impl PathSolver<'_, '_> {
    /// Returns whether declarations say that a term is an address.
    pub fn is_address(&self, term: Term) -> bool {
        self.origin(term).is_some_and(|origin| origin.hint.is_some() || origin.untyped.is_some())
    }

    /// Returns the alignment of an address, if it is certainly that of an object, or null.
    pub fn alignment(&mut self, term: Term) -> Option<i64> {
        let base = Term { offset: 0, ..term };
        let origin = self.origin(term)?;
        if origin.untyped.is_some() && origin.hint.is_none() {
            return Some(ALLOCATION_ALIGNMENT);
        }
        let node = origin.hint?;
        let align = self.types.node(node).align as i64;
        let object = self.object(node, base);
        let null = self.is_null(base);
        self.is_refuted(&[!object, !null]).then_some(align)
    }

    /// Finds a node that certainly exists and contains a range of bytes: its type, its address and the offset.
    pub fn known_object(&self, address: Term, width: u64) -> Option<(NodeId, Term, i64)> {
        self.types.nodes().filter(|(_, ty)| !ty.scalar).find_map(|(node, ty)| {
            let room = ty.size as i64 - width as i64;
            self.rules.constraints(self.theory.object(node)).find_map(|args| {
                let offset = self.difference(address, args[0])?;
                (0..=room).contains(&offset).then_some((node, args[0], offset))
            })
        })
    }

    /// Finds the node that an address with its tag taken off lies in, and the start of the node.
    pub fn tagged_base(&mut self, address: Term, width: u64) -> Option<(NodeId, Term)> {
        let class = self.types.class(self.origin(address)?.class?);
        let node = class.link?;
        let read = Term { offset: 0, ..address };
        for bits in 1..=class.tag {
            let (base, offset) = (read - bits, address.offset + bits);
            if offset < 0 || offset + width as i64 > self.types.node(node).size as i64 {
                continue;
            }
            let object = self.object(node, base);
            let null = self.is_null(base);
            if self.is_refuted(&[!object, !null]) {
                return Some((node, base));
            }
        }
        None
    }

    /// Returns whether an address was made of a pointer to data that is no variable: it may point to an array.
    pub fn is_pointer_to_data(&self, address: Term) -> bool {
        let Some(origin) = self.origin(address).filter(|origin| !origin.owned) else { return false };
        let scalar = origin.hint.is_some_and(|node| self.types.node(node).scalar);
        let null = self.constant(Term { offset: 0, ..address }).is_some();
        let link = |class: ClassId| self.types.class(class).link.is_some_and(|link| self.types.node(link).scalar);
        scalar && !null && origin.class.is_none_or(link)
    }

    /// Returns whether some type has the target of an address as a part and would contain the whole range.
    pub fn is_in_container(&self, address: Term, width: u64) -> bool {
        let Some(part) = self.hint(address) else { return false };
        self.types.nodes().any(|(_, node)| {
            let mut parts = node.parts.iter().filter(|(_, of)| *of == part);
            parts.any(|&(at, _)| {
                let offset = address.offset + at as i64;
                offset >= 0 && offset + width as i64 <= node.size as i64
            })
        })
    }

    /// Returns whether a pointer is computed from one to a part of a node (`container_of`).
    ///
    /// No type says whether there is such a node.
    pub fn is_container(&self, term: Term, node: NodeId) -> bool {
        self.hint(term).is_some_and(|part| {
            let name = &self.types.node(node).name;
            term.offset <= 0 && self.types.containers(part, -term.offset).any(|container| container.name == *name)
        })
    }

    /// Returns whether a pointer is cast from a struct that has pointers to anything where the other one has links.
    ///
    /// The targets of these pointers are not known.
    pub fn is_other_view(&self, term: Term, node: NodeId) -> bool {
        let Some(own) = self.hint(term).filter(|_| term.offset == 0) else { return false };
        let (own, node) = (self.types.node(own), self.types.node(node));
        let is_pointer = |cells: &Cells| {
            let there = own.cell(self.types, cells.offset as i64, self.types.class(cells.class).width);
            there.is_some_and(|class| self.types.class(class).pointer && self.types.class(class).link.is_none())
        };
        let mut links = node.cells.iter().filter(|cells| self.types.class(cells.class).link.is_some()).peekable();
        own.size >= node.size && !own.scalar && links.peek().is_some() && links.all(is_pointer)
    }

    /// Returns the addresses of a variable, of the structs in it, and of its cells that links may lead to.
    pub fn parts_of(&self, slot: Term) -> Vec<Term> {
        let mut out = vec![slot];
        if let Some(node) = self.hint(slot).map(|node| self.types.node(node)) {
            out.extend(node.parts.iter().map(|&(at, _)| slot + at as i64));
            let linked: Vec<ClassId> = self.types.linked_cells().collect();
            if !linked.is_empty() {
                let cells = node.all_cells(self.types).into_iter();
                out.extend(cells.filter(|(_, class)| linked.contains(class)).map(|(at, _)| slot + at as i64));
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Returns whether an object of one term's type may be, or be a part of, an object of the other's.
    pub fn may_be(&self, term: Term, slot: Term) -> bool {
        let (Some(node), Some(outer)) = (self.hint(term), self.hint(slot)) else { return true };
        let (ty, whole) = (self.types.node(node), self.types.node(outer));
        node == outer
            || whole.parts.iter().any(|&(_, part)| part == node)
            || (ty.scalar && !whole.offsets_of(self.types, ty).is_empty())
    }

    /// Returns whether a value certainly is one of several addresses, unless that is null, and this is possible.
    pub fn is_one_of(&mut self, value: Term, addresses: &[Term], given: &[Lit]) -> bool {
        addresses.iter().any(|&address| {
            let mut lits = given.to_vec();
            lits.push(!self.is_null(address));
            lits.push(!self.equal(value, address));
            if !self.may_be(value, address) || !self.is_refuted(&lits) {
                return false;
            }
            lits.pop();
            !self.is_refuted(&lits)
        })
    }
}
