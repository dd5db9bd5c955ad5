//! The unknown values of a path, as the caller would name them.

use cairn_exec::Machine;
use cairn_memory::pointer::ObjectId;
use cairn_smt::Term;
use rustc_hash::FxHashMap;

use crate::contract::types::Names;
use crate::contract::{Place, Root};
use crate::mode::{Analysing, State};
use crate::unknowns::Holder;

/// The places of the unknown values of a path.
#[derive(Debug)]
pub(crate) struct Places<'p> {
    /// The names of the function.
    pub names: Names<'p>,
    of: FxHashMap<Term, Place>,
}

impl<'p> Places<'p> {
    /// Returns the places of a path through the outermost function of a state.
    pub fn of(machine: &Machine<'p, Analysing>, state: &State) -> Self {
        let names = Names::of(machine.program, machine.mode.function);
        let mut of: FxHashMap<Term, Place> = FxHashMap::default();
        for (index, &argument) in machine.mode.arguments.iter().enumerate() {
            of.insert(argument, names.parameter(index));
        }
        for cell in state.extra.cells.iter() {
            let place = match &cell.holder {
                Holder::Object(number) => {
                    let Some(base) = of.get(&state.extra.objects[*number].pointer) else { continue };
                    names.behind(base, cell.at)
                }
                Holder::Global(index) => names.in_variable(*index, cell.at),
                Holder::Written(route) => {
                    let name = state.extra.answers.get(route.call).and_then(|answered| answered.function);
                    let name = name.map_or("a function", |id| machine.program.functions[id.index()].name.as_str());
                    let text = format!("memory from {name}()");
                    Place { root: Root::Call(name.to_owned()), steps: vec![cell.at], text }
                }
            };
            of.entry(cell.value).or_insert(place);
        }
        Self { names, of }
    }

    /// Returns the place of a value.
    pub fn get(&self, value: Term) -> Option<&Place> {
        self.of.get(&value)
    }

    /// Returns the place of the pointer to an object that the function was given.
    pub fn of_object(&self, state: &State, id: ObjectId) -> Option<&Place> {
        let object = state.extra.objects.iter().find(|object| object.id == id)?;
        self.of.get(&object.pointer)
    }

    /// Returns all places with their values, in the order of the places.
    pub fn all(&self) -> Vec<(Term, &Place)> {
        let mut all: Vec<(Term, &Place)> = self.of.iter().map(|(&value, place)| (value, place)).collect();
        all.sort_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0)));
        all
    }
}
