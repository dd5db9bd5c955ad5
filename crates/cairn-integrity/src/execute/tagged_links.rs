//! Links with tags in their low bits, and the demands that code makes on the cells that it reads.

use cairn_ir::BinaryOp;
use cairn_rules::Term;

use super::super::limits::LARGEST_TAG;
use super::super::solver::{Flow, Origin};
use super::super::state::Value;
use super::super::types::{ClassId, NodeId, TagMap};
use super::arithmetic::ValueOps;

/// Operations on tags.
impl ValueOps<'_, '_, '_> {
    /// Computes `and`, `or` or `xor` of a value with a mask.
    ///
    /// Nodes are aligned, so the low bits of their addresses are zero.
    pub(super) fn mask(&mut self, op: BinaryOp, term: Term, mask: i64) -> Value {
        match self.mask_cell(op, term, mask) {
            Some(Ok(value)) => return value,
            Some(Err(_)) => return Value::Unknown,
            None => {}
        }
        let Some(align) = self.solver.alignment(term) else { return Value::Unknown };
        let tag = term.offset.rem_euclid(align);
        let low = align - 1;
        Value::Term(match op {
            // Only bits of the tag remain.
            BinaryOp::And if mask & !low == 0 => Term::constant(tag & mask),
            // All other bits remain.
            BinaryOp::And if mask | low == -1 => term - tag + (tag & mask),
            BinaryOp::Or if mask & !low == 0 => term - tag + (tag | mask),
            BinaryOp::Xor if mask & !low == 0 => term - tag + (tag ^ mask),
            _ => return Value::Unknown,
        })
    }

    /// Computes `and`, `or` or `xor` of a value with a mask of low bits, if it was read from a cell.
    fn mask_cell(&mut self, op: BinaryOp, term: Term, mask: i64) -> Option<Flow<Value>> {
        let id = self.solver.origin(term)?.class.filter(|_| term.offset == 0)?;
        let low = if op == BinaryOp::And && mask < 0 { !mask } else { mask };
        if !(1..=LARGEST_TAG).contains(&low) {
            return None;
        }
        let class = self.solver.types().class(id);
        let node = match class.link {
            Some(node) if low & !class.tag == 0 => node,
            link => {
                if link.is_none() && class.pointer {
                    return None;
                }
                // The next execution knows of the tag.
                self.demands.mask(id, low);
                let cleared = link.is_none() && op == BinaryOp::And && mask < 0;
                return cleared.then(|| Ok(Value::Term(self.derived(term, id, None, low))));
            }
        };
        let keeps = !(op == BinaryOp::And && mask >= 0);
        let table: Vec<i64> = (0..=class.tag)
            .map(|bits| match op {
                BinaryOp::And => bits & mask & class.tag,
                BinaryOp::Or => bits | mask,
                _ => bits ^ mask,
            })
            .collect();
        let map = TagMap { node, keeps, table };
        let Some(predicate) = self.solver.theory().tag_map(&map) else {
            self.demands.map(map);
            return Some(Ok(Value::Term(self.derived(term, id, keeps.then_some(node), 0))));
        };
        let cleared = if op == BinaryOp::And && mask < 0 { low } else { 0 };
        let result = self.derived(term, id, keeps.then_some(node), cleared);
        let applied = self.solver.constraint(predicate, &[term, result]);
        Some(self.solver.assume(applied).and_then(|()| {
            if !keeps {
                let bounds = [
                    self.solver.at_most(Term::constant(0), result),
                    self.solver.at_most(result, Term::constant(class.tag)),
                ];
                for bound in bounds {
                    self.solver.assume(bound)?;
                }
            }
            Ok(Value::Term(result))
        }))
    }

    /// Makes a variable that was computed from the contents of a cell.
    fn derived(&mut self, term: Term, class: ClassId, hint: Option<NodeId>, cleared: i64) -> Term {
        let reach = self.solver.reach(term);
        let foreign = hint.is_none();
        self.solver.variable(Origin { hint, foreign, reach, derived: Some(class), cleared, ..Origin::default() })
    }

    /// Combines an address whose low bits are zero with a tag in these bits.
    pub(super) fn with_tag(&mut self, op: BinaryOp, lhs: Term, rhs: Term) -> Option<Value> {
        if !matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor) {
            return None;
        }
        for (address, tag) in [(lhs, rhs), (rhs, lhs)] {
            let room = self.zero_bits(address);
            let positive = self.solver.at_most(Term::constant(0), tag);
            if room == 0 || self.solver.is_address(tag) || !self.solver.is_refuted(&[!positive]) {
                continue;
            }
            for &(bits, predicate) in self.solver.theory().tagged() {
                let fits = self.solver.at_most(tag, Term::constant(bits));
                if bits <= room && self.solver.is_refuted(&[!fits]) {
                    let (hint, reach) = (self.solver.hint(address), self.solver.reach(address));
                    let foreign = hint.is_none();
                    let result = self.solver.variable(Origin { hint, foreign, reach, ..Origin::default() });
                    let sum = self.solver.constraint(predicate, &[result, address, tag]);
                    self.solver.note(sum);
                    return Some(Value::Term(result));
                }
            }
        }
        None
    }

    /// Returns the low bits of a value that are certainly zero, as a mask.
    fn zero_bits(&mut self, term: Term) -> i64 {
        let cleared = self.solver.origin(term).map_or(0, |origin| if term.offset == 0 { origin.cleared } else { 0 });
        let aligned =
            self.solver.is_address(term) && self.solver.alignment(term).is_some_and(|align| term.offset % align == 0);
        if aligned { self.solver.alignment(term).map_or(cleared, |align| cleared.max(align - 1)) } else { cleared }
    }
}

/// Demands on the cells that values were read from.
impl ValueOps<'_, '_, '_> {
    /// Returns the class of integers that a value was read from, if its low bits were taken off.
    ///
    /// An integer that is used as a pointer without that is a mistake.
    fn masked_integer(&self, term: Term) -> Option<ClassId> {
        let class = self.solver.origin(term)?.derived?;
        let known = self.solver.types().class(class);
        let width = u64::from(self.target.pointer_bits() / 8);
        (known.link.is_none() && !known.pointer && known.width == width).then_some(class)
    }

    /// Demands that a cell holds a link, if a pointer is made of the integer in it.
    pub fn demand_link(&mut self, term: Term, node: Option<NodeId>) {
        if let (Some(class), Some(node)) = (self.masked_integer(term), node)
            && !self.solver.types().node(node).scalar
        {
            self.demands.link(class, node);
        }
    }

    /// Demands that a cell holds a link to its own type, if the integer in it is used as an address of unknown type.
    pub fn demand_own_type(&mut self, term: Term) {
        let Some(class) = self.masked_integer(term) else { return };
        let mut owners =
            self.solver.types().nodes().filter(|(_, ty)| {
                !ty.scalar && ty.parts.is_empty() && ty.cells.iter().any(|cells| cells.class == class)
            });
        if let Some((owner, _)) = owners.next() {
            self.demands.link(class, owner);
        }
    }

    /// Returns the class of pointers to pointers that a value was read from.
    fn double_pointer(&self, term: Term) -> Option<ClassId> {
        self.solver.origin(term)?.class.filter(|&class| self.solver.types().class(class).to_cell.is_some())
    }

    /// Demands that a pointer to a pointer links to a single cell, or to an array, by an access through it.
    pub fn demand_cell(&mut self, address: Term) {
        match self.double_pointer(address) {
            Some(class) if address.offset == 0 => self.demands.cell(class),
            Some(class) => self.demands.array(class),
            None => {}
        }
    }

    /// Demands that a pointer to a pointer links to an array.
    pub fn demand_array(&mut self, base: Term) {
        if let Some(class) = self.double_pointer(base) {
            self.demands.array(class);
        }
    }

    /// Demands that pointers to pointers link to arrays, if new memory or a foreign pointer is stored in one.
    pub fn demand_array_of(&mut self, class: ClassId, value: Term) {
        let types = self.solver.types();
        let any = |origin: &Origin| {
            let made = origin.owned && origin.hint.is_some_and(|node| types.node(node).scalar);
            origin.untyped.is_some() || made || (origin.foreign && self.double_pointer(value).is_none())
        };
        if types.class(class).to_cell.is_some() && self.solver.origin(value).is_some_and(any) {
            self.demands.array(class);
        }
    }
}
