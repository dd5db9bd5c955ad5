//! Makes the contract of a function from the ends of its paths, and decides how much it covers.

use std::collections::BTreeSet;

use cairn_ir::ctype::QualType;
use cairn_ir::{CheckId, FuncId, Program};

use super::cases::cases;
use super::path_end::PathEnd;
use super::shapes::Shapes;
use crate::contract::types::{Names, type_text};
use crate::contract::{Basis, Case, Condition, Contract, Length, Parameter, Requirement, Shape, Value};
use crate::limits::ITERATIONS;

/// What the search has seen of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The ends of paths that return.
    pub ends: Vec<PathEnd>,
    /// The functions that ended the program on some path.
    pub ends_in: BTreeSet<String>,
    /// Whether paths with more iterations or nested calls were dropped.
    pub is_bounded: bool,
    /// Other reasons why paths are missing.
    pub gaps: BTreeSet<String>,
    /// The checks that fail on some path, or that are assumed to succeed for reasons which no requirement states.
    pub open: BTreeSet<CheckId>,
    /// Whether the requirements are all that the paths rest on, but for checks that are open.
    pub is_sufficient: bool,
}

/// Returns the contract of a function.
pub(crate) fn contract(program: &Program, function: FuncId, seen: &Seen, never_returns: bool) -> Contract {
    let names = Names::of(program, function);
    let folding = seen.is_bounded || !seen.gaps.is_empty();
    let (mut requires, mut cases) = parts(&names, &seen.ends, folding);
    let mut basis = Basis::Complete;
    let mut gaps = seen.gaps.clone();
    if folding && !Shapes::of(names.clone(), &seen.ends, folding).tests_links(&seen.ends) {
        gaps.insert(UNTESTED_LINK.to_owned());
    }
    if !seen.open.is_empty() {
        gaps.insert(OPEN_CHECK.to_owned());
    }
    if seen.is_bounded {
        let shorter: Vec<PathEnd> = seen.ends.iter().filter(|end| end.depth < ITERATIONS).cloned().collect();
        let (mut before, mut cases_before) = parts(&names, &shorter, folding);
        forget_growing_lengths(&mut requires, &mut before);
        forget_growing_numbers(&mut cases, &mut cases_before);
        let is_stable = before == requires && cases_before == cases && (never_returns || !shorter.is_empty());
        basis = if is_stable { Basis::Stable } else { Basis::Partial([MORE_ITERATIONS.to_owned()].into()) };
    }
    if !gaps.is_empty() {
        if let Basis::Partial(more) = basis {
            gaps.extend(more);
        }
        basis = Basis::Partial(gaps);
    }
    let declared = &program.functions[function.index()];
    let void = QualType::plain(cairn_ir::ctype::TypeId::VOID);
    let parameters = names.parameters().map(|(name, ty)| Parameter {
        name: name.to_owned(),
        ty: ty.map_or_else(|| "?".to_owned(), |ty| type_text(&program.types, QualType::plain(ty))),
    });
    Contract {
        function: declared.name.clone(),
        file: program.file_name(declared.loc).to_owned(),
        line: declared.loc.line,
        result: type_text(&program.types, names.result.unwrap_or(void)),
        parameters: parameters.collect(),
        requires,
        cases,
        never_returns,
        ends_in: seen.ends_in.clone(),
        assumes: seen.ends.iter().flat_map(|end| end.called.iter().cloned()).collect(),
        basis,
    }
}

const MORE_ITERATIONS: &str = "paths with more iterations or nested calls do more";

const OPEN_CHECK: &str = "an operation is valid for some values only, which no requirement states";

const UNTESTED_LINK: &str = "a link between nodes is followed without a test for null";

/// Returns the requirements and the cases of some paths.
fn parts(names: &Names<'_>, ends: &[PathEnd], folding: bool) -> (Vec<Requirement>, Vec<Case>) {
    let shapes = Shapes::of(names.clone(), ends, folding);
    let requires = shapes.requirements(ends);
    let mut cases = cases(&shapes, ends);
    for case in &mut cases {
        case.when.retain(|condition| match condition {
            Condition::NotNull(place) => {
                requires.iter().any(|requirement| requirement.place == *place && requirement.may_be_null)
            }
            _ => true,
        });
    }
    (requires, cases)
}

/// Replaces numeric results that depend on the number of iterations.
fn forget_growing_numbers(cases: &mut [Case], before: &mut [Case]) {
    if cases.len() != before.len() {
        return;
    }
    let is_number = |value: &Value| matches!(value, Value::Numbers(_) | Value::Range(..));
    for (case, other) in cases.iter_mut().zip(before) {
        if is_number(&case.result) && is_number(&other.result) && case.result != other.result {
            case.result = Value::Any;
            other.result = Value::Any;
        }
        let common: BTreeSet<Condition> = case.when.intersection(&other.when).cloned().collect();
        case.when.clone_from(&common);
        other.when = common;
    }
}

/// Replaces lengths that grow with the number of iterations.
fn forget_growing_lengths(requires: &mut [Requirement], before: &mut [Requirement]) {
    for requirement in requires {
        let Some(other) = before.iter_mut().find(|other| other.place == requirement.place) else { continue };
        let grows = match (&requirement.shape, &other.shape) {
            (Shape::Array(Length::Number(one)), Shape::Array(Length::Number(other))) => one != other,
            (Shape::Array(Length::Number(_)), Shape::Object) => true,
            _ => false,
        };
        if grows {
            requirement.shape = Shape::Array(Length::Accessed);
            other.shape = Shape::Array(Length::Accessed);
        }
    }
}
