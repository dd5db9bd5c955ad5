//! Elements of arrays by indices that are no constants: their addresses, and whether they are inside.

use cairn_ir::Loc;
use cairn_rules::{Lit, Term};

use super::access::Place;
use super::checker::{Checker, Flow, Stop};
use super::state::{Element, Origin, State};
use super::types::{ClassId, NodeId, NodeType};

/// Elements of one array that are looked at one by one.
const ELEMENTS: i64 = 4096;

/// An address as a sum: where the outermost array is, a constant, and indices with the sizes of what they count.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    pub root: Term,
    offset: i64,
    indices: Vec<(Term, i64)>,
}

/// An index, and between which values it has to be.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    index: Term,
    low: i64,
    high: i64,
}

impl Checker<'_, '_> {
    /// An address some elements further than another one.
    pub fn offset(&mut self, base: Term, index: Term, scale: i64) -> Term {
        let constant = self.solver.constant(index);
        if constant != Some(0) {
            self.demand_array(base);
        }
        if let Some(index) = constant {
            let node = self.origin(base).and_then(|origin| origin.hint);
            if scale <= 1 || !node.is_some_and(|node| self.types.node(node).has_elements(self.types, scale)) {
                return base + index.wrapping_mul(scale);
            }
        }
        let element = Element { base, index, scale };
        let known = self.elements.get(&element).copied();
        let term = known.unwrap_or_else(|| {
            let mut origin = Origin::unknown();
            origin.element = Some(element);
            origin.foreign = self.origin(base).is_some_and(|origin| origin.foreign);
            origin.reach = self.reach(base);
            let term = self.variable(origin);
            self.elements.insert(element, term);
            term
        });
        // What was assumed of it on another path is gone.
        if let Some(index) = constant {
            self.exactly(term, base + index.wrapping_mul(scale));
        } else if index.offset != 0 {
            // Elements whose indices differ by a constant are as far apart.
            let first = self.offset(base, Term { offset: 0, ..index }, scale);
            self.exactly(term, first + index.offset.wrapping_mul(scale));
        }
        term
    }

    fn exactly(&mut self, term: Term, value: Term) {
        let equal = self.solver.equal(term, value);
        self.solver.assume(equal);
    }

    /// What an address is made of, if it is that of an element. Indices come with the largest elements first.
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

    /// Whether an integer is at least a bound because it is at least one less, and that is not its value.
    fn is_bottom(&mut self, index: Term, low: i64) -> bool {
        let below = !self.solver.at_most(Term::constant(low.saturating_sub(1)), index);
        self.prove(&[below]).is_ok() && self.is_never(index, low.saturating_sub(1))
    }

    /// An element of an array in a node, by indices that are no constants.
    pub fn resolve_element(&mut self, state: &State, address: Term, width: u64, loc: Loc) -> Flow<Place> {
        let Some(Spread { root, offset, indices }) = self.spread(address) else { return Err(Stop::Done) };
        // The node has to be there, whatever the indices are.
        let place = self.resolve(state, root, 1, loc)?;
        let (node, start) = match place {
            Place::Bytes(node, base) => (node, base),
            _ => {
                let hint = self.origin(root).and_then(|origin| origin.hint);
                let base = Term { offset: 0, ..root };
                let proved = hint.filter(|&node| {
                    let object = self.solver.constraint(self.theory.object(node), &[base]);
                    self.solver.value(object) == Some(true)
                });
                match proved {
                    Some(node) if !matches!(place, Place::Somewhere(_) | Place::Block) => (node, base),
                    _ => return Err(self.unknown_length(loc)),
                }
            }
        };
        let Some(first) = self.solver.difference(root, start) else { return Err(Stop::Done) };
        let first = first + offset;
        let ty = self.types.node(node).clone();
        if ty.tail.is_some_and(|tail| first >= tail as i64) {
            return Err(self.unknown_length(loc));
        }
        let Some((class, bounds)) = self.cells_by_index(&ty, first, width, &indices) else {
            let constant = |&(index, scale): &(Term, i64)| self.solver.constant(index)?.checked_mul(scale);
            if let Some(more) = indices.iter().map(constant).sum::<Option<i64>>() {
                return self.resolve(state, root + offset.wrapping_add(more), width, loc);
            }
            let model = self.prove(&[]).err().flatten();
            return Err(self.memory_fails(state, loc, "an element that is no cell of an array in a node", model));
        };
        for bound in &bounds {
            self.keep_inside(state, &ty, bound, loc)?;
        }
        if self.types.class(class).row
            && let [bound] = bounds.as_slice()
        {
            // Cells of such arrays are told apart by the order of their addresses.
            let scale = indices[0].1;
            let (first, last) = (start + (first + bound.low * scale), start + (first + bound.high * scale));
            for bound in [self.solver.at_most(first, address), self.solver.at_most(address, last)] {
                self.assume(bound)?;
            }
        }
        if let Some(inside) = self.theory.inside(node) {
            let inside = self.solver.constraint(inside, &[address, start]);
            self.assume(inside)?;
        }
        Ok(Place::Cell(class))
    }

    /// The class of the cells that are elements with these indices, and between which values these have to be.
    fn cells_by_index(
        &self,
        ty: &NodeType,
        first: i64,
        width: u64,
        indices: &[(Term, i64)],
    ) -> Option<(ClassId, Vec<Bounds>)> {
        let class = ty.cell(self.types, first, width)?;
        // Elements one behind the other need not be looked at one by one.
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
            return Some((class, vec![Bounds { index, low, high }]));
        }
        let fits = |offset: i64| ty.cell(self.types, offset, width) == Some(class);
        Some((class, boxed(ty, first, width, indices, &fits)?))
    }

    /// An index has to be between its bounds; what happens when it is is checked all the same.
    fn keep_inside(&mut self, state: &State, ty: &NodeType, bounds: &Bounds, loc: Loc) -> Flow {
        let Bounds { index, low, high } = *bounds;
        let [below, above] = self.outside(bounds);
        for outside in [below, above] {
            let Err(model) = self.prove(&[outside]) else { continue };
            if outside == above && self.is_unbounded(index) {
                if let Some(turns) = self.options.longest_path {
                    let counted = Term { offset: 0, ..index };
                    let short = self.solver.at_most(counted, Term::constant(i64::from(turns)));
                    self.assume(short)?;
                    if self.prove(&[outside]).is_ok() {
                        continue;
                    }
                }
                let length = ty.cells.iter().map(|cells| cells.count).max().unwrap_or(0);
                self.undecided(
                    loc,
                    &format!(
                        "the index counts turns of a loop that only the graph bounds: the access stays inside of the array of \
                         {length} elements as long as the index is at most {high}, which no type says (--longest-path does)"
                    ),
                );
            } else if !self.summaries[self.function.index()].open && self.inputs.contains(&index) {
                self.undecided(loc, "whether the index is inside depends on the callers, which all are here");
            } else if outside == above || !self.is_bottom(index, low) {
                self.memory_doubt(state, loc, "an index that may be outside of the array", model);
            }
            self.assume(!outside)?;
        }
        Ok(())
    }

    /// Whether an integer counts the turns of a loop, and nothing in the code bounds it.
    fn is_unbounded(&mut self, index: Term) -> bool {
        let Some(by_length) = self.origin(index).filter(|origin| origin.counter).map(|origin| origin.by_length) else {
            return false;
        };
        let bounded = self.solver.at_most(index, Term::constant(i64::from(i32::MAX) / 2));
        by_length || self.prove(&[!bounded]).is_err()
    }

    fn outside(&mut self, bounds: &Bounds) -> [Lit; 2] {
        let below = !self.solver.at_most(Term::constant(bounds.low), bounds.index);
        let above = !self.solver.at_most(bounds.index, Term::constant(bounds.high));
        [below, above]
    }

    /// The type of the structs of which one is at this address, if they are the elements of an array.
    pub fn struct_element(&self, address: Term, size: u64) -> Option<NodeId> {
        let Spread { root, offset, .. } = self.spread(address)?;
        let outer = self.types.node(self.origin(root)?.hint?);
        let first = root.offset.wrapping_add(offset);
        let here = |&&(at, part): &&(u64, NodeId)| at as i64 == first && self.types.node(part).size == size;
        outer.parts.iter().find(here).map(|&(_, part)| part).filter(|&part| !self.types.node(part).cells.is_empty())
    }

    /// The address of an element is handed on as a pointer to a node of this type: if every element is such a node, and the indices are
    /// inside, it is one.
    pub fn recognise_element(&mut self, term: Term, node: NodeId) -> Flow {
        let Some(Spread { root, offset, indices }) = self.spread(term) else { return Ok(()) };
        let start = Term { offset: 0, ..root };
        let Some(outer) = self.origin(root).and_then(|origin| origin.hint) else { return Ok(()) };
        let object = self.solver.constraint(self.theory.object(outer), &[start]);
        if self.solver.value(object) != Some(true) && self.prove(&[!object]).is_err() {
            return Ok(());
        }
        let first = root.offset.wrapping_add(offset);
        let (ty, wanted) = (self.types.node(outer).clone(), self.types.node(node).clone());
        let cells = if wanted.scalar { ty.offsets_of(self.types, &wanted) } else { Vec::new() };
        let is_one = |offset: i64| {
            cells.contains(&offset) || ty.parts.iter().any(|&(at, part)| at as i64 == offset && part == node)
        };
        let Some(bounds) = boxed(&ty, first, wanted.size, &indices, &is_one) else { return Ok(()) };
        for bound in &bounds {
            for outside in self.outside(bound) {
                if self.prove(&[outside]).is_err() {
                    return Ok(());
                }
            }
        }
        let object = self.solver.constraint(self.theory.object(node), &[term]);
        self.assume(object)
    }
}

/// Between which values indices have to be for an element to be what all elements of its array are, by what is at an offset of the
/// node. All but the largest elements are those of an array that is an element itself.
fn boxed(
    ty: &NodeType,
    first: i64,
    width: u64,
    indices: &[(Term, i64)],
    fits: &dyn Fn(i64) -> bool,
) -> Option<Vec<Bounds>> {
    let Some((&(outer, stride), inner)) = indices.split_first() else { return Some(Vec::new()) };
    let mut bounds = Vec::new();
    let mut offsets = vec![first];
    let mut larger = stride;
    for &(index, scale) in inner {
        if scale <= 0 || scale == larger || larger % scale != 0 || larger / scale * offsets.len() as i64 > ELEMENTS {
            return None;
        }
        let high = larger / scale - 1;
        offsets = offsets.iter().flat_map(|&at| (0..=high).map(move |index| at + index * scale)).collect();
        bounds.push(Bounds { index, low: 0, high });
        larger = scale;
    }
    let inside = |offset: i64| offset >= 0 && offset + width as i64 <= ty.size as i64;
    let whole = |turn: i64| {
        let at = |offset: &i64| offset + turn * stride;
        offsets.iter().all(|offset| inside(at(offset)) && fits(at(offset)))
    };
    if stride <= 0 || ty.size as i64 / stride > ELEMENTS || !whole(0) {
        return None;
    }
    let low = (1..).take_while(|&turn| whole(-turn)).last().map_or(0, |turn: i64| -turn);
    let high = (1..).take_while(|&turn| whole(turn)).last().unwrap_or(0);
    bounds.push(Bounds { index: outer, low, high });
    Some(bounds)
}
