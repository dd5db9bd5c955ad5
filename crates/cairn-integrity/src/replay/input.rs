//! The input of a replay: a graph, arguments, and the links of global variables.

use super::super::contracts::Given;
use super::super::types::NodeId;

/// The contents of a cell or an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellValue {
    /// An integer.
    Number(i64),
    /// The address of a node, by its number, plus an offset.
    Address(usize, i64),
    /// The address of a function that does nothing and returns anything.
    Code,
}

/// An object of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InputNode {
    /// The type; `None` for bytes that are no node.
    pub node: Option<NodeId>,
    /// Offset, width and contents of the cells that are not zero.
    pub cells: Vec<(u64, u64, CellValue)>,
}

impl InputNode {
    /// Returns an object whose cells are all zero.
    pub fn zero(node: Option<NodeId>) -> Self {
        Self { node, cells: Vec::new() }
    }
}

/// The input of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Input {
    /// The objects.
    pub nodes: Vec<InputNode>,
    /// The arguments, one per parameter.
    pub arguments: Vec<CellValue>,
    /// Cells of global variables: number of the variable, offset, contents.
    pub globals: Vec<(usize, u64, CellValue)>,
}

impl Input {
    /// Returns whether the arguments meet the contract of the function.
    pub fn meets(&self, given: &[Given]) -> bool {
        self.arguments.iter().zip(given).all(|(argument, given)| match (argument, given) {
            (_, Given::Any) => true,
            (argument, Given::NonNull) => *argument != CellValue::Number(0),
            (&CellValue::Number(value), &Given::Range(low, high)) => {
                low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)
            }
            (_, Given::Range(..)) => false,
        })
    }
}

/// A deterministic series of pseudo-random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number less than `count`, which is not 0.
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % count.max(1)
    }

    /// Returns a value that programs are likely to treat specially, or a small one.
    pub fn value(&mut self) -> i64 {
        const SPECIAL: [i64; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 9, -1, -2, 100, i32::MAX as i64, i32::MIN as i64];
        match self.below(4) {
            0 => self.below(12) as i64,
            1 => self.below(40) as i64 - 8,
            _ => SPECIAL[self.below(SPECIAL.len() as u64) as usize],
        }
    }
}
