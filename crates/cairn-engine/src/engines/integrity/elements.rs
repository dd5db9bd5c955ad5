//! Elements of arrays by an index that is no constant: their addresses, and whether they are inside.

use cairn_ir::Loc;
use cairn_rules::Term;

use super::access::Place;
use super::checker::{Checker, Flow, Stop};
use super::state::{Element, Origin, State};

impl Checker<'_, '_> {
    /// An address some elements further than another one.
    pub fn offset(&mut self, base: Term, index: Term, scale: i64) -> Term {
        let constant = self.solver.constant(index);
        if let Some(index) = constant {
            let array = self.origin(base).and_then(|origin| origin.hint).is_some_and(|node| {
                let mut cells = self.types.node(node).cells.iter();
                cells.any(|cells| cells.count > 1 && self.types.class(cells.class).width as i64 == scale)
            });
            if !array || scale <= 1 {
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

    /// Whether an integer is at least a bound because it is at least one less, and that is not its value.
    fn is_bottom(&mut self, index: Term, low: i64) -> bool {
        let below = !self.solver.at_most(Term::constant(low.saturating_sub(1)), index);
        self.prove(&[below]).is_ok() && self.is_never(index, low.saturating_sub(1))
    }

    /// An element of an array in a node, by an index that is no constant.
    pub fn resolve_element(
        &mut self,
        state: &State,
        address: Term,
        element: Element,
        width: u64,
        loc: Loc,
    ) -> Flow<Place> {
        // The node has to be there, whatever the index is.
        let place = self.resolve(state, element.base, 1, loc)?;
        let (node, start) = match place {
            Place::Bytes(node, base) => (node, base),
            _ => {
                let hint = self.origin(element.base).and_then(|origin| origin.hint);
                let base = Term { offset: 0, ..element.base };
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
        let Some(first) = self.solver.difference(element.base, start) else { return Err(Stop::Done) };
        let first = first + address.offset;
        let ty = self.types.node(node).clone();
        if ty.tail.is_some_and(|tail| first >= tail as i64) {
            return Err(self.unknown_length(loc));
        }
        let array = ty.cells.iter().find(|cells| {
            let size = self.types.class(cells.class).width;
            let (from, to) = (cells.offset as i64, (cells.offset + cells.count * size) as i64);
            (from..to).contains(&first)
        });
        // Without cells, the element may be any bytes of the node: data, as long as it stays inside.
        let (from, to, class) = match array {
            Some(cells) => {
                let size = self.types.class(cells.class).width;
                let exact = size == width
                    && element.scale % size as i64 == 0
                    && (first - cells.offset as i64) % size as i64 == 0;
                let to = cells.offset + cells.count * size;
                (cells.offset as i64, to as i64, exact.then_some(cells.class))
            }
            None => (first, first, None),
        };
        let scale = element.scale;
        if scale <= 0 || class.is_none() {
            let model = self.prove(&[]).err().flatten();
            return Err(self.memory_fails(state, loc, "an element that is no cell of an array in a node", model));
        }
        let low = (from - first).div_euclid(scale) + i64::from((from - first).rem_euclid(scale) != 0);
        let high = (to - width as i64 - first).div_euclid(scale);
        let below = !self.solver.at_most(Term::constant(low), element.index);
        let above = !self.solver.at_most(element.index, Term::constant(high));
        for outside in [below, above] {
            let Err(model) = self.prove(&[outside]) else { continue };
            if outside == above && self.origin(element.index).is_some_and(|origin| origin.counter) {
                let length = ty.cells.iter().map(|cells| cells.count).max().unwrap_or(0);
                self.undecided(
                    loc,
                    &format!(
                        "the index counts turns of a loop that only the graph bounds: the access stays inside of the array of \
                         {length} elements as long as the index is at most {high}, which no type says"
                    ),
                );
            } else if !self.summaries[self.function.index()].open && self.inputs.contains(&element.index) {
                self.undecided(loc, "whether the index is inside depends on the callers, which all are here");
            } else if outside == above || !self.is_bottom(element.index, low) {
                self.memory_doubt(state, loc, "an index that may be outside of the array", model);
            }
            // What happens when it is inside is checked all the same.
            self.assume(!outside)?;
        }
        let Some(class) = class else { return Err(Stop::Done) };
        if self.types.class(class).row {
            // Cells of such arrays are told apart by the order of their addresses.
            let (first, last) = (start + from, start + (to - width as i64));
            for bound in [self.solver.at_most(first, address), self.solver.at_most(address, last)] {
                self.assume(bound)?;
            }
        }
        Ok(Place::Cell(class))
    }
}
