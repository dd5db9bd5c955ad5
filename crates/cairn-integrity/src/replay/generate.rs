//! Generates inputs from the types alone.

use super::super::limits::{GLOBAL_LINKS, REPLAY_NODE_BYTES};
use super::super::types::{Class, NodeId};
use super::driver::{Driver, Parameter};
use super::input::{CellValue, Input, InputNode, Numbers};

/// The nodes of a generated graph by type.
struct Pools {
    nodes: Vec<(NodeId, Vec<usize>)>,
    /// Bytes that are no node.
    block: usize,
    /// How many of six links are null.
    nulls: u64,
}

impl Pools {
    fn of(&self, node: NodeId) -> &[usize] {
        self.nodes.iter().find(|(ty, _)| *ty == node).map_or(&[][..], |(_, pool)| pool)
    }

    fn link(&self, node: NodeId, numbers: &mut Numbers) -> CellValue {
        let pool = self.of(node);
        if pool.is_empty() || numbers.below(6) < self.nulls {
            return CellValue::Number(0);
        }
        CellValue::Address(pool[numbers.below(pool.len() as u64) as usize], 0)
    }

    fn pointer(&self, numbers: &mut Numbers) -> CellValue {
        [CellValue::Number(0), CellValue::Address(self.block, 0)][numbers.below(2) as usize]
    }

    fn cell(&self, class: &Class, numbers: &mut Numbers) -> CellValue {
        match class.link {
            Some(to) => self.link(to, numbers),
            None if class.code => [CellValue::Number(0), CellValue::Code][numbers.below(4).min(1) as usize],
            None if class.pointer => self.pointer(numbers),
            None if class.mixed => CellValue::Number(0),
            None => CellValue::Number(numbers.value()),
        }
    }
}

impl Driver<'_, '_> {
    /// Generates a graph and arguments.
    pub fn generate(&self, numbers: &mut Numbers) -> Input {
        let mut input = Input::default();
        let mut nodes: Vec<(NodeId, Vec<usize>)> = Vec::new();
        for &node in &self.reachable {
            let count = 1 + numbers.below(4) as usize;
            let first = input.nodes.len();
            input.nodes.extend((0..count).map(|_| InputNode::zero(Some(node))));
            nodes.push((node, (first..first + count).collect()));
        }
        let block = input.nodes.len();
        input.nodes.push(InputNode::zero(None));
        // Some graphs have many links, some few.
        let pools = Pools { nodes, block, nulls: 1 + numbers.below(4) };
        for made in &mut input.nodes {
            let Some(node) = made.node else { continue };
            for (offset, class) in self.types.node(node).touched(self.types, 0, REPLAY_NODE_BYTES) {
                let class = self.types.class(class);
                made.cells.push((offset, class.width, pools.cell(class, numbers)));
            }
        }
        for parameter in &self.parameters {
            let argument = match *parameter {
                Parameter::Struct(node) => {
                    let like = pools.of(node).first().map(|&like| input.nodes[like].clone());
                    input.nodes.push(like.unwrap_or(InputNode::zero(Some(node))));
                    CellValue::Address(input.nodes.len() - 1, 0)
                }
                Parameter::Number(_) => CellValue::Number(numbers.value()),
                Parameter::Link(node) => pools.link(node, numbers),
                Parameter::Pointer => pools.pointer(numbers),
                Parameter::Code => CellValue::Code,
            };
            input.arguments.push(argument);
        }
        for &(global, node) in &self.globals {
            let cells = self.types.node(node).touched(self.types, 0, REPLAY_NODE_BYTES);
            let links = cells.iter().filter_map(|&(offset, class)| Some((offset, self.types.class(class).link?)));
            for (offset, to) in links.take(GLOBAL_LINKS) {
                input.globals.push((global, offset, pools.link(to, numbers)));
            }
        }
        input
    }
}
