//! Printing of synthesised invariants and summaries, for `cairn dump`.

use cairn_ir::Program;
use cairn_smt::Session;

use crate::engine::stages::RELATED;
use crate::hints::hints;
use crate::limits::MAX_PRINT_QUERIES;
use crate::reason::Reason;
use crate::ssa::Formula;
use crate::synthesis::{Bounds, Precision, Stop, Synthesis};
use crate::templates::{self, Template};

/// Renders the loop invariants of a formula and the calling contexts and summaries of its functions.
///
/// # Errors
/// Fails if a template name is unknown or the solver gives up.
pub fn invariants(program: &Program, formula: Formula, names: &[String]) -> Result<String, String> {
    synthesise(program, formula, names, |synthesis| synthesis.describe(program))
}

/// Renders the summaries of the functions of a formula with the bindings at their calls.
///
/// # Errors
/// Fails if a template name is unknown or the solver gives up.
pub fn summaries(program: &Program, formula: Formula, names: &[String]) -> Result<String, String> {
    synthesise(program, formula, names, |synthesis| synthesis.describe_summaries(program))
}

fn synthesise(
    program: &Program,
    mut formula: Formula,
    names: &[String],
    describe: impl FnOnce(&mut Synthesis<'_>) -> String,
) -> Result<String, String> {
    let names = if names.is_empty() { RELATED.to_vec() } else { templates::named(names)? };
    let all = templates::all();
    let chosen: Vec<&dyn Template> = all.iter().map(|t| &**t).filter(|t| names.contains(&t.name())).collect();
    let hints = hints(program, &formula);
    let mut session = Session::default();
    let precision = Precision { bounds: Bounds::Exact, queries: MAX_PRINT_QUERIES };
    let mut synthesis = Synthesis::new(&mut formula, &mut session, &chosen, &hints, precision);
    match synthesis.grow().and_then(|()| synthesis.shrink()) {
        Ok(()) => Ok(describe(&mut synthesis)),
        Err(Stop::OutOfBudget) => Err(Reason::SolverBudget.to_string()),
    }
}
