//! Tags in the low bits of links, links with tags in integers, and links to single cells, where the code shows them: it masks what it
//! reads from a cell, makes a pointer of what is left of an integer, or accesses what a pointer to a pointer points to and nothing
//! behind it.
//!
//! What functions do with cells is only known when they are executed, and the rules are made before that. So the first execution
//! collects demands (`Demands`): this class of cells holds links to that type, with tags in those bits. If there are any, the
//! rules are made anew and everything is executed again. A demand is no promise: with it, all functions have to keep the cells
//! valid in this sense.

use cairn_ir::BinaryOp;
use cairn_rules::Term;

use super::checker::{Checker, Flow};
use super::state::{Origin, Value};
use super::types::{ClassId, NodeId, NodeTypes};

/// The most bits of a tag: an allocation is aligned to 16 bytes.
const MOST: i64 = 15;

/// What an operation makes of an address with a tag: the tags are the indices of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TagMap {
    pub node: NodeId,
    /// Whether the address is kept; otherwise only the tag is left.
    pub keeps: bool,
    pub table: Vec<i64>,
}

/// What the code shows about cells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Demands {
    /// Bits that are masked in cells of a class.
    masks: Vec<(ClassId, i64)>,
    /// Pointers that are made of integers in cells of a class. Two types for one class are none.
    links: Vec<(ClassId, NodeId)>,
    /// Pointers to pointers that are followed,
    cells: Vec<ClassId>,
    /// and those that point to arrays, or to anything.
    arrays: Vec<ClassId>,
    pub maps: Vec<TagMap>,
}

impl Demands {
    /// Adds those of another function. Whether anything is new.
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

    fn mask(&mut self, class: ClassId, bits: i64) {
        match self.masks.iter_mut().find(|(known, _)| *known == class) {
            Some((_, mask)) => *mask |= bits,
            None => self.masks.push((class, bits)),
        }
    }

    fn link(&mut self, class: ClassId, node: NodeId) {
        if !self.links.contains(&(class, node)) {
            self.links.push((class, node));
        }
    }

    fn map(&mut self, map: TagMap) {
        if !self.maps.contains(&map) {
            self.maps.push(map);
        }
    }

    /// Gives the classes what is demanded of them.
    pub fn apply(&self, types: &mut NodeTypes<'_>) {
        for &(class, node) in &self.links {
            let several = self.links.iter().any(|&(other, ty)| other == class && ty != node);
            if types.class(class).link.is_none() && !types.class(class).pointer && !several {
                types.classes[class.0 as usize].link = Some(node);
            }
        }
        for &class in &self.cells {
            if types.class(class).link.is_none() && !self.arrays.contains(&class) {
                types.classes[class.0 as usize].link = types.class(class).to_cell;
            }
        }
        for &(class, mask) in &self.masks {
            let Some(link) = types.class(class).link else { continue };
            // A whole number of low bits.
            let tag = ((mask as u64).checked_ilog2().map_or(0, |bit| (2_u64 << bit) - 1)) as i64;
            if tag <= MOST && tag < types.node(link).align as i64 {
                types.classes[class.0 as usize].tag = tag;
            }
        }
    }
}

impl Checker<'_, '_> {
    /// `and`, `or` and `xor` of what was read from a cell with a mask.
    pub fn tag_operation(&mut self, op: BinaryOp, term: Term, mask: i64) -> Option<Flow<Value>> {
        let class = self.origin(term)?.class.filter(|_| term.offset == 0)?;
        let low = if op == BinaryOp::And && mask < 0 { !mask } else { mask };
        if !(1..=MOST).contains(&low) {
            return None;
        }
        let (link, tag) = (self.types.class(class).link, self.types.class(class).tag);
        let node = match link {
            Some(node) if low & !tag == 0 => node,
            _ => {
                if link.is_none() && self.types.class(class).pointer {
                    return None;
                }
                // It is not known yet; the next execution knows.
                self.demands.mask(class, low);
                let cleared = link.is_none() && op == BinaryOp::And && mask < 0;
                return cleared.then(|| Ok(self.derived(term, class, None, low)));
            }
        };
        let keeps = !(op == BinaryOp::And && mask >= 0);
        let table: Vec<i64> = (0..=tag)
            .map(|bits| match op {
                BinaryOp::And => bits & mask & tag,
                BinaryOp::Or => bits | mask,
                _ => bits ^ mask,
            })
            .collect();
        let map = TagMap { node, keeps, table };
        let Some(predicate) = self.theory.tag_map(&map) else {
            self.demands.map(map);
            return Some(Ok(self.derived(term, class, keeps.then_some(node), 0)));
        };
        let cleared = if op == BinaryOp::And && mask < 0 { low } else { 0 };
        let value = self.derived(term, class, keeps.then_some(node), cleared);
        let Value::Term(result) = value else { return None };
        let applied = self.solver.constraint(predicate, &[term, result]);
        if let Err(stop) = self.assume(applied) {
            return Some(Err(stop));
        }
        if !keeps {
            let bounds =
                [self.solver.at_most(Term::constant(0), result), self.solver.at_most(result, Term::constant(tag))];
            for bound in bounds {
                if let Err(stop) = self.assume(bound) {
                    return Some(Err(stop));
                }
            }
        }
        Some(Ok(value))
    }

    /// A value that was computed from one that was read from a cell.
    fn derived(&mut self, term: Term, class: ClassId, hint: Option<NodeId>, cleared: i64) -> Value {
        let mut origin = Origin::unknown();
        origin.hint = hint;
        origin.foreign = hint.is_none();
        origin.reach = self.reach(term);
        origin.derived = Some(class);
        origin.cleared = cleared;
        Value::Term(self.variable(origin))
    }

    /// An address whose low bits are zero, and a tag in these bits, in one word.
    pub fn with_tag(&mut self, op: BinaryOp, lhs: Term, rhs: Term) -> Option<Value> {
        if !matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor) {
            return None;
        }
        let zeros = |checker: &mut Self, term: Term| {
            let cleared = checker.origin(term).map_or(0, |origin| if term.offset == 0 { origin.cleared } else { 0 });
            let aligned =
                checker.is_address(term) && checker.alignment(term).is_some_and(|align| term.offset % align == 0);
            if aligned { checker.alignment(term).map_or(cleared, |align| cleared.max(align - 1)) } else { cleared }
        };
        for (address, tag) in [(lhs, rhs), (rhs, lhs)] {
            let room = zeros(self, address);
            let positive = self.solver.at_most(Term::constant(0), tag);
            if room == 0 || self.is_address(tag) || self.prove(&[!positive]).is_err() {
                continue;
            }
            for (bits, predicate) in self.theory.tagged() {
                let fits = self.solver.at_most(tag, Term::constant(bits));
                if bits <= room && self.prove(&[!fits]).is_ok() {
                    let mut origin = Origin::unknown();
                    origin.hint = self.origin(address).and_then(|origin| origin.hint);
                    origin.foreign = origin.hint.is_none();
                    origin.reach = self.reach(address);
                    let result = self.variable(origin);
                    let sum = self.solver.constraint(predicate, &[result, address, tag]);
                    self.solver.assume(sum);
                    return Some(Value::Term(result));
                }
            }
        }
        None
    }

    /// The class of integers that a value was read from, if its low bits were taken off. An integer that is used as a pointer
    /// just so is a mistake.
    fn integers(&self, term: Term) -> Option<ClassId> {
        let class = self.origin(term)?.derived?;
        let known = self.types.class(class);
        let width = u64::from(self.program.target.pointer_bits() / 8);
        (known.link.is_none() && !known.pointer && known.width == width).then_some(class)
    }

    /// A pointer of this type is made of a value: if that is an integer from a cell, the cell holds a link.
    pub fn demand_link(&mut self, term: Term, node: Option<NodeId>) {
        if let (Some(class), Some(node)) = (self.integers(term), node)
            && !self.types.node(node).scalar
        {
            self.demands.link(class, node);
        }
    }

    /// An integer from a cell is used as an address, and nothing says of what: most likely of a node like the one that it was
    /// in.
    pub fn demand_own_type(&mut self, term: Term) {
        let Some(class) = self.integers(term) else { return };
        let mut owners = (0..self.types.nodes.len()).map(|index| NodeId(index as u32)).filter(|&node| {
            let ty = self.types.node(node);
            !ty.scalar && ty.parts.is_empty() && ty.cells.iter().any(|cells| cells.class == class)
        });
        if let Some(owner) = owners.next() {
            self.demands.link(class, owner);
        }
    }

    /// The class of pointers to pointers that a value was read from.
    fn double(&self, term: Term) -> Option<ClassId> {
        self.origin(term)?.class.filter(|&class| self.types.class(class).to_cell.is_some())
    }

    /// What a pointer to a pointer points to is accessed.
    pub fn demand_cell(&mut self, address: Term) {
        match self.double(address) {
            Some(class) if address.offset == 0 => self.demands.cells.push(class),
            Some(class) => self.demands.arrays.push(class),
            None => {}
        }
    }

    /// A pointer to a pointer is used as an array.
    pub fn demand_array(&mut self, base: Term) {
        if let Some(class) = self.double(base) {
            self.demands.arrays.push(class);
        }
    }

    /// A value is put where pointers to pointers are: new memory is an array, and of what came from outside nothing is known.
    pub fn demand_array_of(&mut self, class: ClassId, value: Term) {
        let any = |origin: &Origin| {
            let made = origin.owned && origin.hint.is_some_and(|node| self.types.node(node).scalar);
            origin.block.is_some() || made || (origin.foreign && self.double(value).is_none())
        };
        if self.types.class(class).to_cell.is_some() && self.origin(value).is_some_and(any) {
            self.demands.arrays.push(class);
        }
    }

    /// The node that an address with a tag in it, and the tag taken off, lies in: the start of the node.
    pub fn tagged_base(&mut self, address: Term, width: u64) -> Option<(NodeId, Term)> {
        let class = self.origin(address)?.class?;
        let (node, tag) = (self.types.class(class).link?, self.types.class(class).tag);
        let read = Term { offset: 0, ..address };
        for bits in 1..=tag {
            let (base, offset) = (read - bits, address.offset + bits);
            if offset < 0 || offset + width as i64 > self.types.node(node).size as i64 {
                continue;
            }
            let object = self.solver.constraint(self.theory.object(node), &[base]);
            let null = self.solver.equal(base, Term::constant(0));
            if self.prove(&[!object, !null]).is_ok() {
                return Some((node, base));
            }
        }
        None
    }
}
