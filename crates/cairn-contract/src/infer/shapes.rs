//! The memory that pointers need, over all paths of a function.
//!
//! A member that leads from a node to a node of the same type is a *link*. The places behind links become one: the requirement for
//! `l->next->next->name` is one for the `name` of each node of `l`.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::layout;

use super::path_end::{Input, Memory, PathEnd};
use crate::contract::types::{Names, type_text};
use crate::contract::{Access, Length, Place, Requirement, Root, Shape};

/// The links of the node types that the paths of a function follow.
#[derive(Clone, Debug)]
pub(crate) struct Shapes<'p> {
    /// The names of the function.
    pub names: Names<'p>,
    links: BTreeMap<TypeId, BTreeSet<u64>>,
}

/// A place, without the links that lead to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Canonical {
    /// The place in the first node.
    pub place: Place,
    /// Whether links were left out.
    pub of_each_node: bool,
}

/// Words in the names of links that lead back.
const BACK: &[&str] = &["prev", "previous", "back", "parent", "up", "last", "owner"];

impl<'p> Shapes<'p> {
    /// Finds the links that paths follow.
    ///
    /// Without `folding`, there are none: if all paths of a function are known, each place has a requirement of its own.
    pub fn of(names: Names<'p>, ends: &[PathEnd], folding: bool) -> Self {
        let mut links: BTreeMap<TypeId, BTreeSet<u64>> = BTreeMap::new();
        if !folding {
            return Self { names, links };
        }
        let followed = |input: &&Input| input.memory.is_some();
        for input in ends.iter().flat_map(|end| end.inputs.iter().filter(followed)) {
            let Some(parent) = parent(&names, &input.place) else { continue };
            let (Some(from), Some(to)) = (names.pointee(&parent), names.pointee(&input.place)) else { continue };
            let is_record = matches!(names.program.types.get(to.ty), Type::Record(_));
            if let Some(&at) = input.place.steps.last().filter(|_| is_record && from.ty == to.ty) {
                links.entry(to.ty).or_default().insert(at);
            }
        }
        Self { names, links }
    }

    /// Returns a place without the links that lead to it.
    pub fn canonical(&self, place: &Place) -> Canonical {
        let mut steps = place.steps.iter();
        let mut at = match &place.root {
            Root::Parameter(index) => self.names.parameter(*index),
            Root::Variable(name) => {
                let index = self.names.program.globals.iter().position(|global| global.name == *name);
                match (index, steps.next()) {
                    (Some(index), Some(&at)) => self.names.in_variable(index, at),
                    _ => return Canonical { place: place.clone(), of_each_node: false },
                }
            }
            Root::Call(_) | Root::Result => return Canonical { place: place.clone(), of_each_node: false },
        };
        let mut of_each_node = false;
        for &step in steps {
            let links = self.names.pointee(&at).and_then(|to| self.links.get(&to.ty));
            if links.is_some_and(|links| links.contains(&step)) {
                of_each_node = true;
            } else {
                at = self.names.behind(&at, step);
            }
        }
        Canonical { place: at, of_each_node }
    }

    /// Returns whether the pointer at a place leads to linked nodes.
    pub fn is_linked(&self, place: &Place) -> bool {
        self.names.pointee(place).is_some_and(|to| self.links.contains_key(&to.ty))
    }

    /// Returns whether paths test every link for null: the contract says that the last one is.
    pub fn tests_links(&self, ends: &[PathEnd]) -> bool {
        let inputs = || ends.iter().flat_map(|end| &end.inputs);
        self.links.iter().all(|(&ty, links)| {
            links.iter().all(|link| {
                let is_it = |input: &&Input| {
                    input.place.steps.last() == Some(link)
                        && self.names.pointee(&input.place).is_some_and(|to| to.ty == ty)
                        && parent(&self.names, &input.place).is_some_and(|parent| self.is_linked(&parent))
                };
                let own: Vec<&Input> = inputs().filter(is_it).collect();
                own.iter().any(|input| input.is_null == Some(true)) && !own.iter().any(|input| input.is_untested)
            })
        })
    }

    /// Returns the requirements that follow from the pointers that paths have followed.
    pub fn requirements(&self, ends: &[PathEnd]) -> Vec<Requirement> {
        let mut by_place: BTreeMap<Place, Vec<(&Input, bool)>> = BTreeMap::new();
        for input in ends.iter().flat_map(|end| &end.inputs) {
            let Canonical { place, of_each_node } = self.canonical(&input.place);
            if !matches!(place.root, Root::Call(_)) {
                by_place.entry(place).or_default().push((input, of_each_node));
            }
        }
        by_place.into_iter().filter_map(|(place, inputs)| self.requirement(place, &inputs)).collect()
    }

    fn requirement(&self, place: Place, inputs: &[(&Input, bool)]) -> Option<Requirement> {
        let to = self.names.pointee(&place);
        let pointee = to.map_or_else(|| "void".to_owned(), |to| type_text(&self.names.program.types, to));
        let is_called = inputs.iter().any(|(input, _)| input.is_called);
        let memories: Vec<&Memory> = inputs.iter().filter_map(|(input, _)| input.memory.as_ref()).collect();
        if memories.is_empty() && !is_called {
            return None;
        }
        let mut access = Access::default();
        for memory in &memories {
            access.reads |= memory.access.reads;
            access.writes |= memory.access.writes;
            access.frees |= memory.access.frees;
        }
        let shape = if is_called { Shape::Function } else { self.shape(&place, to.map(|to| to.ty), &memories) };
        // The links of later nodes may be null whether or not the first pointer may.
        let is_own = |input: &Input| input.place == place || !self.is_linked(&place);
        let is_null = inputs.iter().any(|(input, _)| input.is_null == Some(true) && is_own(input));
        let is_untested = inputs.iter().any(|(input, _)| input.is_untested && is_own(input));
        // Null may be freed, too.
        let may_be_null = shape == Shape::Allocated || (is_null && !is_untested);
        let is_node_place = inputs.iter().all(|(input, _)| input.place != place);
        let of_each_node = is_node_place
            || (inputs.iter().any(|(_, each)| *each) && !matches!(shape, Shape::List { .. } | Shape::Tree { .. }));
        Some(Requirement { place, pointee, may_be_null, shape, access, of_each_node })
    }

    fn shape(&self, place: &Place, to: Option<TypeId>, memories: &[&Memory]) -> Shape {
        if let Some(shape) = to.and_then(|to| self.linked(to)) {
            return shape;
        }
        let program = self.names.program;
        let size = to.and_then(|to| layout::size_of(&program.types, program.target, to)).filter(|&size| size > 0);
        let size = size.unwrap_or(1);
        let extent = memories.iter().map(|memory| memory.extent).max().unwrap_or(0);
        let looked: Vec<&&Memory> = memories.iter().filter(|memory| memory.extent > 0).collect();
        if size == 1 && looked.iter().all(|memory| memory.is_text) && looked.iter().any(|memory| memory.looks_for_end) {
            return Shape::Text;
        }
        if extent == 0 && memories.iter().all(|memory| memory.access.frees) {
            return Shape::Allocated;
        }
        if extent <= size {
            return Shape::Object;
        }
        let mut bounds: Option<BTreeSet<Place>> = None;
        for memory in &looked {
            bounds = Some(match bounds {
                None => memory.bounds.clone(),
                Some(bounds) => bounds.intersection(&memory.bounds).cloned().collect(),
            });
        }
        let mut bounds: Vec<Place> = bounds.unwrap_or_default().into_iter().collect();
        bounds.sort_by_key(|bound| distance(place, bound));
        Shape::Array(match bounds.into_iter().next() {
            Some(bound) => Length::Value(bound),
            None if memories.iter().any(|memory| memory.is_chosen) => Length::Accessed,
            None => Length::Number(extent.div_ceil(size)),
        })
    }

    /// Returns the shape of the nodes of a type, if paths follow links between them.
    fn linked(&self, ty: TypeId) -> Option<Shape> {
        let links = self.links.get(&ty)?;
        let Type::Record(id) = self.names.program.types.get(ty) else { return None };
        let record = self.names.program.types.record(*id);
        let name = |at: &u64| {
            let field = record.fields.iter().find(|field| field.offset == *at && field.name.is_some());
            field.and_then(|field| field.name.as_deref()).map_or_else(|| format!("+{at}"), str::to_owned)
        };
        let (back, next): (Vec<String>, Vec<String>) = links.iter().map(name).partition(|name| leads_back(name));
        Some(match (next.as_slice(), back.as_slice()) {
            ([next], _) => Shape::List { next: next.clone(), back },
            // A list that is walked backwards only.
            ([], [next]) => Shape::List { next: next.clone(), back: Vec::new() },
            _ => Shape::Tree { links: next.into_iter().chain(back).collect() },
        })
    }
}

fn leads_back(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.split('_').any(|word| BACK.contains(&word))
}

/// Returns the place of the object that holds a pointer.
fn parent(names: &Names<'_>, place: &Place) -> Option<Place> {
    let (_, before) = place.steps.split_last()?;
    let mut steps = before.iter();
    let mut at = match &place.root {
        Root::Parameter(index) => names.parameter(*index),
        Root::Variable(name) => {
            let index = names.program.globals.iter().position(|global| global.name == *name)?;
            names.in_variable(index, *steps.next()?)
        }
        Root::Call(_) | Root::Result => return None,
    };
    for &step in steps {
        at = names.behind(&at, step);
    }
    Some(at)
}

/// Returns how far a length is from its pointer: the parameter or the member after it is the nearest.
fn distance(place: &Place, length: &Place) -> (u64, u64) {
    if let (Some(a), Some(b)) = (place.steps.last(), length.steps.last()) {
        return (0, a.abs_diff(*b));
    }
    match (&place.root, &length.root) {
        (Root::Parameter(a), Root::Parameter(b)) if b > a => (1, (b - a) as u64),
        (Root::Parameter(a), Root::Parameter(b)) => (2, (a - b) as u64),
        _ => (3, 0),
    }
}
