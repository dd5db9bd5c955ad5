//! Draws a violation: the steps that lead to the fault, then the fault.

use cairn_engine::verdict::Violation;
use cairn_ir::Program;

use crate::fault::{self, Weight};
use crate::{Colour, Texts, trace};

/// The violation as text.
pub fn render(violation: &Violation, program: &Program, texts: Texts<'_>, colour: Colour) -> String {
    let fault = fault::render(&violation.fault, Weight::Error, program, texts, colour);
    let steps = trace::render(&violation.trace, program, texts);
    if steps.is_empty() {
        return fault;
    }
    format!("steps to the {}:\n{steps}{fault}", violation.fault.kind)
}
