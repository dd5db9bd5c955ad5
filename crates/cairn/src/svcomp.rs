//! `cairn svcomp`: one verification task under the rules of SV-COMP. The last line of standard output is the answer.

use std::path::{Path, PathBuf};

use cairn_engine::portfolio::{Task, verify_with};
use cairn_engine::verdict::{Property, Verdict};
use cairn_report::violation;

use crate::arguments::{COptions, DataModel, SearchArguments, SolverArguments};
use crate::exit::Exit;
use crate::files;
use crate::harness;
use crate::limits::Limits;
use crate::program;
use crate::solver;
use crate::terminal::{self, Terminal};
use crate::witness::{Destination, TaskText};

/// What is asked.
pub(crate) struct SvcompTask {
    pub(crate) property: PathBuf,
    pub(crate) data_model: DataModel,
    pub(crate) witness: Option<Destination>,
    pub(crate) harness: Option<PathBuf>,
    pub(crate) time_limit: Option<u64>,
    pub(crate) search: SearchArguments,
    pub(crate) solver: SolverArguments,
    pub(crate) file: PathBuf,
}

/// Answers a task.
pub(crate) fn svcomp(task: &SvcompTask, terminal: &Terminal) -> Exit {
    let specification = match read_specification(&task.property) {
        Ok(specification) => specification,
        Err(message) => {
            terminal.report(&format!("cairn: {}: {message}", task.property.display()));
            return Exit::Failure;
        }
    };
    if task.witness.is_some() && task.file == Path::new("-") {
        terminal.report("cairn: a witness needs a program in a file, because it names the file and its hash");
        return Exit::Failure;
    }
    let options = COptions::plain(task.data_model);
    let Some(loaded) = program::load(std::slice::from_ref(&task.file), &options, terminal) else {
        return Exit::Failure;
    };
    let question = Task {
        entry: specification.entry,
        properties: specification.properties,
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    };
    let limits = Limits::start(task.time_limit, task.search.memory_limit);
    let (mut search, watch) = match solver::search(&task.solver, &task.search, &limits) {
        Ok(both) => both,
        Err(message) => {
            terminal.report(&format!("cairn: {message}"));
            return Exit::Failure;
        }
    };
    search.invariants = task.witness.as_ref().is_some_and(Destination::tells_proofs);
    let outcome = verify_with(&loaded.program, &question, search, &limits.cancel);
    if let (true, Ok(found)) = (task.solver.stats, &outcome) {
        terminal.report(&watch.statistics(&found.effort));
    }
    if let Some(message) = watch.trouble() {
        terminal.report(&format!("cairn: {message}"));
        return Exit::Failure;
    }
    let about =
        TaskText { loaded: &loaded, file: &task.file, model: task.data_model, specification: &specification.text };
    match outcome.map(|found| (found.verdict, found.invariants)) {
        Ok((Verdict::True, invariants)) => {
            let written = match &task.witness {
                Some(witness) if witness.tells_proofs() => witness.write_proof(&invariants, &about),
                Some(_) => {
                    terminal.report("cairn: no witness is written, because proofs are told in YAML only");
                    Ok(())
                }
                None => Ok(()),
            };
            if let Err(message) = &written {
                terminal.report(&format!("cairn: the witness can't be written: {message}"));
            }
            terminal::print(b"TRUE\n");
            if written.is_ok() { Exit::Fine } else { Exit::Failure }
        }
        Ok((Verdict::False(violation), _)) => {
            let text =
                loaded.with_texts(|texts| violation::render(&violation, &loaded.program, texts, terminal.colour));
            terminal.report(&text);
            let mut written = task.witness.as_ref().map_or(Ok(()), |witness| witness.write(&violation, &about));
            // The answer stands, with a witness or without.
            if let Err(message) = &written {
                terminal.report(&format!("cairn: the witness can't be written: {message}"));
            }
            if let Some(file) = &task.harness
                && let Err(message) = harness::write(file, &violation, &loaded, &question.entry)
            {
                terminal.report(&format!("cairn: the harness can't be written: {message}"));
                written = Err(message);
            }
            let property = violation.property.map_or("", Property::name);
            terminal::print(format!("FALSE({property})\n").as_bytes());
            if written.is_ok() { Exit::Violation } else { Exit::Failure }
        }
        Ok((Verdict::Unknown(reason), _)) => {
            terminal::print(format!("UNKNOWN({})\n", limits.reason(&reason)).as_bytes());
            Exit::Undecided
        }
        Err(message) => {
            terminal.report(&format!("cairn: {}: {message}", task.file.display()));
            Exit::Failure
        }
    }
}

/// What a property file asks.
#[derive(PartialEq, Eq, Debug)]
struct Specification {
    text: String,
    entry: String,
    properties: Vec<Property>,
}

fn read_specification(path: &Path) -> Result<Specification, String> {
    let bytes = files::read_bytes(path).map_err(|error| error.to_string())?;
    parse_specification(&String::from_utf8_lossy(&bytes))
}

/// Reads lines of the form `CHECK( init(main()), LTL(G valid-free) )`.
fn parse_specification(text: &str) -> Result<Specification, String> {
    let mut entry = None;
    let mut properties = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("line {}: {what}: {}", number + 1, line.trim());
        let inner = compact.strip_prefix("CHECK(init(").and_then(|rest| rest.strip_suffix("))"));
        let (name, formula) = inner
            .and_then(|rest| rest.split_once("()),LTL(G"))
            .ok_or_else(|| wrong("expected `CHECK( init(main()), LTL(G …) )`"))?;
        match &entry {
            Some(known) if known != name => return Err(wrong("the lines name different entry functions")),
            _ => entry = Some(name.to_owned()),
        }
        let property = if formula.strip_prefix("!call(").and_then(|f| f.strip_suffix("())")).is_some() {
            Some(Property::UnreachCall)
        } else {
            Property::ALL.into_iter().find(|p| p.name() == formula)
        };
        properties.push(property.ok_or_else(|| wrong("this property is not supported"))?);
    }
    let entry = entry.ok_or("expected a line `CHECK( init(main()), LTL(G …) )`, found none")?;
    Ok(Specification { text: text.to_owned(), entry, properties })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read() {
        let text = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n";
        let properties = vec![Property::ValidFree, Property::ValidDeref];
        let expected = Specification { text: text.to_owned(), entry: "main".to_owned(), properties };
        assert_eq!(parse_specification(text), Ok(expected));
        let call = "CHECK( init(start()), LTL(G ! call(reach_error())) )";
        let properties = vec![Property::UnreachCall];
        let expected = Specification { text: call.to_owned(), entry: "start".to_owned(), properties };
        assert_eq!(parse_specification(call), Ok(expected));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for text in [
            "",
            "CHECK( init(main()), LTL(G ! overflow) )",
            "COVER( init(main()), FQL(COVER EDGES(@CALL)) )",
            "nonsense",
        ] {
            assert!(parse_specification(text).is_err(), "{text}");
        }
    }
}
