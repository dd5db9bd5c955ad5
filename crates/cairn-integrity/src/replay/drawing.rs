//! Draws the input of a replay for people.

use super::super::limits::DRAWN_CELLS;
use super::super::report::GraphNode;
use super::super::types::{Cells, NodeType};
use super::driver::Driver;
use super::input::{CellValue, Input, InputNode};

impl Driver<'_, '_> {
    /// Returns the parameters with their values.
    pub fn arguments(&self, input: &Input) -> Vec<(String, String)> {
        let values = input.arguments.iter().map(|&cell| spell(cell));
        self.names.iter().cloned().zip(values).collect()
    }

    /// Draws the graph that the function is given.
    pub fn draw(&self, input: &Input) -> Vec<GraphNode> {
        let mut out = Vec::new();
        for (index, made) in input.nodes.iter().enumerate() {
            let ty = made.node.map(|node| self.types.node(node));
            let points = |cell: &CellValue| matches!(cell, CellValue::Address(to, _) if *to == index);
            let linked = input.nodes.iter().flat_map(|node| &node.cells).any(|(.., cell)| points(cell));
            if ty.is_none() && !linked && !input.arguments.iter().any(points) {
                continue;
            }
            let variables = self.names.iter().zip(&input.arguments).filter(|(_, cell)| points(cell));
            out.push(GraphNode {
                name: format!("n{}", index + 1),
                ty: ty.map_or_else(|| "bytes".to_owned(), |ty| ty.name.clone()),
                address: 0,
                cells: ty.map_or_else(Vec::new, |ty| self.draw_cells(made, ty)),
                variables: variables.map(|(name, _)| name.clone()).collect(),
                made: false,
                breaks: false,
            });
        }
        out
    }

    /// Draws the cells of a node.
    ///
    /// Most elements of arrays are zero and left out; other cells that are left out are counted.
    fn draw_cells(&self, made: &InputNode, ty: &NodeType) -> Vec<(String, String)> {
        let mut cells = Vec::new();
        let mut more = 0;
        for &(offset, width, cell) in &made.cells {
            let Some(class) = ty.cell(self.types, offset as i64, width) else { continue };
            let name = self.types.class(class).name.rsplit('.').next().unwrap_or("");
            let is_here = |row: &&Cells| row.class == class && row.offset <= offset;
            let row = ty.cells.iter().rev().find(is_here).filter(|row| row.count > 1);
            if cells.len() >= DRAWN_CELLS || (row.is_some() && cell == CellValue::Number(0)) {
                more += usize::from(cell != CellValue::Number(0));
                continue;
            }
            let index = row.map(|row| format!("[{}]", (offset - row.offset) / width)).unwrap_or_default();
            cells.push((format!("{name}{index}"), spell(cell)));
        }
        if more > 0 {
            cells.push(("…".to_owned(), format!("{more} more")));
        }
        cells
    }
}

fn spell(cell: CellValue) -> String {
    match cell {
        CellValue::Number(value) => value.to_string(),
        CellValue::Code => "a function".to_owned(),
        CellValue::Address(index, 0) => format!("n{}", index + 1),
        CellValue::Address(index, offset) => format!("n{}+{offset}", index + 1),
    }
}
