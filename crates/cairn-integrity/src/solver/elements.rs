//! Addresses of array elements by variable indices.

use cairn_rules::{Lit, Term};

use super::super::limits::ARRAY_ELEMENTS;
use super::super::types::{ClassId, NodeId, NodeType};
use super::{Element, Flow, Origin, PathSolver};

/// The address of an element as a sum.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// The address of the outermost array.
    pub root: Term,
    /// A constant.
    pub offset: i64,
    /// The indices with the sizes of the elements that they count, largest first.
    pub indices: Vec<(Term, i64)>,
}

/// An index, and the values between which it has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexBounds {
    pub index: Term,
    pub low: i64,
    pub high: i64,
}

impl PathSolver<'_, '_> {
    /// Returns the address of an element, counted from another address.
    pub fn element(&mut self, base: Term, index: Term, scale: i64) -> Term {
        let constant = self.constant(index);
        if let Some(index) = constant {
            let node = self.hint(base);
            if scale <= 1 || !node.is_some_and(|node| self.types.node(node).has_elements(self.types, scale)) {
                return base + index.wrapping_mul(scale);
            }
        }
        let element = Element { base, index, scale };
        let term = match self.elements.get(&element) {
            Some(&known) => known,
            None => {
                let foreign = self.origin(base).is_some_and(|origin| origin.foreign);
                let reach = self.reach(base);
                let term = self.variable(Origin { element: Some(element), foreign, reach, ..Origin::default() });
                self.elements.insert(element, term);
                term
            }
        };
        // Assumptions of another path are gone, so these are made on each use.
        if let Some(index) = constant {
            self.note_equal(term, base + index.wrapping_mul(scale));
        } else if index.offset != 0 {
            // Elements whose indices differ by a constant are as far apart.
            let first = self.element(base, Term { offset: 0, ..index }, scale);
            self.note_equal(term, first + index.offset.wrapping_mul(scale));
        }
        term
    }

    fn note_equal(&mut self, term: Term, value: Term) {
        let equal = self.equal(term, value);
        self.note(equal);
    }

    /// Decomposes the address of an element; `None` for other addresses.
    pub fn spread(&self, address: Term) -> Option<Spread> {
        let (mut root, mut offset, mut indices) = (address, 0_i64, Vec::new());
        while let Some(element) = self.origin(root).and_then(|origin| origin.element) {
            offset = offset.wrapping_add(root.offset);
            indices.push((element.index, element.scale));
            root = element.base;
        }
        indices.sort_by_key(|&(_, scale)| -scale);
        (root != address).then_some(Spread { root, offset, indices })
    }

    /// Returns the literals by which an index is below and above its bounds.
    pub fn outside(&mut self, bounds: &IndexBounds) -> [Lit; 2] {
        let below = !self.at_most(Term::constant(bounds.low), bounds.index);
        let above = !self.at_most(bounds.index, Term::constant(bounds.high));
        [below, above]
    }

    /// Returns the class of the elements with these indices, and the bounds of the indices.
    ///
    /// `first` is the offset of the element whose indices are all zero.
    pub fn elements_by_index(
        &self,
        ty: &NodeType,
        first: i64,
        width: u64,
        indices: &[(Term, i64)],
    ) -> Option<(ClassId, Vec<IndexBounds>)> {
        let class = ty.cell(self.types, first, width)?;
        // Contiguous elements need not be enumerated.
        let mut row = ty.cells.iter().filter(|cells| {
            let end = cells.offset + cells.count * width;
            cells.class == class && (cells.offset as i64..end as i64).contains(&first)
        });
        if let (&[(index, scale)], Some(cells)) = (indices, row.next().filter(|cells| cells.count > 1))
            && scale > 0
            && scale % width as i64 == 0
        {
            let (from, to) = (cells.offset as i64 - first, (cells.offset + (cells.count - 1) * width) as i64 - first);
            let (low, high) = (-(-from).div_euclid(scale), to.div_euclid(scale));
            return Some((class, vec![IndexBounds { index, low, high }]));
        }
        let fits = |offset: i64| ty.cell(self.types, offset, width) == Some(class);
        Some((class, index_bounds(ty, first, width, indices, &fits)?))
    }

    /// Returns the type of the struct at an address, if it is an element of an array of structs.
    pub fn struct_element(&self, address: Term, size: u64) -> Option<NodeId> {
        let Spread { root, offset, .. } = self.spread(address)?;
        let outer = self.types.node(self.hint(root)?);
        let first = root.offset.wrapping_add(offset);
        let here = |&&(at, part): &&(u64, NodeId)| at as i64 == first && self.types.node(part).size == size;
        outer.parts.iter().find(here).map(|&(_, part)| part).filter(|&part| !self.types.node(part).cells.is_empty())
    }

    /// Assumes that an element is a node, if all elements are nodes of that type and the indices are inside.
    pub fn recognise_element(&mut self, term: Term, node: NodeId) -> Flow {
        let Some(Spread { root, offset, indices }) = self.spread(term) else { return Ok(()) };
        let start = Term { offset: 0, ..root };
        let Some(outer) = self.hint(root) else { return Ok(()) };
        let object = self.object(outer, start);
        if self.value(object) != Some(true) && !self.is_refuted(&[!object]) {
            return Ok(());
        }
        let first = root.offset.wrapping_add(offset);
        let (ty, wanted) = (self.types.node(outer), self.types.node(node));
        let cells = if wanted.scalar { ty.offsets_of(self.types, wanted) } else { Vec::new() };
        let is_one = |offset: i64| {
            cells.contains(&offset) || ty.parts.iter().any(|&(at, part)| at as i64 == offset && part == node)
        };
        let Some(bounds) = index_bounds(ty, first, wanted.size, &indices, &is_one) else { return Ok(()) };
        for bound in &bounds {
            for outside in self.outside(bound) {
                if !self.is_refuted(&[outside]) {
                    return Ok(());
                }
            }
        }
        let object = self.object(node, term);
        self.assume(object)
    }
}

/// Returns the bounds of indices by which an element is like all elements of its array.
///
/// `fits` says so for an offset of the node.
///
/// All indices but that of the largest elements belong to an array that is an element itself.
fn index_bounds(
    ty: &NodeType,
    first: i64,
    width: u64,
    indices: &[(Term, i64)],
    fits: &dyn Fn(i64) -> bool,
) -> Option<Vec<IndexBounds>> {
    let Some((&(outer, stride), inner)) = indices.split_first() else { return Some(Vec::new()) };
    let mut bounds = Vec::new();
    let mut offsets = vec![first];
    let mut larger = stride;
    for &(index, scale) in inner {
        let enumerated = |scale: i64| larger / scale * offsets.len() as i64;
        if scale <= 0 || scale == larger || larger % scale != 0 || enumerated(scale) > ARRAY_ELEMENTS {
            return None;
        }
        let high = larger / scale - 1;
        offsets = offsets.iter().flat_map(|&at| (0..=high).map(move |index| at + index * scale)).collect();
        bounds.push(IndexBounds { index, low: 0, high });
        larger = scale;
    }
    let inside = |offset: i64| offset >= 0 && offset + width as i64 <= ty.size as i64;
    let whole = |steps: i64| {
        let at = |offset: &i64| offset + steps * stride;
        offsets.iter().all(|offset| inside(at(offset)) && fits(at(offset)))
    };
    if stride <= 0 || ty.size as i64 / stride > ARRAY_ELEMENTS || !whole(0) {
        return None;
    }
    let low = (1..).take_while(|&steps| whole(-steps)).last().map_or(0, |steps: i64| -steps);
    let high = (1..).take_while(|&steps| whole(steps)).last().unwrap_or(0);
    bounds.push(IndexBounds { index: outer, low, high });
    Some(bounds)
}
