//! `cairn svcomp`: the answers that programs say they want, and never an answer that a run refutes.

mod support;

use std::path::{Path, PathBuf};

use cairn_ir::CheckKind;
use support::{Said, cairn, check_all, finish, programs, scratch};

const MEMSAFETY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                         CHECK( init(main()), LTL(G valid-memtrack) )\n";
const MEMCLEANUP: &str = "CHECK( init(main()), LTL(G valid-memcleanup) )\n";
const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

/// A property file in a folder of its own.
fn property(test: &str, name: &str) -> PathBuf {
    let text = match name {
        "memsafety" => MEMSAFETY,
        "memcleanup" => MEMCLEANUP,
        "unreach" => UNREACH,
        other => panic!("`{other}` is no property of these tests"),
    };
    let file = scratch(&format!("{test}-{name}")).join("property.prp");
    std::fs::write(&file, text).expect("the scratch folder is writable");
    file
}

fn ask(file: &Path, property: &Path, seconds: &str) -> (String, Said) {
    let mut command = cairn();
    command.args(["svcomp", "--data-model", "LP64", "--time-limit", seconds, "--property"]).arg(property).arg(file);
    let said = finish(&mut command);
    (said.stdout.lines().last().unwrap_or("").to_owned(), said)
}

#[test]
fn programs_get_the_answers_they_ask_for() {
    let properties = ["memsafety", "memcleanup", "unreach"].map(|name| (name, property("verify", name)));
    check_all(&support::c_files(&programs("verify")), |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let wish = text.lines().find_map(|line| line.strip_prefix("//= ")).ok_or("no line `//= property: answer`")?;
        let (name, answer) = wish.split_once(": ").ok_or("expected `property: answer`")?;
        let (_, property) = properties.iter().find(|(n, _)| *n == name).ok_or("no such property")?;
        let seconds = if answer == "UNKNOWN" { "2" } else { "60" };
        let (line, said) = ask(file, property, seconds);
        let (kind, status) = match answer {
            "TRUE" => (line == "TRUE", 0),
            "UNKNOWN" => (line.starts_with("UNKNOWN("), 2),
            _ => (line == answer, 1),
        };
        if !kind || said.status != status {
            return Err(format!("says {line} with status {} instead of {answer}\n{}", said.status, said.stderr));
        }
        Ok(())
    });
}

/// The programs with planted faults are an oracle: what a run of them shows can't be denied, and what a run of a near miss
/// does not show can't be claimed.
#[test]
fn no_answer_contradicts_a_run() {
    let properties = ["memsafety", "memcleanup", "unreach"].map(|name| (name, property("planted", name)));
    let find = |name: &str| properties.iter().find(|(n, _)| *n == name).map(|(_, file)| file.clone());
    check_all(&support::c_files(&programs("run")), |file| {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let kind = CheckKind::from_name(&folder).ok_or("a folder is named like a check")?;
        let faulty = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("fault_"));
        let (name, violated) = match kind {
            CheckKind::Unfreed => ("memcleanup", "FALSE(valid-memcleanup)"),
            CheckKind::Assertion => ("unreach", "FALSE(unreach-call)"),
            CheckKind::Leak => ("memsafety", "FALSE(valid-memtrack)"),
            CheckKind::DoubleFree | CheckKind::InvalidFree => ("memsafety", "FALSE(valid-free)"),
            CheckKind::Unsupported => ("memsafety", "UNKNOWN"),
            // These are faults, but of no property of the competition.
            CheckKind::Uninitialised | CheckKind::DivisionByZero | CheckKind::Overlap => return Ok(()),
            _ => ("memsafety", "FALSE(valid-deref)"),
        };
        let property = find(name).ok_or("no such property")?;
        let (line, said) = ask(file, &property, "5");
        // An assertion that is no call of the error function only ends the program.
        let assertion = kind == CheckKind::Assertion;
        // A variable that no file defines holds anything under the rules of the competition; a run needs to know what.
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let undefined = kind == CheckKind::Unsupported && text.contains("register unsigned long");
        let exempt = (assertion || undefined) && line == "TRUE";
        let fine = match faulty {
            true => line == violated || line.starts_with("UNKNOWN(") || exempt,
            false => line == "TRUE" || line.starts_with("UNKNOWN("),
        };
        if fine { Ok(()) } else { Err(format!("says {line}\n{}", said.stderr)) }
    });
}

#[test]
fn bad_tasks_get_one_clear_line() {
    let folder = scratch("svcomp-bad");
    let program = folder.join("fine.c");
    std::fs::write(&program, "int main(void) { return 0; }\n").expect("the scratch folder is writable");
    let other = folder.join("other.prp");
    std::fs::write(&other, "CHECK( init(main()), LTL(G ! overflow) )\n").expect("the scratch folder is writable");
    let start = folder.join("start.prp");
    std::fs::write(&start, "CHECK( init(start()), LTL(G valid-free) )\n").expect("the scratch folder is writable");
    let good = property("svcomp-bad-property", "memsafety");
    for (file, property, needle) in [
        (&program, &other, "not supported"),
        (&program, &start, "no function `start`"),
        (&program, &folder.join("missing.prp"), "No such file"),
        (&folder.join("missing.c"), &good, "No such file"),
    ] {
        let (_, said) = ask(file, property, "5");
        assert_eq!(said.status, 3, "{}", said.stderr);
        assert!(said.stderr.contains(needle), "{}", said.stderr);
        assert_eq!(said.stderr.trim().lines().count(), 1, "{}", said.stderr);
    }
}
