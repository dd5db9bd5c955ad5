//! Entailment on hand-made states: what follows, and what must not.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_exec::Machine;
use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;
use cairn_portfolio::Task;
use cairn_portfolio::certificate::{Claim, FrameRecord, Method, ObjectRecord, SegmentRecord, StateRecord, TermRecord};
use cairn_portfolio::verdict::Property;
use cairn_smt::Session;

use super::{Losses, entails};
use crate::import::Table;
use crate::mode::Checking;
use crate::options;

const HEAP: u8 = 2;
const LIVE: u8 = 0;
const FREED: u8 = 1;

/// Two states over one table of terms. The values that they carry are their roots.
#[derive(Default)]
struct Sketch {
    terms: Vec<TermRecord>,
    states: Vec<StateRecord>,
    objects: u32,
}

impl Sketch {
    fn term(&mut self, record: TermRecord) -> u32 {
        self.terms.push(record);
        self.terms.len() as u32 - 1
    }

    fn number(&mut self, bits: u128) -> u32 {
        self.term(TermRecord::Constant(64, bits))
    }

    fn variable(&mut self) -> u32 {
        self.term(TermRecord::Variable(64, false))
    }

    /// Begins the next state.
    fn state(&mut self) {
        let frame =
            FrameRecord { at: (0, 0, 0), regs: vec![], slots: vec![], owned: vec![], variadic: None, result: None };
        self.states.push(StateRecord { frames: vec![frame], ..StateRecord::default() });
    }

    fn top(&mut self) -> &mut StateRecord {
        self.states.last_mut().expect("a state was begun")
    }

    fn root(&mut self, value: u32) {
        self.top().cut.push((value, 0));
    }

    /// Adds an object of 16 bytes with two cells at the address of a term. Returns its id.
    fn object(&mut self, base: u32, cells: [u32; 2]) -> u32 {
        let size = self.number(16);
        self.objects += 1;
        let id = 1000 + self.objects;
        let cells = vec![(0, cells[0]), (8, cells[1])];
        self.top().objects.push(ObjectRecord {
            id,
            kind: HEAP,
            end: LIVE,
            base,
            size,
            constant: false,
            pattern: false,
            initial: None,
            cells,
            indexed: vec![],
            segment: None,
        });
        id
    }

    /// The address of a heap object, aligned to 16 bytes.
    fn address(&mut self) -> u32 {
        let high = self.term(TermRecord::Variable(60, false));
        let low = self.term(TermRecord::Constant(4, 0));
        self.term(TermRecord::Binary(10, high, low))
    }

    fn last(&mut self) -> &mut ObjectRecord {
        self.top().objects.last_mut().expect("an object was added")
    }

    /// Adds a list from a variable to null. Each node has its link in the first cell and `data` in the second one.
    fn list(&mut self, first: u32, length: u32, min: u32, data: Data) {
        let (node, link, next) = (self.variable(), self.variable(), self.number(0));
        let mut locals = Vec::new();
        let mut owned = Vec::new();
        let value = match data {
            Data::Constant(bits) => self.number(bits),
            Data::Shared(value) => value,
            Data::Local => {
                let local = self.variable();
                locals.push(local);
                local
            }
            Data::Owned => {
                let (base, zero) = (self.variable(), self.number(0));
                owned.push(self.object(base, [zero, zero]));
                self.last().pattern = true;
                base
            }
        };
        let pattern = self.object(node, [link, value]);
        self.last().pattern = true;
        self.object(first, [next, next]);
        let object = self.last();
        object.cells.clear();
        object.segment = Some(SegmentRecord {
            node: pattern,
            owned,
            locals,
            links: vec![link],
            back_link: None,
            fork: None,
            at: 0,
            next,
            back: None,
            min,
            length,
            sequences: vec![],
        });
    }

    /// Returns whether the first state entails the second one.
    #[track_caller]
    fn entails(&self) -> bool {
        let input = Input { name: "test.c".to_owned(), text: "int main(void) { return 0; }".to_owned() };
        let program = compile(vec![input], Target::Lp64).program.expect("the program compiles");
        let main = program.function_named("main").expect("there is a main");
        let task = Task {
            entry: "main".to_owned(),
            properties: vec![Property::ValidDeref, Property::ValidMemtrack],
            besides: Vec::new(),
            malloc_fails: false,
            assert_faults: false,
        };
        let claim = Claim::of("test", &task, Method::States);
        let session = Session::new(Arc::new(AtomicBool::new(false)));
        let mode = Checking::<true>::default();
        let mut machine = Machine::new(&program, options(&claim), session, mode).expect("there is a main");
        let start = machine.start().first().map(|state| state.memory.clone()).unwrap_or_default();
        let table = Table::build(&mut machine, &self.terms, &start).expect("the terms make sense");
        let mut state = |index: usize| {
            let mut record = self.states[index].clone();
            record.frames[0].at.0 = main.0;
            let state = table.state(&mut machine, &record, &start, 0).expect("the state makes sense");
            state.expect("the state has a model")
        };
        let (s, r) = (state(0), state(1));
        entails(&mut machine, &s, &r, Losses::None)
    }
}

/// The second cell of the nodes of a list.
#[derive(Clone, Copy)]
enum Data {
    /// The same number in every node.
    Constant(u128),
    /// The same value in every node.
    Shared(u32),
    /// A value of its own in every node.
    Local,
    /// A pointer to an object that the node owns.
    Owned,
}

/// A state with a chain of nodes to null, and the data of each.
fn chain(sketch: &mut Sketch, data: &[u32]) {
    sketch.state();
    let addresses: Vec<u32> = data.iter().map(|_| sketch.address()).collect();
    let null = sketch.number(0);
    for (index, &value) in data.iter().enumerate() {
        let next = addresses.get(index + 1).copied().unwrap_or(null);
        sketch.object(addresses[index], [next, value]);
    }
    sketch.root(addresses.first().copied().unwrap_or(null));
}

/// A state with a list.
fn listed(sketch: &mut Sketch, length: u32, min: u32, data: Data) {
    sketch.state();
    let first = sketch.variable();
    sketch.list(first, length, min, data);
    sketch.root(first);
}

/// A chain of nodes with these numbers against a list with the given least number of nodes.
fn numbers(data: &[u128], min: u32, listed_data: Data) -> bool {
    let mut sketch = Sketch::default();
    let data: Vec<u32> = data.iter().map(|&bits| sketch.number(bits)).collect();
    chain(&mut sketch, &data);
    let length = sketch.variable();
    listed(&mut sketch, length, min, listed_data);
    sketch.entails()
}

#[test]
fn a_chain_of_nodes_is_a_list() {
    assert!(numbers(&[3, 3, 3], 1, Data::Constant(3)));
    assert!(numbers(&[1, 2, 3], 3, Data::Local));
    assert!(numbers(&[], 0, Data::Local), "an empty list");
}

#[test]
fn a_list_has_its_least_number_of_nodes() {
    assert!(!numbers(&[3, 3], 3, Data::Constant(3)));
    assert!(!numbers(&[], 1, Data::Constant(3)));
}

#[test]
fn every_node_has_the_data_of_the_pattern() {
    assert!(!numbers(&[3, 4, 3], 1, Data::Constant(3)));
    let mut sketch = Sketch::default();
    let (one, two) = (sketch.number(1), sketch.number(2));
    chain(&mut sketch, &[one, two]);
    let (length, shared) = (sketch.variable(), sketch.variable());
    listed(&mut sketch, length, 1, Data::Shared(shared));
    assert!(!sketch.entails(), "one value for all nodes");
}

#[test]
fn a_length_is_the_number_of_nodes() {
    for (stated, holds) in [(2, true), (3, false), (1, false)] {
        let mut sketch = Sketch::default();
        let zero = sketch.number(0);
        chain(&mut sketch, &[zero, zero]);
        let length = sketch.number(stated);
        listed(&mut sketch, length, 0, Data::Local);
        assert_eq!(sketch.entails(), holds, "{stated}");
    }
}

#[test]
fn a_node_before_a_list_is_a_longer_list() {
    for (more, holds) in [(1, true), (0, false), (2, false)] {
        let mut sketch = Sketch::default();
        sketch.state();
        let (first, rest, length, zero) = (sketch.address(), sketch.variable(), sketch.variable(), sketch.number(0));
        sketch.object(first, [rest, zero]);
        sketch.list(rest, length, 0, Data::Local);
        sketch.root(first);
        // The length is a root as well, so that the two states mean the same by it.
        sketch.root(length);
        sketch.state();
        let (list, known) = (sketch.variable(), sketch.variable());
        let longer = sketch.term(TermRecord::Sum(64, more, vec![(known, 1)]));
        sketch.list(list, longer, 1, Data::Local);
        sketch.root(list);
        sketch.root(known);
        assert_eq!(sketch.entails(), holds, "{more}");
    }
}

#[test]
fn every_heap_object_is_kept() {
    let mut sketch = Sketch::default();
    let zero = sketch.number(0);
    chain(&mut sketch, &[zero]);
    let lost = sketch.address();
    sketch.object(lost, [zero, zero]);
    chain(&mut sketch, &[zero]);
    assert!(!sketch.entails());
}

#[test]
fn no_object_is_invented() {
    let mut sketch = Sketch::default();
    let zero = sketch.number(0);
    chain(&mut sketch, &[zero]);
    chain(&mut sketch, &[zero]);
    let more = sketch.address();
    sketch.object(more, [zero, zero]);
    assert!(!sketch.entails());
}

#[test]
fn a_freed_object_is_not_live() {
    for (given, wanted, holds) in [(FREED, FREED, true), (FREED, LIVE, false), (LIVE, FREED, false)] {
        let mut sketch = Sketch::default();
        let zero = sketch.number(0);
        for end in [given, wanted] {
            chain(&mut sketch, &[zero]);
            sketch.last().end = end;
        }
        assert_eq!(sketch.entails(), holds, "{given} {wanted}");
    }
}

#[test]
fn cells_have_their_offsets() {
    let mut sketch = Sketch::default();
    let (one, two) = (sketch.number(1), sketch.number(2));
    for cells in [[one, two], [two, one]] {
        sketch.state();
        let base = sketch.address();
        sketch.object(base, cells);
        sketch.root(base);
    }
    assert!(!sketch.entails(), "swapped cells");
    let mut sketch = Sketch::default();
    let zero = sketch.number(0);
    for offset in [0, 8] {
        sketch.state();
        let base = sketch.address();
        sketch.object(base, [zero, zero]);
        let pointer = sketch.term(TermRecord::Sum(64, offset, vec![(base, 1)]));
        sketch.root(pointer);
    }
    assert!(!sketch.entails(), "a pointer to another offset");
}

#[test]
fn two_objects_are_not_one() {
    for (same, holds) in [(true, false), (false, true)] {
        let mut sketch = Sketch::default();
        let zero = sketch.number(0);
        for is_one in [same, false] {
            sketch.state();
            let (one, other) = (sketch.address(), sketch.address());
            sketch.object(one, [zero, zero]);
            sketch.root(one);
            if is_one {
                sketch.root(one);
            } else {
                sketch.object(other, [zero, zero]);
                sketch.root(other);
            }
        }
        assert_eq!(sketch.entails(), holds, "{same}");
    }
}

#[test]
fn an_object_that_nodes_share_is_not_one_per_node() {
    for (shares, holds) in [(true, false), (false, true)] {
        let mut sketch = Sketch::default();
        let zero = sketch.number(0);
        sketch.state();
        let items = [sketch.address(), sketch.address()];
        let nodes = [sketch.address(), sketch.address()];
        sketch.object(nodes[0], [nodes[1], items[0]]);
        sketch.object(nodes[1], [zero, if shares { items[0] } else { items[1] }]);
        sketch.object(items[0], [zero, zero]);
        if !shares {
            sketch.object(items[1], [zero, zero]);
        }
        sketch.root(nodes[0]);
        let length = sketch.variable();
        listed(&mut sketch, length, 1, Data::Owned);
        assert_eq!(sketch.entails(), holds, "{shares}");
    }
    // The same with lists on both sides.
    let mut sketch = Sketch::default();
    let zero = sketch.number(0);
    sketch.state();
    let (first, length, item) = (sketch.variable(), sketch.variable(), sketch.address());
    sketch.object(item, [zero, zero]);
    sketch.list(first, length, 1, Data::Shared(item));
    sketch.root(first);
    let other = sketch.variable();
    listed(&mut sketch, other, 1, Data::Owned);
    assert!(!sketch.entails(), "a list whose nodes share an item");
}

#[test]
fn a_list_entails_a_more_general_list() {
    let lists = |given: Data, wanted: Data, least: [u32; 2]| {
        let mut sketch = Sketch::default();
        let (one, other) = (sketch.variable(), sketch.variable());
        listed(&mut sketch, one, least[0], given);
        listed(&mut sketch, other, least[1], wanted);
        sketch.entails()
    };
    assert!(lists(Data::Constant(3), Data::Local, [1, 0]));
    assert!(!lists(Data::Local, Data::Constant(3), [1, 0]));
    assert!(!lists(Data::Constant(3), Data::Local, [0, 1]), "fewer nodes");
    assert!(lists(Data::Owned, Data::Owned, [2, 1]));
    assert!(!lists(Data::Owned, Data::Local, [1, 1]), "the items would be lost");
    let mut sketch = Sketch::default();
    let (one, other, shared) = (sketch.variable(), sketch.variable(), sketch.variable());
    listed(&mut sketch, one, 1, Data::Local);
    listed(&mut sketch, other, 1, Data::Shared(shared));
    assert!(!sketch.entails(), "values of their own are not one value");
}

#[test]
fn conditions_follow() {
    for (given, holds) in [(true, true), (false, false)] {
        let mut sketch = Sketch::default();
        let (x, y, five) = (sketch.variable(), sketch.variable(), sketch.number(5));
        sketch.state();
        sketch.root(x);
        if given {
            let small = sketch.term(TermRecord::Binary(12, x, five));
            sketch.top().conditions.push(small);
        }
        sketch.state();
        sketch.root(y);
        let small = sketch.term(TermRecord::Binary(12, y, five));
        sketch.top().conditions.push(small);
        assert_eq!(sketch.entails(), holds, "{given}");
    }
}

#[test]
fn conditions_hold_in_every_node() {
    for (bits, holds) in [(4, true), (7, false)] {
        let mut sketch = Sketch::default();
        let (small, data, five) = (sketch.number(1), sketch.number(bits), sketch.number(5));
        chain(&mut sketch, &[small, data]);
        let length = sketch.variable();
        listed(&mut sketch, length, 1, Data::Local);
        let local = sketch.last().segment.as_ref().map_or(0, |segment| segment.locals[0]);
        let condition = sketch.term(TermRecord::Binary(12, local, five));
        sketch.top().conditions.push(condition);
        assert_eq!(sketch.entails(), holds, "{bits}");
    }
}

#[test]
fn carried_values_keep_their_roles() {
    let mut sketch = Sketch::default();
    let x = sketch.variable();
    for role in [1, 0] {
        sketch.state();
        sketch.top().cut.push((x, role));
    }
    assert!(!sketch.entails(), "a value that nobody holds is no root");
}
