//! Facts about single registers at a loop head.

use cairn_rules::Term;

use super::super::solver::{Landmarks, PathSolver, Range, Reach};
use super::super::state::Value;
use super::super::types::NodeId;

/// The assumption about a register at a loop head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// Nothing.
    Any,
    /// It has this value.
    Constant(i64),
    /// It is an integer with these bounds.
    Range(Option<i64>, Option<i64>),
    /// It points into a node, or is null.
    Node {
        node: NodeId,
        /// The offset in the node.
        offset: i64,
        nonnull: bool,
        reach: Reach,
        /// Whether it differs from all slots that no link leads to.
        apart: bool,
    },
}

impl Fact {
    fn range((low, high): Range) -> Self {
        if low.is_none() && high.is_none() { Fact::Any } else { Fact::Range(low, high) }
    }

    /// Returns whether the register points to the start of a node.
    pub fn is_node(self) -> bool {
        matches!(self, Fact::Node { offset: 0, .. })
    }

    /// Returns whether the register is an integer.
    pub fn is_integer(self) -> bool {
        matches!(self, Fact::Constant(_) | Fact::Range(..))
    }

    /// Returns the strongest fact about a value. `declared` is the target type of the register.
    pub fn of(solver: &mut PathSolver<'_, '_>, landmarks: &Landmarks, value: Value, declared: Option<NodeId>) -> Self {
        let Value::Term(term) = value else { return Fact::Any };
        if let Some(constant) = solver.constant(term) {
            return Fact::Constant(constant);
        }
        // For a pointer to a cell of a node, iterations need not have the cell and the node in common.
        let element = solver.origin(term).is_some_and(|origin| origin.element.is_some());
        if let (Some(node), true) = (declared, element)
            && solver.recognise_element(term, node).is_err()
        {
            return Fact::Any;
        }
        let types = solver.types();
        let inside = |node: NodeId| element || (term.offset != 0 && types.node(node).scalar);
        if let Some(node) = declared.filter(|&node| inside(node)) {
            let object = solver.object(node, term);
            let null = solver.is_null(term);
            if solver.is_refuted(&[!object]) && solver.is_refuted(&[null]) {
                return Fact::Node { node, offset: 0, nonnull: true, reach: solver.reach(term), apart: true };
            }
        }
        let base = Term { offset: 0, ..term };
        let hint = solver.origin(term).and_then(|origin| origin.hint.map(|node| (node, origin.reach)));
        if let Some((node, reach)) = hint {
            let object = solver.object(node, base);
            let null = solver.is_null(base);
            if solver.is_refuted(&[!object, !null]) {
                let nonnull = solver.is_refuted(&[null]);
                return Fact::Node { node, offset: term.offset, nonnull, reach, apart: true };
            }
            return Fact::Any;
        }
        Fact::range(solver.bounds_within(landmarks, landmarks.tightest(), term))
    }

    /// Returns the strongest fact that this one implies and that holds for a value.
    pub fn weaken(self, solver: &mut PathSolver<'_, '_>, landmarks: &Landmarks, value: Value) -> Self {
        let Value::Term(term) = value else { return Fact::Any };
        match self {
            Fact::Any => Fact::Any,
            Fact::Constant(constant) => {
                if solver.constant(term) == Some(constant) {
                    return self;
                }
                match Fact::of(solver, landmarks, value, None) {
                    Fact::Node { node, offset: 0, reach, .. } if constant == 0 => {
                        Fact::Node { node, offset: 0, nonnull: false, reach, apart: true }
                    }
                    Fact::Node { .. } => Fact::Any,
                    _ => Fact::range(solver.bounds_within(landmarks, (Some(constant), Some(constant)), term)),
                }
            }
            Fact::Range(low, high) => Fact::range(solver.bounds_within(landmarks, (low, high), term)),
            Fact::Node { node, offset, nonnull, reach, apart } => {
                if offset == 0 && solver.constant(term) == Some(0) {
                    return Fact::Node { node, offset, nonnull: false, reach, apart };
                }
                let base = term - offset;
                let object = solver.object(node, base);
                let null = solver.is_null(base);
                if !solver.is_refuted(&[!object, !null]) {
                    return Fact::Any;
                }
                let nonnull = nonnull && solver.is_refuted(&[null]);
                let other = solver.reach(term);
                let reach = if reach == other { reach } else { Reach::Maybe };
                Fact::Node { node, offset, nonnull, reach, apart }
            }
        }
    }
}
