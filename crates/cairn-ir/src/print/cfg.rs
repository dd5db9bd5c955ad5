//! Prints control-flow graphs in DOT format.

use std::fmt::Write as _;

use super::{print_inst, print_terminator};
use crate::inst::Terminator;
use crate::program::{Body, Program};

/// Prints the control-flow graphs of all functions that the user defined, in DOT format.
pub fn print_cfg(program: &Program) -> String {
    let mut out = String::from("digraph program {\n  node [shape=box, fontname=\"monospace\"];\n");
    for (index, function) in program.functions.iter().enumerate() {
        let (true, Some(body)) = (function.origin.is_of_user(), &function.body) else { continue };
        let _ = writeln!(out, "  subgraph cluster_f{index} {{\n    label=\"{}\";", escaped(&function.name));
        graph(&mut out, index, body);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn graph(out: &mut String, function: usize, body: &Body) {
    for (index, block) in body.blocks.iter().enumerate() {
        let _ = write!(out, "    f{function}_b{index} [label=\"b{index}:\\l");
        for inst in &block.insts {
            let _ = write!(out, "{}\\l", escaped(&print_inst(inst)));
        }
        let _ = writeln!(out, "{}\\l\"];", escaped(&print_terminator(&block.end)));
    }
    for (index, block) in body.blocks.iter().enumerate() {
        let mut edge = |target: crate::ids::Block, label: &str| {
            let _ = write!(out, "    f{function}_b{index} -> f{function}_{target}");
            if !label.is_empty() {
                let _ = write!(out, " [label=\"{}\"]", escaped(label));
            }
            out.push_str(";\n");
        };
        match &block.end {
            Terminator::Jump(target) => edge(*target, ""),
            Terminator::Branch { then, other, .. } => {
                edge(*then, "true");
                edge(*other, "false");
            }
            Terminator::Switch { cases, default, .. } => {
                for case in cases {
                    if case.low == case.high {
                        edge(case.target, &case.low.to_string());
                    } else {
                        edge(case.target, &format!("{}..{}", case.low, case.high));
                    }
                }
                edge(*default, "else");
            }
            Terminator::JumpTo { targets, .. } => {
                for target in targets {
                    edge(*target, &format!("&&{target}"));
                }
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
}

/// Escapes text for a quoted DOT string.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            '\n' => out.push_str("\\n"),
            letter => out.push(letter),
        }
    }
    out
}
