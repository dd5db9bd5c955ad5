//! Analyses of function bodies and programs that the passes and engines share.
//!
//! `cfg.rs` holds the control-flow graph and its depth-first traversal. `dominators.rs` and `loops.rs` build on it.
//! `call_graph.rs` relates functions, `variable_arguments.rs` compares what they pass with what they take, `constants.rs` collects the
//! constants of a program with their uses, and `liveness.rs` computes live registers.

pub mod call_graph;
pub mod cfg;
pub mod constants;
pub mod dominators;
pub mod liveness;
pub mod loops;
pub mod variable_arguments;

pub use call_graph::CallGraph;
pub use cfg::{Cfg, DepthFirst};
pub use dominators::Dominators;
pub use loops::{Loop, Loops};

#[cfg(test)]
mod tests {
    use crate::parse::parse;
    use crate::program::{Body, Program};

    /// Reads a program.
    pub(super) fn program(text: &str) -> Program {
        parse(text).unwrap_or_else(|error| panic!("line {}: {}", error.line, error.message))
    }

    /// Returns a body with the given edges, which name the successors of block 0, 1, 2 and so on.
    pub(super) fn graph(edges: &[&[u32]]) -> Body {
        let mut text = "program lp64\nfunction f0 external \"f\" () {\n reg v0: i1\n".to_owned();
        for (block, next) in edges.iter().enumerate() {
            let end = match next {
                [] => "return".to_owned(),
                [next] => format!("jump b{next}"),
                [then, other] => format!("branch v0, b{then}, b{other}"),
                _ => panic!("a block has at most two successors"),
            };
            text += &format!("b{block}:\n {end}\n");
        }
        program(&(text + "}\n")).functions.remove(0).body.expect("the function has a body")
    }
}
