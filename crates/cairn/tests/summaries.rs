//! Summaries of functions in the engine `template` (thesis §2.5, §3.7): the answers that programs say they want, with calls inlined where
//! they can be and with a summary for every function, and what is printed of bindings, iterators and summaries.

mod support;

use std::path::{Path, PathBuf};

use support::{cairn, check_all, finish, programs, scratch, with_mutants};

/// A property file.
fn property(name: &str) -> PathBuf {
    let formula = match name {
        "unreach" => "! call(reach_error())",
        "deref" => "valid-deref",
        other => panic!("`{other}` is no property of these tests"),
    };
    let file = scratch(&format!("summaries-{name}")).join("property.prp");
    std::fs::write(&file, format!("CHECK( init(main()), LTL(G {formula}) )\n")).expect("the folder is writable");
    file
}

/// The engine's answer, with what becomes of calls.
fn ask(file: &Path, property: &Path, calls: &str, seconds: &str) -> String {
    let mut command = cairn();
    command.args(["svcomp", "--engine", "template", "--data-model", "LP64", "--time-limit", seconds]);
    command.args(["--calls", calls]).arg("--property").arg(property).arg(file);
    let said = finish(&mut command);
    said.stdout.lines().last().unwrap_or(&said.stderr).to_owned()
}

/// Proofs are found in both ways; what is false is never proved, and found to be false where functions are inlined.
#[test]
fn programs_get_the_answers_they_ask_for() {
    let properties = ["unreach", "deref"].map(|name| (name, property(name)));
    check_all(&with_mutants(&programs("summaries"), "summaries"), |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let wish = text.lines().find_map(|line| line.strip_prefix("//= "));
        let (name, answer) = wish.and_then(|wish| wish.split_once(": ")).ok_or("no line `//= property: answer`")?;
        let (_, property) = properties.iter().find(|(n, _)| *n == name).ok_or("no such property")?;
        for calls in ["auto", "summaries"] {
            let weak = calls == "auto" && text.contains("with summaries only");
            let short = weak || answer == "OPEN" || (calls == "summaries" && answer != "TRUE");
            let seconds = if short { "2" } else { "60" };
            let line = ask(file, property, calls, seconds);
            let fine = match answer {
                "OPEN" => line.starts_with("UNKNOWN("),
                // Some are proved with summaries only, which their first line says.
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

/// Without summaries, what calls itself stays open.
#[test]
fn inlining_leaves_recursion_open() {
    let line = ask(&programs("summaries").join("list_walked_by_recursion_true.c"), &property("unreach"), "inline", "3");
    assert!(line.contains("calls itself") && line.starts_with("UNKNOWN("), "{line}");
    // How often this one does is known.
    let line = ask(&programs("summaries").join("counts_its_calls_true.c"), &property("unreach"), "inline", "60");
    assert_eq!(line, "TRUE");
}

/// The examples of the thesis: what their calls bind (Algorithms 1, 6, 7, 12), their iterators with the accesses and what binds those
/// (Algorithms 8, 11), the calling context, and the summary.
#[test]
fn the_examples_of_the_thesis_are_printed() {
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

/// A function has a formula of its own, and a call is a placeholder in the formula of its caller (thesis, figure 2.3).
#[test]
fn a_call_is_a_placeholder() {
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
