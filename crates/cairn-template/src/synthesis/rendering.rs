//! Rendering of synthesised invariants: the rows of loops, and the calling contexts and summaries of functions.

use std::fmt::Write as _;

use cairn_ir::Program;

use crate::ssa::Kind;
use crate::synthesis::Synthesis;
use crate::templates::Names;

impl Synthesis<'_> {
    /// Renders the rows of all locations.
    pub fn describe(&self, program: &Program) -> String {
        let mut text = String::new();
        for (index, location) in self.formula.locations.iter().enumerate() {
            let function = &program.functions[location.function.index()].name;
            let line = location.loc.line;
            let _ = match location.kind {
                Kind::Loop => writeln!(text, "loop in line {line}:"),
                Kind::Entry => writeln!(text, "calling context of {function}:"),
                Kind::Exit => writeln!(text, "summary of {function}:"),
            };
            self.describe_rows(index, &mut text);
        }
        text
    }

    /// Renders the functions that have summaries: call bindings, calling context and summary (thesis §2.5.4).
    pub fn describe_summaries(&self, program: &Program) -> String {
        let bindings = self.formula.bindings(program);
        let mut text = String::new();
        for (body, bindings) in self.formula.bodies.iter().zip(bindings) {
            if let Some((entry, exit)) = body.summary {
                let _ = writeln!(text, "{bindings}calling context:");
                self.describe_rows(entry, &mut text);
                let _ = writeln!(text, "summary:");
                self.describe_rows(exit, &mut text);
            } else {
                text.push_str(&bindings);
            }
        }
        text
    }

    /// Renders the rows of one location.
    pub(super) fn describe_rows(&self, index: usize, text: &mut String) {
        let names = Names { numbers: &self.formula.object_names, sites: &self.formula.instances };
        for placed in self.rows.iter().filter(|placed| placed.schema == index && !placed.row.is_top()) {
            let path: Vec<String> = placed
                .path
                .iter()
                .map(|&(of, taken)| {
                    let line = self.formula.locations[of].loc.line;
                    if taken { format!("g^ls_{line}") } else { format!("!g^ls_{line}") }
                })
                .collect();
            let path = if path.is_empty() { String::new() } else { format!("{} => ", path.join(" && ")) };
            let _ = writeln!(text, "  {path}{}", placed.row.describe(&self.schemas[index], &names));
        }
    }
}
