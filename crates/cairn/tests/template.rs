//! The engine `template`: the answers that programs say they want, no proof of what a run refutes, and what it prints.

mod support;

use std::path::{Path, PathBuf};

use cairn_ir::CheckKind;
use support::{Said, c_files, cairn, check_all, finish, programs, scratch, with_mutants};

/// A property file in a folder of its own.
fn property(test: &str, name: &str) -> PathBuf {
    let formula = match name {
        "unreach" => "! call(reach_error())",
        "deref" => "valid-deref",
        "free" => "valid-free",
        other => panic!("`{other}` is no property of these tests"),
    };
    let file = scratch(&format!("template-{test}-{name}")).join("property.prp");
    std::fs::write(&file, format!("CHECK( init(main()), LTL(G {formula}) )\n")).expect("the folder is writable");
    file
}

/// What becomes of calls.
const CALLS: [&str; 2] = ["auto", "summaries"];

fn ask_with(file: &Path, property: &Path, seconds: &str, more: &[&str]) -> (String, Said) {
    let mut command = cairn();
    command.args(["svcomp", "--engine", "template", "--data-model", "LP64", "--time-limit", seconds]);
    command.args(more).arg("--property").arg(property).arg(file);
    let said = finish(&mut command);
    (said.stdout.lines().last().unwrap_or("").to_owned(), said)
}

/// The program's wish: a property and an answer to it; `OPEN` where nothing may be said.
fn wish(text: &str) -> Option<(&str, &str)> {
    text.lines().find_map(|line| line.strip_prefix("//= "))?.split_once(": ")
}

#[test]
fn programs_get_the_answers_they_ask_for() {
    let properties = ["unreach", "deref"].map(|name| (name, property("answers", name)));
    check_all(&with_mutants(&programs("template"), "template"), |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let (name, answer) = wish(&text).ok_or("no line `//= property: answer`")?;
        let (_, property) = properties.iter().find(|(n, _)| *n == name).ok_or("no such property")?;
        // Some name the templates that are to be fooled, so that these get their turn in time.
        let chosen = text.lines().find_map(|line| line.strip_prefix("//: "));
        let more: Vec<&str> = chosen.iter().flat_map(|names| ["--template", names]).collect();
        let seconds = match (answer, chosen) {
            ("OPEN", None) => "2",
            ("OPEN", Some(_)) => "15",
            _ => "60",
        };
        let (line, said) = ask_with(file, property, seconds, &more);
        let fine = if answer == "OPEN" { line.starts_with("UNKNOWN(") } else { line == answer };
        if fine { Ok(()) } else { Err(format!("says {line} instead of {answer}\n{}", said.stderr)) }
    });
}

/// The programs that are verified by all engines together are an oracle for this one.
#[test]
fn no_answer_contradicts_another_engine() {
    let unreach = property("others", "unreach");
    check_all(&with_mutants(&programs("verify"), "others"), |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let (name, answer) = wish(&text).ok_or("no line `//= property: answer`")?;
        if name != "unreach" {
            return Ok(());
        }
        for calls in CALLS {
            let (line, said) = ask_with(file, &unreach, "2", &["--calls", calls]);
            let fine = line.starts_with("UNKNOWN(") || line == answer || (answer == "UNKNOWN" && line != "TRUE");
            if !fine {
                return Err(format!("says {line}, but the answer is {answer} (--calls {calls})\n{}", said.stderr));
            }
        }
        Ok(())
    });
}

/// The programs with planted faults are an oracle, too: what a run of them shows can't be denied.
#[test]
fn no_answer_contradicts_a_run() {
    let properties = ["unreach", "deref", "free"].map(|name| (name, property("runs", name)));
    check_all(&c_files(&programs("run")), |file| {
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
            // Nothing that is not modelled may be called safe; a variable that no file defines holds anything.
            CheckKind::Unsupported => ("deref", "UNKNOWN"),
            _ => return Ok(()),
        };
        let (_, property) = properties.iter().find(|(n, _)| *n == name).ok_or("no such property")?;
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let exempt = kind == CheckKind::Unsupported && text.contains("register unsigned long");
        for calls in CALLS {
            let (line, said) = ask_with(file, property, "2", &["--calls", calls]);
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

/// What a form of `cairn dump` prints for a program.
fn dump(name: &str, options: &[&str], text: &str) -> String {
    let file = scratch(&format!("template-{name}")).join("program.c");
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let said = finish(cairn().arg("dump").args(options).arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    said.stdout
}

/// The loop of thesis, figure 2.2.
#[test]
fn a_loop_is_cut() {
    let text = "extern int nondet(void);\nint main(void) {\n    int x = 0;\n    while (x < 10)\n        x = x + 1;\n    \
                return x;\n}\n";
    let found = dump("ssa", &["--ssa"], text);
    for line in ["g_2 == TRUE", "x_3 == 0", "x^phi_4 == (g^ls_4 ? x^lb_4 : 0)", "x_5 == (x^phi_4+1)", "x_end4 == x_5"] {
        assert!(found.lines().any(|l| l == line), "no line `{line}` in\n{found}");
    }
}

/// What the running example of the paper has for its first loop (FMCAD §I): addresses, and values of all nodes.
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
    let property = property("chosen", "unreach");
    let answer = |names: &str| {
        let mut command = cairn();
        command.args(["svcomp", "--engine", "template", "--template", names, "--data-model", "LP64"]);
        command.args(["--time-limit", "3"]).arg("--property").arg(&property).arg(&file);
        finish(&mut command)
    };
    assert_eq!(answer("points-to,zones").stdout, "TRUE\n");
    assert!(answer("points-to,intervals").stdout.starts_with("UNKNOWN("));
    let said = answer("points-to,polyhedra");
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("no template `polyhedra`: there are points-to, intervals, zones"), "{}", said.stderr);
    for template in cairn_engine::engines::template::templates::all() {
        assert!(said.stderr.contains(template.name()), "no `{}` in {}", template.name(), said.stderr);
        let said = answer(template.name());
        assert!(said.status == 0 || said.status == 2, "{}: {}", template.name(), said.stderr);
    }
}

/// The power template has the rows of the others for each way (FMCAD §IV-C).
#[test]
fn paths_are_told_apart() {
    let file = programs("template").join("loop_before_was_skipped_true.c");
    let text = std::fs::read_to_string(&file).expect("the program is there");
    let found = dump("told-apart", &["--invariants", "--template", "intervals,paths"], &text);
    let says = |line: &str| found.lines().any(|l| l.trim() == line);
    assert!(says("!g^ls_11 => total <= 0") && says("g^ls_11 => -total <= -7"), "{found}");
    let (line, _) = ask_with(&file, &property("told-apart", "unreach"), "3", &["--template", "intervals,kept"]);
    assert!(line.starts_with("UNKNOWN("), "{line}");
}

/// Whoever asks for help or reads the manual sees every template that can be chosen.
#[test]
fn every_template_is_in_the_help() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/template.md");
    let manual = std::fs::read_to_string(manual).expect("the manual is there");
    for template in cairn_engine::engines::template::templates::all() {
        let row = format!("| `{}` |", template.name());
        assert!(manual.contains(&row), "no row of `{}` in the manual", template.name());
    }
    for command in ["svcomp", "dump"] {
        let said = finish(cairn().args([command, "--help"])).stdout;
        let words: Vec<&str> = said.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        for template in cairn_engine::engines::template::templates::all() {
            assert!(words.contains(&template.name()), "no `{}` in the help of {command}", template.name());
        }
    }
}

/// The tail of a list, in the notation of thesis §3.5.
#[test]
fn access_paths_are_printed() {
    let text =
        std::fs::read_to_string(programs("template").join("tail_ends_list_true.c")).expect("the program is there");
    let found = dump("paths", &["--invariants", "--template", "points-to,access-paths"], &text);
    for line in ["path(last, 8, null)[ao_12]", "path(first, 8, null)[ao_12] || path(first, 8, ao_12)[ao_12]"] {
        assert!(found.lines().any(|l| l.trim() == line), "no line `{line}` in\n{found}");
    }
}

/// What rows about several objects say.
#[test]
fn neighbours_are_printed() {
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

/// A witness has what C can say of an invariant, at the head of the loop.
#[test]
fn witnesses_have_the_invariants() {
    let (file, property) = (programs("template").join("sum_is_kept_true.c"), property("witness", "unreach"));
    let witness = scratch("template-witness").join("witness.yml");
    let destination = witness.display().to_string();
    let (line, said) = ask_with(&file, &property, "60", &["--witness", &destination]);
    assert_eq!(line, "TRUE", "{}", said.stderr);
    let text = std::fs::read_to_string(&witness).expect("the witness is there");
    for fact in ["(int)a >= 0", "(int)b <= 1000", "(long long)(int)a + (long long)(int)b <= 1000"] {
        assert!(text.contains(&format!("value: \"{fact}\"")), "no `{fact}` in\n{text}");
    }
}
