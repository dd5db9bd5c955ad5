//! The graph of a model: the nodes that it speaks of, and what their cells hold.

use cairn_rules::{Model, Term};
use rustc_hash::FxHashMap;

use super::checker::Checker;
use super::report::GraphNode;
use super::state::{State, Value};
use super::types::NodeId;

impl Checker<'_, '_> {
    /// Draws a model.
    pub fn picture(&self, model: &Model, state: &State, breaks: Option<Term>) -> Vec<GraphNode> {
        let mut nodes: Vec<(Term, NodeId)> = Vec::new();
        for index in 0..self.types.nodes.len() {
            let node = NodeId(index as u32);
            if self.types.node(node).scalar {
                continue;
            }
            for args in model.constraints(self.theory.object(node)) {
                let root = model.root(args[0]);
                if !nodes.iter().any(|&(other, ty)| other == root && ty == node) {
                    nodes.push((root, node));
                }
            }
        }
        nodes.sort_by_key(|&(root, node)| (root, node));
        let names: FxHashMap<Term, String> =
            nodes.iter().enumerate().map(|(index, &(root, _))| (root, format!("n{}", index + 1))).collect();
        let body = self.body(state.frames[0].function);
        let describe = |term: Term| {
            let root = model.root(term);
            match (names.get(&root), root.as_constant()) {
                (Some(name), _) => name.clone(),
                (None, Some(0)) => "null".to_owned(),
                (None, Some(value)) => value.to_string(),
                (None, None) => {
                    let inside = nodes.iter().find_map(|&(base, node)| {
                        let offset = (base.var == root.var).then(|| root.offset - base.offset)?;
                        (0..self.types.node(node).size as i64)
                            .contains(&offset)
                            .then(|| format!("{}+{offset}", names[&base]))
                    });
                    inside.unwrap_or_else(|| format!("{:#x} (no node)", model.value(root)))
                }
            }
        };
        let mut out = Vec::new();
        for &(root, node) in &nodes {
            let ty = self.types.node(node);
            let mut cells = Vec::new();
            for (offset, class) in ty.touched(self.types, 0, ty.size.min(512)) {
                let address = model.root(root + offset as i64);
                let current = Term::constant(state.heaps[class.0 as usize]);
                let first = Term::constant(state.closed[class.0 as usize]);
                let held = |heap: Term| {
                    let mut cells = model.constraints(self.theory.cell);
                    cells.find(|args| args[0] == heap && model.root(args[1]) == address).map(|args| args[2])
                };
                let name = self.types.class(class).name.rsplit('.').next().unwrap_or("").to_owned();
                let name = if ty.cells.iter().any(|c| c.class == class && c.count > 1) {
                    let start = ty.cells.iter().find(|c| c.class == class).map_or(0, |c| c.offset);
                    format!("{name}[{}]", (offset - start) / self.types.class(class).width)
                } else {
                    name
                };
                match (held(first), held(current)) {
                    (Some(before), Some(now)) if !model.same(before, now) => {
                        cells.push((name, format!("{}, now {}", describe(before), describe(now))));
                    }
                    (Some(value), _) | (None, Some(value)) => cells.push((name, describe(value))),
                    (None, None) => {}
                }
            }
            let mut variables = Vec::new();
            if let Some(body) = body {
                for (info, value) in body.regs.iter().zip(&state.frames[0].regs) {
                    if let (Some(name), Value::Term(term)) = (&info.name, value)
                        && model.root(*term) == root
                    {
                        variables.push(name.to_string());
                    }
                }
            }
            let breaks = breaks.is_some_and(|cell| {
                let cell = model.root(cell);
                cell.var == root.var && (0..ty.size as i64).contains(&(cell.offset - root.offset))
            });
            let made = state.made.iter().any(|&(base, _)| model.root(base) == root);
            let address = model.value(root);
            out.push(GraphNode {
                name: names[&root].clone(),
                ty: ty.name.clone(),
                address,
                cells,
                variables,
                made,
                breaks,
            });
        }
        out
    }
}
