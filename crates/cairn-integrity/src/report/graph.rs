//! Draws the graph of a model: its nodes, and the contents of their cells.

use cairn_ir::Body;
use cairn_rules::{Model, Term};
use rustc_hash::FxHashMap;

use super::super::limits::DRAWN_BYTES;
use super::super::solver::PathSolver;
use super::super::state::{State, Value};
use super::super::types::{ClassId, NodeId, NodeType, NodeTypes};
use super::GraphNode;

/// Draws the graph of a model in a state. `breaks` is the cell that violates a condition.
pub(crate) fn draw_model(
    solver: &PathSolver<'_, '_>,
    model: &Model,
    state: &State,
    body: &Body,
    breaks: Option<Term>,
) -> Vec<GraphNode> {
    let drawing = Drawing::new(solver, model, state);
    let mut out = Vec::new();
    for &(root, node) in &drawing.nodes {
        let ty = solver.types().node(node);
        let variables =
            body.regs.iter().zip(&state.frames[0].regs).filter_map(|(info, value)| match (&info.name, value) {
                (Some(name), Value::Term(term)) if model.root(*term) == root => Some(name.to_string()),
                _ => None,
            });
        let breaks = breaks.is_some_and(|cell| {
            let cell = model.root(cell);
            cell.var == root.var && (0..ty.size as i64).contains(&(cell.offset - root.offset))
        });
        out.push(GraphNode {
            name: drawing.names[&root].clone(),
            ty: ty.name.clone(),
            address: model.value(root),
            cells: drawing.cells(root, ty),
            variables: variables.collect(),
            made: state.locals.made.iter().any(|&(base, _)| model.root(base) == root),
            breaks,
        });
    }
    out
}

/// A model with names for its nodes.
struct Drawing<'d, 'p> {
    types: &'d NodeTypes<'p>,
    solver: &'d PathSolver<'d, 'p>,
    model: &'d Model,
    state: &'d State,
    nodes: Vec<(Term, NodeId)>,
    names: FxHashMap<Term, String>,
}

impl<'d, 'p> Drawing<'d, 'p> {
    fn new(solver: &'d PathSolver<'d, 'p>, model: &'d Model, state: &'d State) -> Self {
        let types = solver.types();
        let mut nodes: Vec<(Term, NodeId)> = Vec::new();
        for (node, ty) in types.nodes() {
            if ty.scalar {
                continue;
            }
            for args in model.constraints(solver.theory().object(node)) {
                let root = model.root(args[0]);
                if !nodes.iter().any(|&(other, ty)| other == root && ty == node) {
                    nodes.push((root, node));
                }
            }
        }
        nodes.sort_by_key(|&(root, node)| (root, node));
        let names = nodes.iter().enumerate().map(|(index, &(root, _))| (root, format!("n{}", index + 1))).collect();
        Self { types, solver, model, state, nodes, names }
    }

    /// Draws the cells of a node that the model determines.
    fn cells(&self, root: Term, ty: &NodeType) -> Vec<(String, String)> {
        let heaps = &self.state.heaps;
        let mut out = Vec::new();
        for (offset, class) in ty.touched(self.types, 0, ty.size.min(DRAWN_BYTES)) {
            let address = self.model.root(root + offset as i64);
            let contents = match (self.held(heaps.closed_term(class), address), self.held(heaps.term(class), address)) {
                (Some(before), Some(now)) if !self.model.same(before, now) => {
                    format!("{}, now {}", self.describe(before), self.describe(now))
                }
                (Some(value), _) | (None, Some(value)) => self.describe(value),
                (None, None) => continue,
            };
            out.push((self.cell_name(ty, class, offset), contents));
        }
        out
    }

    fn held(&self, heap: Term, address: Term) -> Option<Term> {
        let mut cells = self.model.constraints(self.solver.theory().heaps().cell);
        cells.find(|args| args[0] == heap && self.model.root(args[1]) == address).map(|args| args[2])
    }

    fn cell_name(&self, ty: &NodeType, class: ClassId, offset: u64) -> String {
        let name = self.types.class(class).name.rsplit('.').next().unwrap_or("");
        if ty.cells.iter().any(|c| c.class == class && c.count > 1) {
            let start = ty.cells.iter().find(|c| c.class == class).map_or(0, |c| c.offset);
            format!("{name}[{}]", (offset - start) / self.types.class(class).width)
        } else {
            name.to_owned()
        }
    }

    fn describe(&self, term: Term) -> String {
        let root = self.model.root(term);
        match (self.names.get(&root), root.as_constant()) {
            (Some(name), _) => name.clone(),
            (None, Some(0)) => "null".to_owned(),
            (None, Some(value)) => value.to_string(),
            (None, None) => {
                let inside = self.nodes.iter().find_map(|&(base, node)| {
                    let offset = (base.var == root.var).then(|| root.offset - base.offset)?;
                    (0..self.types.node(node).size as i64)
                        .contains(&offset)
                        .then(|| format!("{}+{offset}", self.names[&base]))
                });
                inside.unwrap_or_else(|| format!("{:#x} (no node)", self.model.value(root)))
            }
        }
    }
}
