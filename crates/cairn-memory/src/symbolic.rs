//! Memory with symbolic contents: objects whose sizes and bytes are terms.
//!
//! Invariants:
//! - The address of an object is a variable of its own (its *base*). The object of a pointer can therefore be read
//!   off the linear normal form of its term. A pointer that was copied in pieces is whole again when the pieces are
//!   joined.
//! - The cells of an object do not overlap.
//! - Bytes outside of all cells have the object's initial value. Uninitialised bytes become a fresh variable when
//!   they are first read, and keep this value.
//!
//! States share objects until one of them writes, so a branch costs only what it changes.

use std::rc::Rc;

use cairn_ir::source::StackPlace;
use cairn_smt::persistent::Map;
use cairn_smt::{Substitution, Term, Terms};

use super::object::{End, ObjectKind};
use super::pointer::ObjectId;
use super::segment::Segment;

/// The value of bytes that were never written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Uninitialised.
    Undefined,
    /// These bytes, followed by zeros.
    Bytes(Rc<[u8]>),
}

/// A sequence of bytes with one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell {
    /// The number of bytes.
    len: u32,
    /// Their value in little-endian order.
    term: Term,
}

/// An object, a segment, or a pattern of a segment.
#[derive(Clone, Debug)]
pub struct Object {
    /// The kind of the object.
    pub kind: ObjectKind,
    /// Whether the object is live.
    pub end: End,
    /// The variable that is its address.
    pub base: Term,
    /// Its size in bytes, of pointer width.
    pub size: Term,
    /// Whether a write is a fault.
    pub constant: bool,
    /// The name of the variable, for messages; may be empty.
    pub name: Rc<str>,
    /// The call stack at the start of its lifetime, innermost call first.
    pub born: Rc<[StackPlace]>,
    /// The number of the lifetime among those that began uninitialised; `None` if the first contents are known.
    pub life: Option<u64>,
    /// Set if this stands for many objects. Then the base is the address of the first, and the size that of each.
    pub segment: Option<Rc<Segment>>,
    /// The number of objects that had been created when this one was freed.
    pub died: Option<u32>,
    /// Whether this is a pattern of a segment rather than an existing object.
    pub pattern: bool,
    initial: Initial,
    cells: Map<Cell>,
    /// The known bytes at symbolic offsets. Where one coincides with a cell, both have the same value.
    indexed: Vec<Indexed>,
}

/// A sequence of bytes at a symbolic offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indexed {
    /// The offset, of pointer width.
    pub at: Term,
    /// The value.
    pub term: Term,
}

impl Object {
    /// Creates an object.
    pub fn new(
        kind: ObjectKind,
        base: Term,
        size: Term,
        initial: Initial,
        name: Rc<str>,
        born: Rc<[StackPlace]>,
    ) -> Self {
        let cells = Map::default();
        Self {
            kind,
            end: End::Live,
            base,
            size,
            constant: false,
            name,
            born,
            life: None,
            segment: None,
            died: None,
            pattern: false,
            initial,
            cells,
            indexed: Vec::new(),
        }
    }

    /// Returns the known bytes at symbolic offsets.
    pub fn indexed(&self) -> &[Indexed] {
        &self.indexed
    }

    /// Sets the known bytes at symbolic offsets.
    pub fn set_indexed(&mut self, indexed: Vec<Indexed>) {
        self.indexed = indexed;
    }

    /// Havocs a range of bytes, including the parts of cells in it.
    ///
    /// All bytes outside of cells become uninitialised, also outside of the range.
    pub fn forget_range(&mut self, range: std::ops::Range<u64>, terms: &mut Terms) {
        self.clear(range.start, range.end - range.start, terms);
        self.initial = Initial::Undefined;
    }

    /// Drops all contents and sets the initial value.
    pub fn forget(&mut self, initial: Initial) {
        self.cells = Map::default();
        self.indexed.clear();
        self.initial = initial;
    }

    /// Returns the values of all cells: everything that may hold a pointer.
    pub fn values(&self) -> impl Iterator<Item = Term> {
        let cells = self.cells.to_vec().into_iter().map(|(_, cell)| cell.term);
        cells.chain(self.indexed.iter().map(|indexed| indexed.term))
    }

    /// Returns the number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Returns the offset, the length and the value of every cell.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u32, Term)> {
        self.cells.to_vec().into_iter().map(|(at, cell)| (at, cell.len, cell.term))
    }

    /// Returns the offset, the length and the value of the cell that holds a byte.
    pub fn cell_at(&self, at: u64) -> Option<(u64, u32, Term)> {
        self.covering(at).map(|(start, cell)| (start, cell.len, cell.term))
    }

    /// Returns the initial value of the bytes outside of all cells.
    pub fn initial(&self) -> &Initial {
        &self.initial
    }

    /// Replaces the contents of the object.
    pub fn set_contents(&mut self, initial: Initial, cells: impl IntoIterator<Item = (u64, Term)>, terms: &Terms) {
        self.initial = initial;
        self.indexed.clear();
        self.cells = cells.into_iter().map(|(at, term)| (at, Cell { len: terms.width(term) / 8, term })).collect();
    }

    /// Returns the initial value of bytes outside of all cells, if it is known.
    pub fn known_initial(&self, at: u64, len: u32, terms: &mut Terms) -> Option<Term> {
        let Initial::Bytes(bytes) = &self.initial else { return None };
        let byte = |i: u64| usize::try_from(i).ok().and_then(|i| bytes.get(i)).copied().unwrap_or(0);
        let value = (0..u64::from(len)).fold(0u128, |v, i| v | u128::from(byte(at + i)) << (8 * i));
        Some(terms.constant(value, 8 * len))
    }

    /// Calls `each` with every value in the object, including the values at the ends of a segment.
    pub fn for_values(&self, each: &mut dyn FnMut(Term)) {
        self.values().for_each(&mut *each);
        if let Some(segment) = &self.segment {
            segment.for_terms(each);
        }
    }

    /// Replaces terms, except for the addresses of the object's ends.
    pub fn substitute(&mut self, terms: &mut Terms, map: &mut Substitution) {
        self.size = map.apply(terms, self.size);
        self.cells.change_values(|cell| cell.term = map.apply(terms, cell.term));
        for indexed in &mut self.indexed {
            indexed.at = map.apply(terms, indexed.at);
            indexed.term = map.apply(terms, indexed.term);
        }
        if let Some(segment) = &mut self.segment {
            Rc::make_mut(segment).substitute(terms, map);
        }
    }

    fn changes(&self, terms: &mut Terms, map: &mut Substitution) -> bool {
        let mut changes = map.apply(terms, self.size) != self.size;
        changes |= self.indexed.iter().any(|indexed| map.apply(terms, indexed.at) != indexed.at);
        self.for_values(&mut |term| changes |= map.apply(terms, term) != term);
        changes
    }

    /// Returns the cell that holds a byte.
    fn covering(&self, at: u64) -> Option<(u64, Cell)> {
        let (start, &cell) = self.cells.last_at_or_before(at)?;
        (at < start + u64::from(cell.len)).then_some((start, cell))
    }

    /// Returns whether all of these bytes are initialised.
    pub fn is_set(&self, at: u64, len: u32) -> bool {
        if matches!(self.initial, Initial::Bytes(_)) {
            return true;
        }
        let end = at + u64::from(len);
        let mut next = at;
        while next < end {
            let Some((start, cell)) = self.covering(next) else { return false };
            next = start + u64::from(cell.len);
        }
        true
    }

    /// Reads `len` bytes (at most 16).
    ///
    /// `fresh` creates a variable for uninitialised bytes, given their offset and width in bits.
    pub fn read(
        &mut self,
        at: u64,
        len: u32,
        terms: &mut Terms,
        fresh: &mut dyn FnMut(&mut Terms, u64, u32) -> Term,
    ) -> Term {
        if let Some(cell) = self.cells.get(at)
            && cell.len == len
        {
            return cell.term;
        }
        let mut result: Option<Term> = None;
        let end = at + u64::from(len);
        let mut next = at;
        while next < end {
            let piece = match self.covering(next) {
                Some((start, cell)) => {
                    let skip = (next - start) as u32;
                    let take = (cell.len - skip).min((end - next) as u32);
                    terms.extract(cell.term, 8 * skip, 8 * take)
                }
                None => {
                    let stop = self.cells.first_at_or_after(next).map_or(end, |(start, _)| start.min(end));
                    self.untouched(next, (stop - next) as u32, terms, fresh)
                }
            };
            next += u64::from(terms.width(piece) / 8);
            result = Some(match result {
                Some(low) => terms.concat(piece, low),
                None => piece,
            });
        }
        result.unwrap_or_else(|| terms.constant(0, 8))
    }

    /// Returns the value of bytes outside of all cells.
    fn untouched(
        &mut self,
        at: u64,
        len: u32,
        terms: &mut Terms,
        fresh: &mut dyn FnMut(&mut Terms, u64, u32) -> Term,
    ) -> Term {
        self.known_initial(at, len, terms).unwrap_or_else(|| {
            let term = fresh(terms, at, 8 * len);
            self.cells.insert(at, Cell { len, term });
            term
        })
    }

    /// Writes a value of whole bytes.
    pub fn write(&mut self, at: u64, term: Term, terms: &mut Terms) {
        let len = terms.width(term) / 8;
        self.clear(at, u64::from(len), terms);
        self.cells.insert(at, Cell { len, term });
    }

    /// Removes the contents of a range; cells that extend beyond it keep their other parts.
    fn clear(&mut self, at: u64, len: u64, terms: &mut Terms) {
        self.indexed.clear();
        let end = at.saturating_add(len);
        if let Some((start, cell)) = self.covering(at)
            && start < at
        {
            let keep = (at - start) as u32;
            let head = terms.extract(cell.term, 0, 8 * keep);
            self.cells.insert(start, Cell { len: keep, term: head });
            let stop = start + u64::from(cell.len);
            if stop > end {
                let tail = terms.extract(cell.term, 8 * (end - start) as u32, 8 * (stop - end) as u32);
                self.cells.insert(end, Cell { len: (stop - end) as u32, term: tail });
                return;
            }
        }
        while let Some((start, &cell)) = self.cells.first_at_or_after(at).filter(|&(start, _)| start < end) {
            self.cells.remove(start);
            let stop = start + u64::from(cell.len);
            if stop > end {
                let tail = terms.extract(cell.term, 8 * (end - start) as u32, 8 * (stop - end) as u32);
                self.cells.insert(end, Cell { len: (stop - end) as u32, term: tail });
            }
        }
    }

    /// Copies bytes from another object, or from a clone of this one.
    ///
    /// Uninitialised bytes of the source become a fresh variable that both objects then share.
    pub fn copy_from(
        &mut self,
        at: u64,
        source: &mut Object,
        from: u64,
        len: u64,
        terms: &mut Terms,
        fresh: &mut dyn FnMut(&mut Terms, u64, u32) -> Term,
    ) {
        let end = from + len;
        let mut next = from;
        let mut pieces = Vec::new();
        while next < end {
            // Copy cell by cell, so that pointers stay whole, and uncovered bytes in groups of at most 8.
            let stop = match source.covering(next) {
                Some((start, cell)) => start + u64::from(cell.len),
                None => source.cells.first_at_or_after(next).map_or(end, |(start, _)| start).min((next / 8 + 1) * 8),
            };
            let piece = source.read(next, (stop.min(end) - next) as u32, terms, fresh);
            pieces.push((next, piece));
            next = stop;
        }
        self.clear(at, len, terms);
        for (start, piece) in pieces {
            let cell = Cell { len: terms.width(piece) / 8, term: piece };
            self.cells.insert(at + (start - from), cell);
        }
    }
}

/// All objects of a state. Ids are never reused.
#[derive(Clone, Debug, Default)]
pub struct SymbolicMemory {
    objects: Map<Rc<Object>>,
    /// The number of objects that were ever created.
    count: u32,
}

impl SymbolicMemory {
    /// Returns whether two objects are certain to have been live at the same time, so that their addresses differ.
    ///
    /// Objects are numbered in the order in which they became known to exist.
    pub fn lived_together(&self, a: ObjectId, b: ObjectId) -> bool {
        let before_end_of = |id: ObjectId, other: ObjectId| match self.get(other) {
            Object { end: End::Live, .. } => true,
            Object { died, .. } => died.is_some_and(|count| id.0 < count),
        };
        before_end_of(a, b) && before_end_of(b, a)
    }

    /// Adds an object.
    pub fn add(&mut self, object: Object) -> ObjectId {
        self.count += 1;
        self.objects.insert(u64::from(self.count), Rc::new(object));
        ObjectId(self.count)
    }

    /// Returns an object.
    pub fn get(&self, id: ObjectId) -> &Object {
        self.find(id).expect("nothing refers to an object that was removed")
    }

    /// Returns an object, if it was not removed.
    pub fn find(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(u64::from(id.0)).map(|object| &**object)
    }

    /// Returns whether an object is unchanged since one of the two memories was cloned from the other.
    pub fn shares(&self, other: &Self, id: ObjectId) -> bool {
        let key = u64::from(id.0);
        matches!((self.objects.get(key), other.objects.get(key)), (Some(a), Some(b)) if Rc::ptr_eq(a, b))
    }

    /// Returns an object for modification.
    pub fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        let object = self.objects.get_mut(u64::from(id.0));
        Rc::make_mut(object.expect("nothing refers to an object that was removed"))
    }

    /// Replaces an object, or sets one that was removed.
    pub fn set(&mut self, id: ObjectId, object: Object) {
        self.objects.insert(u64::from(id.0), Rc::new(object));
    }

    /// Lets new objects have greater ids than the given one.
    pub fn reserve(&mut self, id: ObjectId) {
        self.count = self.count.max(id.0);
    }

    /// Removes an object that nothing refers to, as if it had never existed.
    pub fn remove(&mut self, id: ObjectId) {
        self.objects.remove(u64::from(id.0));
    }

    /// Iterates over all objects.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.to_vec().into_iter().map(|(id, object)| (ObjectId(id as u32), &**object))
    }

    /// Replaces terms in every object.
    pub fn substitute(&mut self, terms: &mut Terms, map: &mut Substitution) {
        let changed: Vec<ObjectId> =
            self.iter().filter(|(_, object)| object.changes(terms, map)).map(|(id, _)| id).collect();
        for id in changed {
            self.get_mut(id).substitute(terms, map);
        }
    }

    /// Returns the number of objects that were ever created.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether no object was ever created.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
