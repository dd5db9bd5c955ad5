//! Tests of function summaries in the engine `template` (thesis §2.5, §3.7).
//!
//! Each program must get its expected answer with calls inlined where possible and with a summary for every function.
//! The printed bindings, iterators and summaries are compared with the examples of the thesis.

mod support;

use std::path::Path;

use support::tasks::{self, AMPLE, Properties, SMALL, expectation, property};
use support::{cairn, check_all, finish, programs, scratch, with_mutants};

/// Returns the answer of the engine with the given `--calls` value.
fn ask(file: &Path, property: &Path, calls: &str, states: &str) -> String {
    tasks::ask(file, property, states, &["--engine", "template", "--calls", calls]).0
}

/// Proofs are found with both `--calls` values. Violations are never proved absent, and found where functions are
/// inlined.
#[test]
fn programs_get_their_expected_answers() {
    let properties = Properties::new("summaries", &["unreach", "deref"]);
    check_all(&with_mutants(&programs("summaries"), "summaries"), |file| {
        let (text, name, answer) = expectation(file)?;
        for calls in ["auto", "summaries"] {
            let weak = calls == "auto" && text.contains("with summaries only");
            let is_open = weak || answer == "OPEN" || (calls == "summaries" && answer != "TRUE");
            let states = if is_open { SMALL } else { AMPLE };
            let line = ask(file, properties.get(&name)?, calls, states);
            let fine = match answer.as_str() {
                "OPEN" => line.starts_with("UNKNOWN("),
                // Some programs are proved with summaries only, as their first line says.
                "TRUE" => line == "TRUE" || (weak && line.starts_with("UNKNOWN(")),
                _ => line == answer || (calls == "summaries" && line.starts_with("UNKNOWN(")),
            };
            if !fine {
                return Err(format!("with --calls {calls} it says {line} instead of {answer}"));
            }
        }
        Ok(())
    });
}

/// Without summaries, recursion of unknown depth stays open.
#[test]
fn inlining_leaves_recursion_open() {
    let property = property("summaries-recursion", "unreach");
    let line = ask(&programs("summaries").join("list_traversed_by_recursion_true.c"), &property, "inline", SMALL);
    assert!(line.contains("calls itself") && line.starts_with("UNKNOWN("), "{line}");
    // The recursion depth of this program is constant.
    let line = ask(&programs("summaries").join("counts_its_calls_true.c"), &property, "inline", AMPLE);
    assert_eq!(line, "TRUE");
}

/// The examples of the thesis: call bindings (Algorithms 1, 6, 7 and 12), iterators with their accesses and bindings
/// (Algorithms 8 and 11), calling contexts and summaries.
#[test]
fn thesis_examples_are_printed() {
    for name in ["chain_node", "back_link", "traverse"] {
        let folder = programs("summaries");
        let said = finish(
            cairn()
                .args(["dump", "--summaries", "--template", "points-to,intervals,kept"])
                .arg(folder.join(format!("{name}_true.c"))),
        );
        assert_eq!(said.status, 0, "{}", said.stderr);
        let expected = std::fs::read_to_string(folder.join(format!("{name}.expected"))).expect("the text is there");
        assert_eq!(said.stdout, expected, "{name}");
    }
}

/// A function has a formula of its own, and a call of it is a placeholder (thesis, figure 2.3).
#[test]
fn calls_are_placeholders() {
    let file = scratch("summaries-placeholder").join("program.c");
    let text = "int f(int x, int y) {\n    int z = x + y;\n    return z;\n}\nint main(void) {\n    int c = f(1, 2);\n    \
                return c;\n}\n";
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let said = finish(cairn().args(["dump", "--ssa", "--calls", "summaries"]).arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    let wanted = "g_5 == TRUE\nf_6((1, 2), (f_6))\nc_6 == f_6\n\nf:\ng_1 == g^call_f\nz_2 == (x+y)\n";
    assert_eq!(said.stdout, wanted);
    let inlined = finish(cairn().args(["dump", "--ssa"]).arg(&file)).stdout;
    assert!(inlined.lines().any(|line| line == "c_6 == 3"), "{inlined}");
}
