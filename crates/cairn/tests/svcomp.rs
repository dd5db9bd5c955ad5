//! Tests of `cairn svcomp`: expected answers, consistency with executions, options, and witnesses.

mod support;

use std::path::{Path, PathBuf};

use cairn_ir::CheckKind;
use support::tasks::{AMPLE, Properties, SMALL, ask, expectation, property};
use support::{Said, cairn, check_all, finish, programs, sample, scratch, skipped};

const MEMSAFETY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                         CHECK( init(main()), LTL(G valid-memtrack) )\n";

/// The values of `--calls`.
const CALLS: [&str; 3] = ["auto", "inline", "summaries"];

/// The work limit of searches with expensive states: where every byte of the memory is a question to the solver.
const FEW: &str = "12";

/// The properties of the programs in `verify`.
const PROPERTIES: &[&str] = &["memsafety", "memcleanup", "unreach", "overflow", "termination"];

/// The regression suite for soundness: always complete, with default options.
#[test]
fn programs_get_their_expected_answers() {
    let properties = Properties::new("verify", PROPERTIES);
    check_all(&support::with_mutants(&programs("verify"), "verify"), |file| {
        let (_, name, answer) = expectation(file)?;
        let states = if answer == "UNKNOWN" { SMALL } else { AMPLE };
        let (line, said) = ask(file, properties.get(&name)?, states, &[]);
        let (is_expected, status) = match answer.as_str() {
            "TRUE" => (line == "TRUE", 0),
            "UNKNOWN" => (line.starts_with("UNKNOWN("), 2),
            _ => (line == answer, 1),
        };
        if !is_expected || said.status != status {
            return Err(format!("says {line} with status {} instead of {answer}\n{}", said.status, said.stderr));
        }
        Ok(())
    });
}

/// Proofs are found whether functions have summaries or are inlined.
#[test]
fn calls_are_proved_with_and_without_summaries() {
    let property = property("calls", "memsafety");
    let is_about_calls = |file: &PathBuf| {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("calls_") && name.ends_with("_true.c")
    };
    let files: Vec<PathBuf> = support::c_files(&programs("verify")).into_iter().filter(is_about_calls).collect();
    check_all(&files, |file| {
        for calls in CALLS {
            let options = ["--engine", "prove", "--stats", "--calls", calls];
            let (line, said) = ask(file, &property, AMPLE, &options);
            let none = said.stderr.lines().any(|line| line.split_whitespace().eq(["stats:", "summaries", "0"]));
            let wrong = (none && calls == "summaries") || (!none && calls == "inline");
            if line != "TRUE" || wrong {
                return Err(format!("says {line}, with --calls {calls}\n{}", said.stderr));
            }
        }
        Ok(())
    });
}

/// A second call of a function on a list of the same kind uses the summary of the first call.
#[test]
fn summaries_are_reused() {
    let property = property("summaries", "memsafety");
    let file = programs("verify").join("calls_from_many_places_true.c");
    let (line, said) = ask(&file, &property, AMPLE, &["--engine", "prove", "--stats"]);
    assert_eq!(line, "TRUE", "{}", said.stderr);
    let reused = said.stderr.lines().find_map(|line| line.strip_prefix("stats: summaries-reused"));
    let reused: u64 = reused.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    assert!(reused >= 10, "{}", said.stderr);
}

/// The engine `prove` alone never proves a program that has a violation, even if nobody checks its proofs.
#[test]
fn programs_with_a_violation_are_never_proved() {
    let properties = Properties::new("proofs", PROPERTIES);
    check_all(&sample(support::with_mutants(&programs("verify"), "proofs"), 8), |file| {
        let (_, name, answer) = expectation(file)?;
        if answer == "TRUE" {
            return Ok(());
        }
        for calls in CALLS {
            let options = ["--engine", "prove", "--certify", "never", "--calls", calls];
            let (line, said) = ask(file, properties.get(&name)?, SMALL, &options);
            if !line.starts_with("UNKNOWN(") {
                return Err(format!("says {line}, with --calls {calls}\n{}", said.stderr));
            }
        }
        Ok(())
    });
}

/// All procedures that resolve pointers give the answers of the default procedure.
#[test]
fn allocation_checks_agree() {
    let properties = Properties::new("allocation", PROPERTIES);
    check_all(&sample(support::with_mutants(&programs("verify"), "allocation"), 25), |file| {
        let (_, name, answer) = expectation(file)?;
        let property = properties.get(&name)?;
        // The procedures belong to the engine `explore`, and ask about every byte. Programs that need another engine or many states say
        // nothing about them, and take long.
        let (line, _) = ask(file, property, FEW, &["--engine", "explore", "--certify", "never"]);
        if line.starts_with("UNKNOWN(") && answer != "UNKNOWN" {
            return Ok(());
        }
        for procedure in ["smt", "smt-model", "sl"] {
            let options = ["--engine", "explore", "--certify", "never", "--allocation-check", procedure];
            let (line, said) = ask(file, property, FEW, &options);
            let is_same = if answer == "UNKNOWN" { line.starts_with("UNKNOWN(") } else { line == answer };
            if !is_same {
                return Err(format!("{procedure} says {line} instead of {answer}\n{}", said.stderr));
            }
        }
        Ok(())
    });
}

#[test]
fn queries_are_counted_and_logged() {
    let folder = scratch("svcomp-stats");
    let property = property("svcomp-stats-property", "memsafety");
    let file = programs("verify").join("index_off_by_one_false.c");
    let log = folder.join("log");
    let count = |options: &[&str], name: &str| -> u64 {
        let (_, said) = ask(&file, &property, AMPLE, options);
        let line = said.stderr.lines().find(|line| line.starts_with(&format!("stats: {name} ")));
        line.and_then(|line| line.split_whitespace().last()?.parse().ok()).unwrap_or_else(|| panic!("{}", said.stderr))
    };
    let log_option = log.to_string_lossy().into_owned();
    let solved = count(&["--stats", "--dump-queries", &log_option], "solved");
    let files: Vec<PathBuf> = std::fs::read_dir(&log)
        .expect("the log is there")
        .map(|entry| entry.expect("the log is readable").path())
        .collect();
    assert!(solved > 0, "an index that is not known needs a query");
    assert_eq!(files.len() as u64, solved);
    for file in files {
        let text = std::fs::read_to_string(file).expect("the log is readable");
        assert!(text.starts_with("(set-logic QF_BV)\n") && text.ends_with("(check-sat)\n"), "{text}");
    }
    let fast = count(&["--stats"], "queries");
    for procedure in ["smt", "smt-model", "sl"] {
        assert!(count(&["--stats", "--allocation-check", procedure], "queries") > fast, "{procedure} asks more");
    }
}

/// Other solvers, where they are installed, agree with the embedded solver on queries and lead to the same verdicts.
#[test]
fn other_solvers_agree() {
    let installed = |name: &&str| std::process::Command::new(name).arg("--version").output().is_ok();
    let solvers: Vec<&str> = ["z3", "cvc5"].into_iter().filter(installed).collect();
    for solver in ["z3", "cvc5"] {
        if !solvers.contains(&solver) {
            skipped("other_solvers_agree", &format!("{solver} is not installed"));
        }
    }
    if solvers.is_empty() {
        return;
    }
    let properties = Properties::new("solvers", PROPERTIES);
    let folder = scratch("solver-log");
    check_all(&sample(support::with_mutants(&programs("verify"), "solvers"), 5), |file| {
        let (_, name, answer) = expectation(file)?;
        let property = properties.get(&name)?;
        let log = folder.join(file.file_stem().ok_or("programs have names")?);
        let log_option = log.to_string_lossy().into_owned();
        let (line, _) = ask(file, property, SMALL, &["--dump-queries", &log_option]);
        let mut queries: Vec<PathBuf> =
            std::fs::read_dir(&log).map_or_else(|_| Vec::new(), |files| files.flatten().map(|f| f.path()).collect());
        queries.sort();
        for query in queries.iter().take(10) {
            let text = std::fs::read_to_string(query).map_err(|error| error.to_string())?;
            let Some(status) = ["sat", "unsat"].into_iter().find(|s| text.contains(&format!("(set-info :status {s})")))
            else {
                continue;
            };
            for solver in &solvers {
                let said = finish(std::process::Command::new(solver).arg(query));
                let theirs = said.stdout.trim();
                if theirs != status && theirs != "unknown" {
                    return Err(format!("{}: {solver} says {theirs} instead of {status}", query.display()));
                }
            }
        }
        if queries.is_empty() || line.starts_with("UNKNOWN(") || !solvers.contains(&"z3") {
            return Ok(());
        }
        let (line, said) = ask(file, property, SMALL, &["--smt-solver", "z3 -in"]);
        if line == answer || line.starts_with("UNKNOWN(") {
            return Ok(());
        }
        Err(format!("with z3 it says {line} instead of {answer}\n{}", said.stderr))
    });
}

#[test]
fn a_solver_that_does_not_work_is_an_error() {
    let property = property("svcomp-solver-property", "memsafety");
    let file = programs("verify").join("index_off_by_one_false.c");
    for (solver, needle) in [("no-such-solver -in", "cannot start solver"), ("cat", "solver `cat`")] {
        let (_, said) = ask(&file, &property, SMALL, &["--smt-solver", solver]);
        assert_eq!((said.status, said.stdout.as_str()), (3, ""), "{}", said.stderr);
        assert!(said.stderr.contains(needle), "{}", said.stderr);
    }
}

#[test]
fn bench_compares_allocation_checks() {
    let folder = scratch("bench-allocation");
    let text =
        "#include <stdlib.h>\nint main(void) { char *p = malloc(8); p[3] = 1; char c = p[3]; free(p); return c; }\n";
    std::fs::write(folder.join("task.c"), text).expect("the scratch folder is writable");
    let said = finish(cairn().args(["bench", "allocation-check"]).arg(&folder));
    assert_eq!(said.status, 0, "{}", said.stderr);
    for procedure in ["fast", "smt", "smt-model", "sl"] {
        let row =
            said.stdout.lines().find(|line| line.starts_with(&format!("{procedure} ")) && line.contains("task.c"));
        assert!(row.is_some_and(|row| row.ends_with("TRUE")), "{}", said.stdout);
    }
    assert!(said.stdout.contains("smt-model / fast: calls "), "{}", said.stdout);
    assert!(said.stdout.contains("answers that differ between procedures: 0 of 1"), "{}", said.stdout);
    let empty = scratch("bench-empty");
    let said = finish(cairn().args(["bench", "allocation-check"]).arg(&empty));
    assert_eq!(said.status, 3, "{}", said.stderr);
}

/// The programs with planted faults are an oracle: a fault of an execution is never denied, and no fault is reported for
/// a program without one.
#[test]
fn no_answer_contradicts_an_execution() {
    let properties = Properties::new("planted", PROPERTIES);
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
            CheckKind::Overflow => ("overflow", "FALSE(no-overflow)"),
            // No property of the competition is about these faults.
            CheckKind::Uninitialised | CheckKind::DivisionByZero | CheckKind::Overlap | CheckKind::FileLeak => {
                return Ok(());
            }
            _ => ("memsafety", "FALSE(valid-deref)"),
        };
        let (line, said) = ask(file, properties.get(name)?, SMALL, &[]);
        // A failed assertion that does not call the error function only ends the program.
        let assertion = kind == CheckKind::Assertion;
        // Under the rules of the competition, a variable without a definition may hold any value. An execution needs one.
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let undefined = kind == CheckKind::Unsupported && text.contains("register unsigned long");
        // The property is about signed results only.
        let unsigned = ["unsigned", "double", "float", ">>"].iter().any(|word| text.contains(word));
        let unsigned = kind == CheckKind::Overflow && unsigned;
        let exempt = (assertion || undefined || unsigned) && line == "TRUE";
        let fine = match faulty {
            true => line == violated || line.starts_with("UNKNOWN(") || exempt,
            false => line == "TRUE" || line.starts_with("UNKNOWN("),
        };
        if fine { Ok(()) } else { Err(format!("says {line}\n{}", said.stderr)) }
    });
}

#[test]
fn bad_tasks_are_explained_in_one_line() {
    let folder = scratch("svcomp-bad");
    let program = folder.join("fine.c");
    std::fs::write(&program, "int main(void) { return 0; }\n").expect("the scratch folder is writable");
    let other = folder.join("other.prp");
    std::fs::write(&other, "CHECK( init(main()), LTL(G ! data-race) )\n").expect("the scratch folder is writable");
    let start = folder.join("start.prp");
    std::fs::write(&start, "CHECK( init(start()), LTL(G valid-free) )\n").expect("the scratch folder is writable");
    let good = property("svcomp-bad-property", "memsafety");
    for (file, property, needle) in [
        (&program, &other, "unsupported property"),
        (&program, &start, "no function `start`"),
        (&program, &folder.join("missing.prp"), "no such file"),
        (&folder.join("missing.c"), &good, "no such file"),
    ] {
        let (_, said) = ask(file, property, SMALL, &[]);
        assert_eq!(said.status, 3, "{}", said.stderr);
        assert!(said.stderr.contains(needle), "{}", said.stderr);
        assert_eq!(said.stderr.trim().lines().count(), 1, "{}", said.stderr);
    }
}

#[test]
fn task_definitions_name_program_property_and_data_model() {
    let folder = scratch("svcomp-definition");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder is writable");
    write("long.c", "#include <stdlib.h>\nint main(void) { if (sizeof(long) == 8) malloc(1); return 0; }\n");
    write("memory.prp", MEMSAFETY);
    write("other.prp", "CHECK( init(main()), LTL(G ! data-race) )\n");
    let ask = |definition: &str, more: &[&str]| {
        write("task.yml", definition);
        finish(cairn().arg("svcomp").args(more).arg(folder.join("task.yml")))
    };
    let task = "format_version: '2.0'\ninput_files: 'long.c'\nproperties:\n  - property_file: other.prp\n  - property_file: memory.prp\n    expected_verdict: false\n    subproperty: valid-memtrack\noptions:\n  language: C\n  data_model: LP64\n";
    let said = ask(task, &[]);
    assert_eq!((said.status, said.stdout.as_str()), (1, "FALSE(valid-memtrack)\n"), "{}", said.stderr);
    assert!(said.stderr.contains("the expected answer is FALSE(valid-memtrack)"), "{}", said.stderr);
    // The command line decides where it says something.
    let said = ask(task, &["--data-model", "ILP32"]);
    assert_eq!(said.stdout, "TRUE\n", "{}", said.stderr);
    let memory = folder.join("memory.prp").to_string_lossy().into_owned();
    let said = ask("format_version: '2.0'\ninput_files: long.c\n", &["--property", &memory]);
    assert_eq!(said.stdout, "TRUE\n", "{}", said.stderr);
    for (definition, needle) in [
        (task.replace("other.prp", "memory.prp"), "choose a property with `--property`: memory.prp, memory.prp"),
        (task.replace("memory.prp", "other.prp"), "no property that is supported"),
        (task.replace("language: C", "language: Java"), "the language Java is not supported"),
        (task.replace("LP64", "LLP64"), "unknown data model `LLP64`"),
        (task.replace("input_files", "files"), "task.yml:"),
    ] {
        let said = ask(&definition, &[]);
        assert_eq!((said.status, said.stdout.as_str()), (3, ""), "{needle}\n{}", said.stderr);
        assert!(said.stderr.contains(needle) && said.stderr.trim().lines().count() == 1, "{needle}\n{}", said.stderr);
    }
    let said = finish(cairn().args(["svcomp", "--property", "p.prp"]).arg(folder.join("long.c")));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("`--data-model MODEL` is missing"), "{}", said.stderr);
}

/// Returns the answer to whether `program` calls the error function `function`.
fn ask_about_calls(test: &str, function: &str, program: &str) -> String {
    let folder = scratch(test);
    let (file, property) = (folder.join("program.c"), folder.join("property.prp"));
    std::fs::write(&file, program).expect("the scratch folder is writable");
    let text = format!("CHECK( init(main()), LTL(G ! call({function}())) )\n");
    std::fs::write(&property, text).expect("the scratch folder is writable");
    ask(&file, &property, AMPLE, &[]).0
}

#[test]
fn a_property_is_about_the_function_that_it_names() {
    let calls = |function: &str| format!("void {function}(void) {{ }}\nint main(void) {{ {function}(); return 0; }}\n");
    let declared = |function: &str| format!("void {function}(void);\nint main(void) {{ {function}(); return 0; }}\n");
    let through = "void my_error(void) { }\nint main(void) { void (*f)(void) = my_error; f(); return 0; }\n";
    let ask = |function: &str, program: &str| ask_about_calls("svcomp-error-functions", function, program);
    for (asked, program, answer) in [
        ("my_error", calls("my_error"), "FALSE(unreach-call)"),
        ("my_error", declared("my_error"), "FALSE(unreach-call)"),
        ("my_error", through.to_owned(), "FALSE(unreach-call)"),
        ("my_error", calls("reach_error"), "TRUE"),
        ("my_error", declared("reach_error"), "TRUE"),
        ("my_error", calls("__VERIFIER_error"), "TRUE"),
        ("reach_error", calls("my_error"), "TRUE"),
        ("reach_error", through.to_owned(), "TRUE"),
        ("reach_error", calls("reach_error"), "FALSE(unreach-call)"),
        ("reach_error", declared("reach_error"), "FALSE(unreach-call)"),
        ("reach_error", calls("__VERIFIER_error"), "FALSE(unreach-call)"),
        ("__VERIFIER_error", calls("reach_error"), "FALSE(unreach-call)"),
        ("absent", calls("reach_error"), "TRUE"),
        ("abort", "void abort(void);\nint main(void) { abort(); }\n".to_owned(), "FALSE(unreach-call)"),
    ] {
        assert_eq!(ask(asked, &program), answer, "{asked}:\n{program}");
    }
}

/// A program with two inputs on the path to a fault.
const WAY: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int a[8];
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n == -3 && __VERIFIER_nondet_uchar( ) == 200) {
    int m = n + 11;
    n = a[m] + 1;
  }
  return n;
}
";

/// A program that loses memory.
const LOST: &str = "#include <stdlib.h>
static void lose(void) {
  malloc(4);
}
int main(void) {
  lose();
  return 0;
}
";

/// Returns the witness of a program in a file called `name`, the file, and the output.
fn witness(test: &str, name: &str, text: &str, out: &str, more: &[&str]) -> (String, PathBuf, Said) {
    let folder = scratch(test);
    let (file, out) = (folder.join(name), folder.join(out));
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let mut command = cairn();
    command.args(["svcomp", "--data-model", "LP64", "--property"]).arg(property(&format!("{test}-prp"), "memsafety"));
    let said = finish(command.args(more).arg("--witness").arg(&out).arg(&file));
    (std::fs::read_to_string(&out).unwrap_or_default(), file, said)
}

#[test]
fn yaml_witnesses_contain_inputs_and_locations() {
    let name = "odd \"name\" #1: é.c";
    let (text, file, said) = witness("witness-yaml", name, WAY, "w.yml", &[]);
    assert_eq!((said.status, said.stdout.as_str()), (1, "FALSE(valid-deref)\n"), "{}", said.stderr);
    let quoted = format!("\"{}\"", file.display().to_string().replace('"', "\\\""));
    let lines: Vec<&str> = text.lines().collect();
    let value = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    assert_eq!(lines.first(), Some(&"- entry_type: \"violation_sequence\""), "{text}");
    assert_eq!(value("    format_version: "), "\"2.0\"");
    assert_eq!(value("    uuid: ").len(), 38, "{text}");
    let time = value("    creation_time: ");
    assert!(time.len() == 22 && time.ends_with("Z\""), "{text}");
    assert_eq!(value("      - "), quoted);
    let hash = value(&format!("        {quoted}: ")).trim_matches('"');
    assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{text}");
    assert_eq!(value("      specification: "), format!("\"{}\"", MEMSAFETY.trim_end().replace('\n', "\\n")));
    assert_eq!(value("      data_model: "), "\"LP64\"");
    let waypoint = |kind: &str, constraint: &str, line: u32, column: u32| {
        let constraint = match constraint {
            "" => String::new(),
            text => format!(
                "        constraint:\n          value: \"\\\\result == {text}\"\n          format: \"acsl_expression\"\n"
            ),
        };
        format!(
            "  - segment:\n    - waypoint:\n        type: \"{kind}\"\n        action: \"follow\"\n{constraint}        \
             location:\n          file_name: {quoted}\n          line: {line}\n          column: {column}\n          \
             function: \"main\"\n"
        )
    };
    let content = [
        waypoint("function_return", "-3", 5, 33),
        waypoint("function_return", "200", 6, 43),
        waypoint("target", "", 8, 5),
    ];
    assert_eq!(text.split_once("  content:\n").map(|(_, content)| content), Some(content.concat().as_str()), "{text}");
}

#[test]
fn witnesses_of_leaks_point_to_the_end_of_the_program() {
    let (text, ..) = witness("witness-leak", "lost.c", LOST, "w.yml", &[]);
    assert!(text.ends_with("          line: 7\n          column: 3\n          function: \"main\"\n"), "{text}");
    let exits = LOST.replace("malloc(4);", "malloc(4); exit(1);");
    let (text, ..) = witness("witness-exit", "lost.c", &exits, "w.yml", &[]);
    assert!(text.ends_with("          line: 3\n          column: 14\n          function: \"lose\"\n"), "{text}");
}

#[test]
fn witnesses_use_the_lines_of_a_preprocessed_file() {
    let marked = format!("# 1 \"way.c\"\n# 1 \"<built-in>\"\n# 1 \"way.c\"\n{WAY}");
    let (text, file, _) = witness("witness-marked", "way.i", &marked, "w.yml", &[]);
    let name = format!("          file_name: \"{}\"", file.display());
    assert_eq!(text.lines().filter(|line| *line == name).count(), 3, "{text}");
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("          line: ")).collect();
    assert_eq!(lines, ["          line: 8", "          line: 9", "          line: 11"]);
}

#[test]
fn graphml_witnesses_are_chains() {
    for (test, out, more) in
        [("witness-ending", "w.graphml", [].as_slice()), ("witness-format", "w.yml", &["--witness-format", "graphml"])]
    {
        let (text, file, said) = witness(test, "a & <b>.c", WAY, out, more);
        assert_eq!(said.status, 1, "{}", said.stderr);
        let name = file.display().to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\""), "{text}");
        assert!(text.contains(&format!("<data key=\"programfile\">{name}</data>\n")), "{text}");
        assert!(text.contains("<data key=\"witness-type\">violation_witness</data>\n"), "{text}");
        assert!(text.contains("<data key=\"architecture\">64bit</data>\n"), "{text}");
        let edges: Vec<&str> =
            text.lines().filter(|l| l.contains("<edge") || l.contains("<data key=\"startline\"")).collect();
        let expected = [
            "  <edge source=\"N0\" target=\"N1\">",
            "   <data key=\"startline\">5</data>",
            "  <edge source=\"N1\" target=\"N2\">",
            "   <data key=\"startline\">6</data>",
            "  <edge source=\"N2\" target=\"N3\">",
            "   <data key=\"startline\">8</data>",
        ];
        assert_eq!(edges, expected, "{text}");
        assert!(text.contains("<data key=\"assumption\">\\result == -3</data>"), "{text}");
        assert!(text.contains("<data key=\"assumption.resultfunction\">__VERIFIER_nondet_uchar</data>"), "{text}");
        assert!(text.contains("  <node id=\"N3\">\n   <data key=\"violation\">true</data>\n"), "{text}");
        assert!(text.ends_with(" </graph>\n</graphml>\n"), "{text}");
    }
}

#[test]
fn an_unwritable_witness_is_an_error_after_the_answer() {
    let (_, _, said) = witness("witness-nowhere", "way.c", WAY, "missing/w.yml", &[]);
    assert_eq!((said.status, said.stdout.as_str()), (3, "FALSE(valid-deref)\n"));
    assert!(said.stderr.contains("error: cannot write '"), "{}", said.stderr);
}
