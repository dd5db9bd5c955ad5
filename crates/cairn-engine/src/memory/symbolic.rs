//! Memory with symbolic contents: objects whose sizes and bytes are terms.
//!
//! Invariants: the address of an object is a variable of its own (its *base*), so the object of a pointer is read off the
//! linear normal form of its term, and a pointer that was copied in pieces is whole again when the pieces are joined. The cells
//! of an object do not overlap. Bytes that no cell covers have the object's initial value; what was uninitialised becomes a
//! fresh variable when it is first read, and stays that value.
//!
//! States share objects until one of them writes: a branch costs what it changes.

use std::rc::Rc;

use cairn_ir::source::StackPlace;
use cairn_smt::persistent::Map;
use cairn_smt::{Substitution, Term, Terms};

use super::object::{End, ObjectKind};
use super::pointer::ObjectId;
use super::segment::Segment;

/// What bytes hold that were never written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Nothing yet.
    Undefined,
    /// These bytes, and zeros after them.
    Bytes(Rc<[u8]>),
}

/// A run of bytes with one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell {
    /// Bytes.
    len: u32,
    /// Their value, little-endian.
    term: Term,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Whether it is alive.
    pub end: End,
    /// The variable that is its address.
    pub base: Term,
    /// Bytes, of pointer width.
    pub size: Term,
    /// Whether writing to it is a fault.
    pub constant: bool,
    /// For messages: the variable, or empty.
    pub name: Rc<str>,
    /// Where it came to life, innermost call first.
    pub born: Rc<[StackPlace]>,
    /// Which of the lives that began uninitialised this is; `None` for an object whose first contents are known.
    pub life: Option<u64>,
    /// Set where this stands for many objects: the base is the address of the first of them, the size that of each.
    pub segment: Option<Rc<Segment>>,
    /// How many objects there had been when it was freed.
    pub died: Option<u32>,
    /// Whether this is the pattern of what the nodes of a segment are like, and no object that exists.
    pub pattern: bool,
    initial: Initial,
    cells: Map<Cell>,
    /// What bytes hold whose offset is a term. They may lie where a cell lies, and then hold the same.
    indexed: Vec<Indexed>,
}

/// A run of bytes at an offset that is a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indexed {
    /// The offset, of pointer width.
    pub at: Term,
    /// The value.
    pub term: Term,
}

impl Object {
    /// A new object.
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

    /// What is known of bytes whose offset is a term.
    pub fn indexed(&self) -> &[Indexed] {
        &self.indexed
    }

    /// Sets what is known of bytes whose offset is a term.
    pub fn set_indexed(&mut self, indexed: Vec<Indexed>) {
        self.indexed = indexed;
    }

    /// Forgets what a range of bytes holds, wherever cells reach into it.
    pub fn forget_range(&mut self, range: std::ops::Range<u64>, terms: &mut Terms) {
        self.clear(range.start, range.end - range.start, terms);
        self.initial = Initial::Undefined;
    }

    /// Everything is as if never written.
    pub fn forget(&mut self, initial: Initial) {
        self.cells = Map::default();
        self.indexed.clear();
        self.initial = initial;
    }

    /// The values of all cells: everything that may hold a pointer.
    pub fn values(&self) -> impl Iterator<Item = Term> {
        let cells = self.cells.to_vec().into_iter().map(|(_, cell)| cell.term);
        cells.chain(self.indexed.iter().map(|indexed| indexed.term))
    }

    /// How many cells there are.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// The offset, length and value of every cell.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u32, Term)> {
        self.cells.to_vec().into_iter().map(|(at, cell)| (at, cell.len, cell.term))
    }

    /// The cell that holds a byte: its offset, its length and its value.
    pub fn cell_at(&self, at: u64) -> Option<(u64, u32, Term)> {
        self.covering(at).map(|(start, cell)| (start, cell.len, cell.term))
    }

    /// What bytes hold that no cell covers.
    pub fn initial(&self) -> &Initial {
        &self.initial
    }

    /// Gives the object other contents.
    pub fn set_contents(&mut self, initial: Initial, cells: impl IntoIterator<Item = (u64, Term)>, terms: &Terms) {
        self.initial = initial;
        self.indexed.clear();
        self.cells = cells.into_iter().map(|(at, term)| (at, Cell { len: terms.width(term) / 8, term })).collect();
    }

    /// The value of bytes that no cell covers, where that is known.
    pub fn known_initial(&self, at: u64, len: u32, terms: &mut Terms) -> Option<Term> {
        let Initial::Bytes(bytes) = &self.initial else { return None };
        let byte = |i: u64| usize::try_from(i).ok().and_then(|i| bytes.get(i)).copied().unwrap_or(0);
        let value = (0..u64::from(len)).fold(0u128, |v, i| v | u128::from(byte(at + i)) << (8 * i));
        Some(terms.constant(value, 8 * len))
    }

    /// Calls `each` with every value in it, for a segment with what lies at its ends.
    pub fn for_values(&self, each: &mut dyn FnMut(Term)) {
        self.values().for_each(&mut *each);
        if let Some(segment) = &self.segment {
            segment.for_terms(each);
        }
    }

    /// The same with terms replaced, except for the addresses of its ends.
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

    /// The cell that holds a byte.
    fn covering(&self, at: u64) -> Option<(u64, Cell)> {
        let (start, &cell) = self.cells.last_at_or_before(at)?;
        (at < start + u64::from(cell.len)).then_some((start, cell))
    }

    /// Whether all of these bytes have a value.
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

    /// Reads `len` bytes (at most 16). `fresh` makes a variable of that many bits for bytes at an offset that are undefined.
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

    /// The value of bytes that no cell covers.
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

    /// Removes what lies in a range; cells that stick out keep their other parts.
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

    /// Copies bytes from another object (or a clone of this one) as they are: what is undefined there is read as one fresh value,
    /// which both then share.
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
            // Cell by cell, so that pointers stay whole; gaps in runs of at most 8 bytes.
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

/// All objects of a state. Ids are never used again.
#[derive(Clone, Debug, Default)]
pub struct SymbolicMemory {
    objects: Map<Rc<Object>>,
    /// How many objects there ever were.
    count: u32,
}

impl SymbolicMemory {
    /// Whether two objects were alive at the same time for certain: then they never lie at the same address. Objects are numbered in the
    /// order in which they are known to be there.
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

    /// An object.
    pub fn get(&self, id: ObjectId) -> &Object {
        self.find(id).expect("nothing refers to an object that was removed")
    }

    /// An object, if it was not removed.
    pub fn find(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(u64::from(id.0)).map(|object| &**object)
    }

    /// Whether an object is unchanged since another memory was cloned from this one, or this one from it.
    pub fn shares(&self, other: &Self, id: ObjectId) -> bool {
        let key = u64::from(id.0);
        matches!((self.objects.get(key), other.objects.get(key)), (Some(a), Some(b)) if Rc::ptr_eq(a, b))
    }

    /// An object that is about to change.
    pub fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        let object = self.objects.get_mut(u64::from(id.0));
        Rc::make_mut(object.expect("nothing refers to an object that was removed"))
    }

    /// Puts an object in the place of another, or where one was removed.
    pub fn set(&mut self, id: ObjectId, object: Object) {
        self.objects.insert(u64::from(id.0), Rc::new(object));
    }

    /// Removes an object that nothing refers to: as if it had never been.
    pub fn remove(&mut self, id: ObjectId) {
        self.objects.remove(u64::from(id.0));
    }

    /// Every object.
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

    /// How many objects there ever were.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there never was one.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
