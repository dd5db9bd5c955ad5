//! The input that a model of a failed condition describes.

use cairn_ir::Body;
use cairn_rules::{Model, Term};

use super::super::limits::REPLAY_NODE_BYTES;
use super::super::solver::PathSolver;
use super::super::types::{NodeId, NodeTypes};
use super::input::{CellValue, Input, InputNode};

/// Returns graph and arguments of a model, if `parameters` are those of a path from the entry of the function.
pub(crate) fn input_of_model(
    solver: &PathSolver<'_, '_>,
    body: &Body,
    parameters: &[Term],
    model: &Model,
) -> Option<Input> {
    if parameters.len() != body.params.len() {
        return None;
    }
    let types = solver.types();
    let objects = whole_objects(solver, model);
    let value_of = |term: Term| {
        let root = model.root(term);
        if let Some(constant) = root.as_constant() {
            return CellValue::Number(constant);
        }
        let mut inside = objects.iter().enumerate().filter_map(|(index, &(base, node))| {
            offset_in(types, root, base, node).map(|offset| CellValue::Address(index, offset))
        });
        inside.next().unwrap_or_else(|| CellValue::Number(model.value(root)))
    };
    let mut nodes = Vec::new();
    for &(root, node) in &objects {
        let ty = types.node(node);
        let mut cells = Vec::new();
        for (offset, class) in ty.touched(types, 0, ty.size.min(REPLAY_NODE_BYTES)) {
            let address = model.root(root + offset as i64);
            // At the entry, heaps are numbered from 1 on, class by class.
            let heap = Term::constant(i64::from(class.0) + 1);
            let mut known = model.constraints(solver.theory().heaps().cell);
            let held = known.find(|args| args[0] == heap && model.root(args[1]) == address).map(|args| args[2]);
            match held.map(value_of) {
                Some(CellValue::Number(_)) if types.class(class).pointer => {}
                Some(held) => cells.push((offset, types.class(class).width, held)),
                None => {}
            }
        }
        nodes.push(InputNode { node: Some(node), cells });
    }
    let arguments = parameters.iter().map(|&term| value_of(term)).collect();
    Some(Input { nodes, arguments, globals: Vec::new() })
}

/// Returns the objects of a model. A struct that is a part of another is no object of its own.
fn whole_objects(solver: &PathSolver<'_, '_>, model: &Model) -> Vec<(Term, NodeId)> {
    let types = solver.types();
    let mut roots: Vec<(Term, NodeId)> = Vec::new();
    for (node, ty) in types.nodes() {
        if ty.scalar {
            continue;
        }
        for args in model.constraints(solver.theory().object(node)) {
            let root = model.root(args[0]);
            if !roots.contains(&(root, node)) {
                roots.push((root, node));
            }
        }
    }
    let is_part = |root: Term, node: NodeId| {
        roots.iter().any(|&(outer, ty)| {
            ty != node && types.node(ty).size > types.node(node).size && offset_in(types, root, outer, ty).is_some()
        })
    };
    roots.iter().copied().filter(|&(root, node)| !is_part(root, node)).collect()
}

/// Returns the offset of an address in a node, if it lies in it.
fn offset_in(types: &NodeTypes<'_>, address: Term, root: Term, node: NodeId) -> Option<i64> {
    let offset = address.offset.checked_sub(root.offset).filter(|_| address.var == root.var)?;
    (0..types.node(node).size as i64).contains(&offset).then_some(offset)
}
