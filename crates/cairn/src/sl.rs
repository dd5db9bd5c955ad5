//! `cairn sl`: runs a script in the format of SL-COMP.

use cairn_sl::decide::{self, Decision};
use cairn_sl::formula::Formula;
use cairn_sl::script::{Assertions, Command, Script};
use cairn_sl::{Answer, Budget, Reason, read};

use crate::arguments::{ModelFormat, SlArguments};
use crate::exit::Exit;
use crate::files;
use crate::limits::Limits;
use crate::terminal::{self, Terminal};

/// Runs the script. Its answers are printed together at the end: the last one is the one that counts, and a process that is
/// ended from outside must not leave an earlier one in its place.
pub(crate) fn sl(arguments: &SlArguments, terminal: &Terminal) -> Exit {
    let name = arguments.file.display();
    let text = match files::read_bytes(&arguments.file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            terminal.report(&format!("cairn: {name}: {error}"));
            return Exit::Failure;
        }
    };
    let script = match read::read(&text) {
        Ok(script) => script,
        Err(error) => {
            terminal.report(&format!("{name}:{error}"));
            return Exit::Failure;
        }
    };
    let budget = Budget::new(u64::MAX, Limits::start(arguments.time_limit, None).cancel);
    let mut assertions = Assertions::default();
    let mut output = String::new();
    let mut exit = Exit::Fine;
    let mut satisfiable = false;
    for command in &script.commands {
        match command {
            Command::Assert(formula) => {
                let formula = cairn_sl::Semantics::from(arguments.semantics).explain(formula.clone());
                assertions.run(&Command::Assert(formula));
            }
            Command::CheckSat => {
                let before = budget.spent();
                let mut decision = decide::decide(&script.signature, assertions.formulas(), &budget);
                if !arguments.nested_wands {
                    withhold_disputed(&mut decision, assertions.formulas());
                }
                if arguments.stats {
                    terminal.report(&statistics(&decision, budget.spent() - before));
                }
                exit = match decision.answer {
                    Answer::Unknown(_) => Exit::Undecided,
                    _ => Exit::Fine,
                };
                let comment = if arguments.format == ModelFormat::Dot { "// " } else { "" };
                output.push_str(&format!("{comment}{}\n", decision.answer));
                satisfiable = decision.answer == Answer::Sat;
                if satisfiable && arguments.model {
                    output.push_str(&model(arguments, &script, &assertions, &budget));
                }
            }
            Command::GetModel => {
                if !satisfiable {
                    terminal.report(&format!("cairn: {name}: there is no model to get: the last answer was not sat"));
                } else if !arguments.model {
                    output.push_str(&model(arguments, &script, &assertions, &budget));
                }
            }
            Command::Push(_) | Command::Pop(_) => assertions.run(command),
        }
    }
    terminal::print(output.as_bytes());
    exit
}

/// Takes back a `sat` where separating implications are nested. The model that it rests on was evaluated, but SL-COMP's published
/// answers for such problems, which come from a solver whose cells hold one value for ever, say `unsat`: whoever asks should know.
fn withhold_disputed(decision: &mut Decision, assertions: &[Formula]) {
    if decision.answer == Answer::Sat && assertions.iter().any(Formula::nests_implications) {
        let why = "there is a model, but solvers disagree about separating implications inside of one another: see --nested-wands";
        decision.answer = Answer::Unknown(Reason::Uncovered(why.to_owned()));
    }
}

/// A model as it is shown.
fn model(arguments: &SlArguments, script: &Script, assertions: &Assertions, budget: &Budget) -> String {
    match (decide::find_model(&script.signature, assertions.formulas(), budget), arguments.format) {
        (Some(model), ModelFormat::Text) => model.to_text(&script.signature),
        (Some(model), ModelFormat::Dot) => model.to_dot(&script.signature),
        (None, ModelFormat::Text) => "; no model was found that could be checked\n".to_owned(),
        (None, ModelFormat::Dot) => "// no model was found that could be checked\n".to_owned(),
    }
}

fn statistics(decision: &Decision, steps: u64) -> String {
    let reason = match &decision.answer {
        Answer::Unknown(reason) => format!(" ({reason})"),
        _ => String::new(),
    };
    format!("stats: {} by {} in {steps} steps{reason}", decision.answer, decision.procedure)
}
