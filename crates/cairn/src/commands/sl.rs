//! `cairn sl`: runs a script in the SL-COMP format.

use cairn_sl::decide::{self, Decision};
use cairn_sl::formula::Formula;
use cairn_sl::script::{Assertions, Command, Script};
use cairn_sl::{Answer, Budget, Reason, read};

use crate::arguments::{ModelFormat, SlArguments};
use crate::exit::Exit;
use crate::system::files;
use crate::system::supervise::{Guard, LastWords};
use crate::system::terminal::{self, Terminal};

/// Runs the script.
///
/// All answers are printed together at the end: the last one counts, and a process that is killed must not leave an earlier
/// one in its place.
pub(crate) fn sl(arguments: &SlArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    guard.limit(arguments.time_limit, None);
    guard.in_case_of_end(|reason| LastWords {
        output: "unknown\n".to_owned(),
        message: reason.to_string(),
        exit: Exit::Undecided,
    });
    let name = arguments.file.display();
    let text = match files::read(&arguments.file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(message) => {
            terminal.error(&message);
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
    let budget = Budget::new(u64::MAX, guard.cancel());
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
                    terminal.warning(&format!("{name}: no model for `get-model`: the last answer is not `sat`"));
                } else if !arguments.model {
                    output.push_str(&model(arguments, &script, &assertions, &budget));
                }
            }
            Command::Push(_) | Command::Pop(_) => assertions.run(command),
        }
    }
    guard.concludes();
    terminal::print(output.as_bytes());
    exit
}

/// Replaces `sat` by `unknown` where separating implications are nested.
///
/// The model was evaluated, but the published answers of SL-COMP for such problems are `unsat`: they come from a solver
/// whose cells never change their value.
fn withhold_disputed(decision: &mut Decision, assertions: &[Formula]) {
    if decision.answer == Answer::Sat && assertions.iter().any(Formula::nests_implications) {
        let why = "a model exists, but solvers disagree about nested separating implications; see --nested-wands";
        decision.answer = Answer::Unknown(Reason::Uncovered(why.to_owned()));
    }
}

/// Returns a model of the assertions as text.
fn model(arguments: &SlArguments, script: &Script, assertions: &Assertions, budget: &Budget) -> String {
    match (decide::find_model(&script.signature, assertions.formulas(), budget), arguments.format) {
        (Some(model), ModelFormat::Text) => model.to_text(&script.signature),
        (Some(model), ModelFormat::Dot) => model.to_dot(&script.signature),
        (None, ModelFormat::Text) => "; no checked model found\n".to_owned(),
        (None, ModelFormat::Dot) => "// no checked model found\n".to_owned(),
    }
}

fn statistics(decision: &Decision, steps: u64) -> String {
    let reason = match &decision.answer {
        Answer::Unknown(reason) => format!(" ({reason})"),
        _ => String::new(),
    };
    format!("stats: {} by {} in {steps} steps{reason}", decision.answer, decision.procedure)
}
