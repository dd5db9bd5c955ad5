//! Scenarios: the smallest concrete input that leads to a fault, as a model of the path gives it.

use cairn_exec::Machine;
use cairn_exec::state::Choice;
use cairn_memory::pointer::ObjectId;
use cairn_smt::Term;
use rustc_hash::FxHashMap;

use crate::limits::{MADE_BYTES, ROOM};
use crate::mode::{Analysing, State};
pub use crate::unknowns::Link;
use crate::unknowns::{Holder, RESULT, Route};

/// The contents of some bytes, or an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Bytes in little-endian order.
    Bytes(Vec<u8>),
    /// The address of a given object, by its number.
    Address(usize),
    /// The address of a global variable, by its number.
    Global(usize),
    /// The address of a function about which nothing is known.
    Code,
}

/// An object that the function is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Its size in bytes.
    pub size: u64,
    /// Its contents by offset; other bytes are zero.
    pub cells: Vec<(u64, Contents)>,
}

/// The effect of a call of an unknown function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// The result, if the function has one.
    pub result: Option<Contents>,
    /// The bytes that it writes.
    pub writes: Vec<Write>,
    /// The arguments that it may keep or free.
    pub taken: Vec<usize>,
    /// The size of a new object that is the result.
    pub makes: Option<u64>,
    /// The descriptors that it closes or keeps.
    pub releases: Vec<u64>,
}

/// Bytes that an unknown function writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// The argument that leads to the object; `None` for the result.
    pub argument: Option<usize>,
    /// The offset of the argument in its object.
    pub offset: u64,
    /// The pointers to follow.
    pub chain: Vec<Link>,
    /// The offset in the object.
    pub at: u64,
    /// The contents.
    pub contents: Contents,
}

/// A concrete input of a function and its environment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scenario {
    /// The arguments.
    pub arguments: Vec<Contents>,
    /// The objects that arguments, globals and answers point to.
    pub objects: Vec<Given>,
    /// The contents of global variables: the number of the variable, the offset, and the contents.
    pub globals: Vec<(usize, u64, Contents)>,
    /// The effects of unknown calls, in order.
    pub answers: Vec<Answer>,
    /// The nondeterministic values that models of the C library ask for, in order.
    pub values: Vec<u128>,
    /// Whether each allocation succeeds, in order.
    pub allocations: Vec<bool>,
    /// Uninitialised bytes: the number of the lifetime, the offset, and the bytes.
    pub leftovers: Vec<(u64, u64, Vec<u8>)>,
}

/// Returns the input that a model of a state's path describes.
pub(crate) fn scenario(machine: &mut Machine<'_, Analysing>, state: &State) -> Scenario {
    let refused: Vec<bool> = (state.extra.answers.iter())
        .map(|answered| answered.failed.is_some_and(|failed| machine.follows(state, failed)))
        .collect();
    let model = state.path.model();
    let mut known = FxHashMap::default();
    let mut bits = |term: Term| machine.terms.evaluate_with(term, model, &mut known);
    let unknowns = &state.extra;
    let number = |id: ObjectId| unknowns.objects.iter().position(|object| object.id == id);
    let mut contents = |term: Term| -> Contents {
        if let Some(at) = unknowns.objects.iter().position(|object| object.pointer == term) {
            return Contents::Address(at);
        }
        if let Some(&(_, id)) = unknowns.aliases.iter().find(|(alias, _)| *alias == term) {
            if let Some(at) = number(id) {
                return Contents::Address(at);
            }
            if let Some(at) = machine.globals.iter().position(|&global| global == id) {
                return Contents::Global(at);
            }
        }
        if unknowns.code.contains(&term) {
            return Contents::Code;
        }
        let bytes = (machine.terms.width(term).div_ceil(8)) as usize;
        Contents::Bytes(bits(term).to_le_bytes()[..bytes].to_vec())
    };
    let mut made = Scenario {
        arguments: machine.mode.arguments.iter().map(|&term| contents(term)).collect(),
        ..Scenario::default()
    };
    for object in unknowns.objects.iter() {
        let ends = state.memory.get(object.id).cells().map(|(at, len, _)| at + u64::from(len));
        made.objects.push(Given { size: ends.max().unwrap_or(0), cells: Vec::new() });
    }
    for (index, answered) in unknowns.answers.iter().enumerate() {
        let fails = answered.made.and_then(|made| made.fails).map(&mut contents);
        let has_made = answered.made.is_some() && fails != Some(Contents::Bytes(vec![1]));
        let result = answered.result.map(&mut contents);
        let (mut taken, mut releases) = (answered.taken.clone(), answered.released.clone());
        if refused[index] {
            taken.retain(|(_, only_on_success)| !only_on_success);
            releases.clear();
        }
        let taken = taken.into_iter().map(|(argument, _)| argument).collect();
        let makes = has_made.then_some(MADE_BYTES);
        made.answers.push(Answer { result, writes: Vec::new(), taken, makes, releases });
    }
    for cell in unknowns.cells.iter() {
        let (at, value) = (cell.at, contents(cell.value));
        match &cell.holder {
            Holder::Object(index) => {
                let object = &mut made.objects[*index];
                object.size = object.size.max(at + u64::from(machine.terms.width(cell.value) / 8));
                object.cells.push((at, value));
            }
            Holder::Global(index) => made.globals.push((*index, at, value)),
            Holder::Written(route) => {
                let Route { call, argument, offset, chain } = &**route;
                let argument = (*argument != RESULT).then_some(*argument);
                let write = Write { argument, offset: *offset, chain: chain.clone(), at, contents: value };
                if let Some(answer) = made.answers.get_mut(*call) {
                    answer.writes.push(write);
                }
            }
        }
    }
    for object in &mut made.objects {
        object.size = object.size.next_multiple_of(ROOM).max(ROOM);
    }
    let mut choices: Vec<Choice> = state.choices.iter().copied().collect();
    choices.reverse();
    for choice in choices {
        match choice {
            Choice::Value(term, _) => made.values.push(bits(term)),
            Choice::Allocation(succeeds) => made.allocations.push(succeeds),
            Choice::Leftover(life, at, term) => {
                let bytes = (machine.terms.width(term) / 8) as usize;
                made.leftovers.push((life, at, bits(term).to_le_bytes()[..bytes].to_vec()));
            }
            Choice::Reused(..) | Choice::Unassigned(_) => {}
        }
    }
    made
}
