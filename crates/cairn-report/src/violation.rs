//! Draws a violation: the trace, then the fault.

use cairn_ir::Program;
use cairn_portfolio::verdict::Violation;

use crate::fault::{self, Weight};
use crate::{Colour, Texts, trace};

/// Renders a violation.
pub fn render(violation: &Violation, program: &Program, texts: Texts<'_>, colour: Colour) -> String {
    let fault = fault::render(&violation.fault, Weight::Error, program, texts, colour);
    let steps = trace::render(&violation.trace, program, texts);
    if steps.is_empty() {
        return fault;
    }
    format!("steps to the {}:\n{steps}{fault}", violation.fault.kind)
}
