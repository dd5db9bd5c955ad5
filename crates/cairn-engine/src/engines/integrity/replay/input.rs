//! What a function is given in a run: a graph, arguments, and what global variables link to.

use cairn_rules::{Model, Term};

use super::super::checker::Checker;
use super::super::contracts::Given;
use super::super::types::NodeId;

/// What a cell or an argument holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// Bits.
    Number(i64),
    /// That many bytes into a node, by its number.
    Address(usize, i64),
    /// The address of a function that does nothing and returns anything.
    Code,
}

/// An object of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InputNode {
    /// Its type; `None` for bytes that are no node.
    pub node: Option<NodeId>,
    /// Offset, width and contents of the cells that are not zero.
    pub cells: Vec<(u64, u64, Cell)>,
}

/// What a function is given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Input {
    /// The objects.
    pub nodes: Vec<InputNode>,
    /// The arguments, as many as there are parameters.
    pub arguments: Vec<Cell>,
    /// Cells of global variables: number of the variable, offset, contents.
    pub globals: Vec<(usize, u64, Cell)>,
}

impl Input {
    /// Whether the arguments are such as all callers hand in.
    pub fn meets(&self, given: &[Given]) -> bool {
        self.arguments.iter().zip(given).all(|(argument, given)| match (argument, given) {
            (_, Given::Any) => true,
            (argument, Given::NonNull) => *argument != Cell::Number(0),
            (&Cell::Number(value), &Given::Range(low, high)) => {
                low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)
            }
            (_, Given::Range(..)) => false,
        })
    }
}

/// Numbers that look random and are the same in every run.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// A series.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Less than `count`, which is not 0.
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % count.max(1)
    }

    /// A value that programs are likely to treat as special, or any small one.
    pub fn value(&mut self) -> i64 {
        const SPECIAL: [i64; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 9, -1, -2, 100, i32::MAX as i64, i32::MIN as i64];
        match self.below(4) {
            0 => self.below(12) as i64,
            1 => self.below(40) as i64 - 8,
            _ => SPECIAL[self.below(SPECIAL.len() as u64) as usize],
        }
    }
}

impl Checker<'_, '_> {
    /// The graph and the arguments of a model, on a path from the entry of the function.
    pub fn input_of(&self, model: &Model) -> Option<Input> {
        let count = self.body(self.function)?.params.len();
        if self.inputs.len() != count {
            return None;
        }
        let mut roots: Vec<(Term, NodeId)> = Vec::new();
        for index in 0..self.types.nodes.len() {
            let node = NodeId(index as u32);
            if self.types.node(node).scalar {
                continue;
            }
            for args in model.constraints(self.theory.object(node)) {
                let root = model.root(args[0]);
                if !roots.contains(&(root, node)) {
                    roots.push((root, node));
                }
            }
        }
        let inside = |term: Term, root: Term, node: NodeId| {
            let offset = term.offset.checked_sub(root.offset).filter(|_| term.var == root.var)?;
            (0..self.types.node(node).size as i64).contains(&offset).then_some(offset)
        };
        // A struct that is a part of another is no object of its own.
        let whole: Vec<(Term, NodeId)> = roots
            .iter()
            .copied()
            .filter(|&(root, node)| {
                !roots.iter().any(|&(outer, ty)| {
                    ty != node
                        && self.types.node(ty).size > self.types.node(node).size
                        && inside(root, outer, ty).is_some()
                })
            })
            .collect();
        let cell = |term: Term| {
            let root = model.root(term);
            if let Some(constant) = root.as_constant() {
                return Cell::Number(constant);
            }
            let found = whole
                .iter()
                .enumerate()
                .find_map(|(index, &(base, node))| inside(root, base, node).map(|offset| Cell::Address(index, offset)));
            found.unwrap_or_else(|| Cell::Number(model.value(root)))
        };
        let mut nodes = Vec::new();
        for &(root, node) in &whole {
            let ty = self.types.node(node);
            let mut cells = Vec::new();
            for (offset, class) in ty.touched(self.types, 0, ty.size.min(4096)) {
                let address = model.root(root + offset as i64);
                // Heaps are numbered from 1 on at the entry, class by class.
                let heap = Term::constant(i64::from(class.0) + 1);
                let mut known = model.constraints(self.theory.cell);
                let held = known.find(|args| args[0] == heap && model.root(args[1]) == address).map(|args| args[2]);
                let held = held.map(cell);
                let width = self.types.class(class).width;
                match held {
                    Some(Cell::Number(_)) if self.types.class(class).pointer => {}
                    Some(held) => cells.push((offset, width, held)),
                    None => {}
                }
            }
            nodes.push(InputNode { node: Some(node), cells });
        }
        let arguments = self.inputs.iter().map(|&term| cell(term)).collect();
        Some(Input { nodes, arguments, globals: Vec::new() })
    }
}
