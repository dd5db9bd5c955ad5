//! Tests of the engine `template`: expected answers, consistency with other engines and executions, and printing.

mod support;

use std::path::Path;

use cairn_ir::CheckKind;
use support::tasks::{AMPLE, Properties, SMALL, ask, expectation, property};
use support::{Said, c_files, cairn, check_all, finish, programs, sample, scratch, with_mutants};

/// The values of `--calls` that are tested.
const CALLS: [&str; 2] = ["auto", "summaries"];

/// Asks the engine `template` alone.
fn ask_template(file: &Path, property: &Path, states: &str, more: &[&str]) -> (String, Said) {
    ask(file, property, states, &[&["--engine", "template"], more].concat())
}

#[test]
fn programs_get_their_expected_answers() {
    let properties = Properties::new("template-answers", &["unreach", "deref"]);
    check_all(&with_mutants(&programs("template"), "template"), |file| {
        let (text, name, answer) = expectation(file)?;
        // Some programs are about certain templates and name them. Other stages then cost nothing.
        let chosen = text.lines().find_map(|line| line.strip_prefix("//: "));
        let more: Vec<&str> = chosen.iter().flat_map(|names| ["--template", names]).collect();
        let states = if answer == "OPEN" { SMALL } else { AMPLE };
        let (line, said) = ask_template(file, properties.get(&name)?, states, &more);
        let is_expected = if answer == "OPEN" { line.starts_with("UNKNOWN(") } else { line == answer };
        if is_expected { Ok(()) } else { Err(format!("says {line} instead of {answer}\n{}", said.stderr)) }
    });
}

/// The expected answers of the programs that all engines verify together are an oracle for this engine.
#[test]
fn no_answer_contradicts_another_engine() {
    let properties = Properties::new("template-others", &["unreach", "overflow"]);
    check_all(&sample(with_mutants(&programs("verify"), "others"), 6), |file| {
        let (_, name, answer) = expectation(file)?;
        if name != "unreach" && name != "overflow" {
            return Ok(());
        }
        for calls in CALLS {
            let (line, said) = ask_template(file, properties.get(&name)?, SMALL, &["--calls", calls]);
            let fine = line.starts_with("UNKNOWN(") || line == answer || (answer == "UNKNOWN" && line != "TRUE");
            if !fine {
                return Err(format!("says {line}, but the answer is {answer} (--calls {calls})\n{}", said.stderr));
            }
        }
        Ok(())
    });
}

/// The programs with planted faults are another oracle: no answer may contradict their executions.
#[test]
fn no_answer_contradicts_an_execution() {
    let properties = Properties::new("template-runs", &["unreach", "deref", "free", "overflow"]);
    check_all(&sample(c_files(&programs("run")), 8), |file| {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let kind = CheckKind::from_name(&folder).ok_or("a folder is named like a check")?;
        let faulty = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("fault_"));
        let (name, violated) = match kind {
            CheckKind::DoubleFree | CheckKind::InvalidFree => ("free", "FALSE(valid-free)"),
            CheckKind::NullDeref
            | CheckKind::UseAfterFree
            | CheckKind::UseAfterScope
            | CheckKind::OutOfBounds
            | CheckKind::InvalidDeref
            | CheckKind::InvalidCall => ("deref", "FALSE(valid-deref)"),
            CheckKind::Overflow => ("overflow", "FALSE(no-overflow)"),
            // A program with an operation that is not modelled must not be called safe. A variable without a definition
            // may hold any value.
            CheckKind::Unsupported => ("deref", "UNKNOWN"),
            _ => return Ok(()),
        };
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        // SV-COMP's property is about signed results only.
        let unsigned = ["unsigned", "double", "float", ">>"].iter().any(|word| text.contains(word));
        let exempt = (kind == CheckKind::Unsupported && text.contains("register unsigned long"))
            || (kind == CheckKind::Overflow && unsigned);
        for calls in CALLS {
            let (line, said) = ask_template(file, properties.get(name)?, SMALL, &["--calls", calls]);
            let fine = match faulty {
                true => line == violated || line.starts_with("UNKNOWN(") || exempt,
                false => line == "TRUE" || line.starts_with("UNKNOWN("),
            };
            if !fine {
                return Err(format!("says {line} (--calls {calls})\n{}", said.stderr));
            }
        }
        Ok(())
    });
}

/// Returns the output of `cairn dump` for a program.
fn dump(name: &str, options: &[&str], text: &str) -> String {
    let file = scratch(&format!("template-{name}")).join("program.c");
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let said = finish(cairn().arg("dump").args(options).arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    said.stdout
}

/// The loop of the thesis, figure 2.2.
#[test]
fn loops_are_cut_in_the_ssa() {
    let text = "extern int nondet(void);\nint main(void) {\n    int x = 0;\n    while (x < 10)\n        x = x + 1;\n    \
                return x;\n}\n";
    let found = dump("ssa", &["--ssa"], text);
    for line in ["g_2 == TRUE", "x_3 == 0", "x^phi_4 == (g^ls_4 ? x^lb_4 : 0)", "x_5 == (x^phi_4+1)", "x_end4 == x_5"] {
        assert!(found.lines().any(|l| l == line), "no line `{line}` in\n{found}");
    }
}

/// The invariant of the first loop of the paper's running example (FMCAD §I): addresses, and values of all nodes.
#[test]
fn invariants_are_printed() {
    let text = "extern void *malloc(unsigned long);\nextern int __VERIFIER_nondet_int(void);\n\
                struct node { struct node *next; int value; };\nint main(void) {\n    struct node *all = 0;\n    \
                while (__VERIFIER_nondet_int()) {\n        int x = __VERIFIER_nondet_int();\n        \
                if (x < 10 || x > 20) continue;\n        struct node *n = malloc(sizeof *n);\n        n->value = x;\n        \
                n->next = all;\n        all = n;\n    }\n    return all != 0;\n}\n";
    let found = dump("invariants", &["--invariants"], text);
    for line in ["all in {null, &ao_9}", "ao_9^1.0 in {null, &ao_9}", "ao_9^1.8 <= 20", "-ao_9^1.8 <= -10"] {
        assert!(found.lines().any(|l| l.trim() == line), "no line `{line}` in\n{found}");
    }
}

#[test]
fn templates_are_chosen_by_name() {
    let file = programs("template").join("fields_ordered_true.c");
    let property = property("template-chosen", "unreach");
    let answer = |names: &str| ask_template(&file, &property, SMALL, &["--template", names]).1;
    assert_eq!(answer("points-to,zones").stdout, "TRUE\n");
    assert!(answer("points-to,intervals").stdout.starts_with("UNKNOWN("));
    let said = answer("points-to,polyhedra");
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("invalid value 'polyhedra' for '--template <NAMES>'"), "{}", said.stderr);
    for template in cairn_template::templates::all() {
        assert!(said.stderr.contains(template.name()), "no `{}` in {}", template.name(), said.stderr);
        let said = answer(template.name());
        assert!(said.status == 0 || said.status == 2, "{}: {}", template.name(), said.stderr);
    }
}

/// The power template has the rows of the other templates for each symbolic loop path (FMCAD §IV-C).
#[test]
fn loop_paths_have_separate_rows() {
    let file = programs("template").join("preceding_loop_was_skipped_true.c");
    let text = std::fs::read_to_string(&file).expect("the program is there");
    let found = dump("told-apart", &["--invariants", "--template", "intervals,paths"], &text);
    let says = |line: &str| found.lines().any(|l| l.trim() == line);
    assert!(says("!g^ls_11 => total <= 0") && says("g^ls_11 => -total <= -7"), "{found}");
    let property = property("template-told-apart", "unreach");
    let (line, _) = ask_template(&file, &property, SMALL, &["--template", "intervals,kept"]);
    assert!(line.starts_with("UNKNOWN("), "{line}");
}

/// The help and the manual list every template.
#[test]
fn help_and_manual_list_every_template() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/template.md");
    let manual = std::fs::read_to_string(manual).expect("the manual is there");
    for template in cairn_template::templates::all() {
        let row = format!("| `{}` |", template.name());
        assert!(manual.contains(&row), "no row of `{}` in the manual", template.name());
    }
    for command in ["svcomp", "dump"] {
        let said = finish(cairn().args([command, "--help"])).stdout;
        let words: Vec<&str> = said.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        for template in cairn_template::templates::all() {
            assert!(words.contains(&template.name()), "no `{}` in the help of {command}", template.name());
        }
    }
}

/// The tail of a list, in the notation of the thesis (§3.5).
#[test]
fn access_paths_are_printed() {
    let text =
        std::fs::read_to_string(programs("template").join("tail_ends_list_true.c")).expect("the program is there");
    let found = dump("paths", &["--invariants", "--template", "points-to,access-paths"], &text);
    for line in ["path(last, 8, null)[ao_12]", "path(first, 8, null)[ao_12] || path(first, 8, ao_12)[ao_12]"] {
        assert!(found.lines().any(|l| l.trim() == line), "no line `{line}` in\n{found}");
    }
}

/// Rows about several objects.
#[test]
fn neighbour_relations_are_printed() {
    let text =
        std::fs::read_to_string(programs("template").join("stack_and_counter_true.c")).expect("the program is there");
    let names = "points-to,intervals,nullness,relative,neighbours";
    let found = dump("neighbours", &["--invariants", "--template", names], &text);
    for line in [
        "ao_13^1.8 = &o' => ao_13^1.0 - o'.0 <= 1",
        "ao_13^1.8 = &o' => -ao_13^1.0 + o'.0 <= -1",
        "ao_13^1.8 = null => ao_13^1.0 <= 0",
        "top = null => height <= 0",
        "top = &o => height - ao_13^1.0 <= 1",
    ] {
        assert!(found.lines().any(|l| l.trim() == line), "no line `{line}` in\n{found}");
    }
}

/// A witness contains the invariants at loop heads that C can express.
#[test]
fn witnesses_contain_loop_invariants() {
    let (file, property) =
        (programs("template").join("sum_is_kept_true.c"), property("template-witness-property", "unreach"));
    let witness = scratch("template-witness").join("witness.yml");
    let destination = witness.display().to_string();
    let (line, said) = ask_template(&file, &property, AMPLE, &["--witness", &destination]);
    assert_eq!(line, "TRUE", "{}", said.stderr);
    let text = std::fs::read_to_string(&witness).expect("the witness is there");
    for fact in ["(int)a >= 0", "(int)b <= 1000", "(long long)(int)a + (long long)(int)b <= 1000"] {
        assert!(text.contains(&format!("value: \"{fact}\"")), "no `{fact}` in\n{text}");
    }
}
