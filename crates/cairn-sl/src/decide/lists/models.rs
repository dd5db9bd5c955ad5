//! Models of normal forms: all classes differ, and all segments have the same number of cells.

use rustc_hash::FxHashMap;

use super::Translation;
use super::matching::Refutation;
use super::state::{Edge, Node, State};
use crate::formula::{Sort, Term};
use crate::model::{Model, Value};

/// Constructs the model of a normal form in which every segment has that many cells.
pub(super) fn model_of(translation: &Translation<'_>, state: &State, length: u32) -> Model {
    build(translation, state, length, None)
}

/// Constructs the model that a refutation describes.
pub(super) fn countermodel(translation: &Translation<'_>, refutation: &Refutation) -> Model {
    build(translation, &refutation.state, 2, refutation.second_cell)
}

fn build(translation: &Translation<'_>, state: &State, length: u32, second: Option<(Node, Node)>) -> Model {
    let mut sorts: FxHashMap<Node, Sort> = FxHashMap::default();
    for (term, &node) in &translation.nodes {
        sorts.insert(state.find(node), term.sort());
    }
    let value = |node: Node| -> Value {
        let class = state.find(node);
        match sorts.get(&class) {
            Some(Sort::Location(sort)) if state.is_nil(class) => Value::Location(*sort, 0),
            Some(Sort::Location(sort)) => Value::Location(*sort, class + 1),
            // Integers are equal exactly if they are in the same class; nothing else constrains them.
            _ => Value::Integer(i64::from(class) + 1000),
        }
    };
    let mut model = Model::default();
    for (term, &node) in &translation.nodes {
        if let (Some(variable), false) = (term.as_variable(), matches!(term, Term::Nil(_))) {
            model.stack.insert(variable, value(node));
        }
    }
    let mut unused = translation.nodes.len() as u32 + 1;
    for (address, edge) in state.atoms() {
        let Value::Location(sort, _) = value(*address) else { continue };
        let fields = translation.signature.fields(sort);
        match edge {
            Edge::Cell(values) => {
                model.heap.insert(value(*address), values.iter().map(|&v| value(v)).collect());
            }
            Edge::Segment(shape, target) => {
                let shape = &translation.shapes[*shape];
                let mut here = value(*address);
                for position in 1..=length {
                    let next = if position == length {
                        value(*target)
                    } else if let Some((_, node)) = second.filter(|(a, _)| state.find(*a) == state.find(*address)) {
                        value(node)
                    } else {
                        unused += 1;
                        Value::Location(sort, unused)
                    };
                    let mut cell = Vec::new();
                    for (index, field) in fields.iter().enumerate() {
                        unused += 1;
                        cell.push(match field.sort {
                            _ if index == shape.next => next,
                            Sort::Location(sort) if shape.nil.contains(&index) => Value::Location(sort, 0),
                            Sort::Location(sort) => Value::Location(sort, unused),
                            Sort::Int => Value::Integer(i64::from(unused) + 1_000_000),
                            Sort::Bool => Value::Truth(false),
                        });
                    }
                    model.heap.insert(here, cell);
                    here = next;
                }
            }
        }
    }
    model
}
