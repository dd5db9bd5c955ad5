//! Draws a violation: the trace, then the fault.

use cairn_ir::Program;
use cairn_portfolio::verdict::Violation;

use crate::draw::terminal::{Characters, draw};
use crate::fault::{self, Weight};
use crate::hint::hint;
use crate::report::heap::Heap;
use crate::trace::{self, Detail};
use crate::{Colour, Texts, printable};

/// Renders a violation.
pub fn render(violation: &Violation, program: &Program, texts: Texts<'_>, colour: Colour, detail: Detail) -> String {
    let fault = fault::render(&violation.fault, Weight::Error, program, texts, colour);
    let steps = trace::render(trace::lines(violation, detail), program, texts);
    let end = violation.story.end.as_deref().filter(|_| detail == Detail::Short);
    let drawing = end
        .and_then(|end| draw(&Heap::of(end), Characters::Ascii))
        .map_or_else(String::new, |drawing| format!("memory at the {}:\n{drawing}", violation.fault.kind));
    let help = hint(violation).map_or_else(String::new, |hint| format!("\nhelp: {}", printable(&hint)));
    let steps = if steps.is_empty() { steps } else { format!("steps to the {}:\n{steps}", violation.fault.kind) };
    format!("{steps}{drawing}{fault}{help}")
}
