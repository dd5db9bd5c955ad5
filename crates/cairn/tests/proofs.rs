//! Tests of correctness witnesses: every invariant is a C expression that is in scope at its loop, and no execution
//! refutes it.

mod support;

use std::path::{Path, PathBuf};

use support::tasks::{self, AMPLE};
use support::{cairn, check_all, finish, programs, sample, scratch};

/// A loop invariant of a witness.
#[derive(Debug)]
struct Invariant {
    line: usize,
    column: usize,
    function: String,
    expression: String,
}

/// Reads a double-quoted scalar of YAML.
fn unquoted(text: &str) -> Result<String, String> {
    let inner = text.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or("not quoted")?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('"', _) => return Err(format!("a quote inside {text}")),
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(escaped @ ('"' | '\\'))) => out.push(escaped),
            ('\\', other) => return Err(format!("an escape {other:?} in {text}")),
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// Reads a correctness witness and checks its form, line by line.
fn parse(text: &str, file: &Path) -> Result<(Vec<Invariant>, String), String> {
    let mut lines = text.lines().peekable();
    let mut next = |prefix: &str| -> Result<String, String> {
        let line = lines.next().ok_or("the witness ends early")?;
        line.strip_prefix(prefix).map(str::to_owned).ok_or_else(|| format!("`{line}` does not begin with `{prefix}`"))
    };
    let name = file.display().to_string();
    next("- entry_type: \"invariant_set\"")?;
    next("  metadata:")?;
    next("    format_version: \"2.0\"")?;
    let uuid = unquoted(&next("    uuid: ")?)?;
    if uuid.len() != 36 {
        return Err(format!("the uuid is {uuid}"));
    }
    next("    creation_time: \"")?;
    next("    producer:")?;
    next("      name: \"cairn\"")?;
    next("      version: \"")?;
    let mut formulas = String::new();
    if let Ok(description) = next("      description: ") {
        formulas = unquoted(&description)?;
        next("    task:")?;
    }
    next("      input_files:")?;
    if unquoted(&next("      - ")?)? != name {
        return Err("another input file".to_owned());
    }
    next("      input_file_hashes:")?;
    next(&format!("        \"{name}\": \""))?;
    next("      specification: ")?;
    next("      data_model: \"LP64\"")?;
    next("      language: \"C\"")?;
    let mut said = Vec::new();
    if next("  content:")? == " []" {
        return Ok((said, formulas));
    }
    while next("  - invariant:").is_ok() {
        next("      type: \"loop_invariant\"")?;
        next("      location:")?;
        if unquoted(&next("        file_name: ")?)? != name {
            return Err("an invariant of another file".to_owned());
        }
        let line = next("        line: ")?.parse().map_err(|_| "no line")?;
        let column = next("        column: ")?.parse().map_err(|_| "no column")?;
        let function = unquoted(&next("        function: ")?)?;
        let expression = unquoted(&next("      value: ")?)?;
        next("      format: \"c_expression\"")?;
        said.push(Invariant { line, column, function, expression });
    }
    Ok((said, formulas))
}

/// Returns the program with a check of the invariants before each loop condition.
fn with_checks(text: &str, said: &[Invariant]) -> Result<String, String> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut insertions: Vec<(usize, String)> = Vec::new();
    for Invariant { line, column, expression, .. } in said {
        let at = starts[line - 1] + column - 1;
        let rest = &text[at..];
        let question = format!("(({expression}) ? (void)0 : __VERIFIER_error())");
        let open = at + rest.find('(').ok_or("a loop without a head")? + 1;
        if rest.starts_with("while") {
            insertions.push((open, format!("{question}, ")));
        } else if rest.starts_with("for") {
            let condition = open + text[open..].find(';').ok_or("a `for` without parts")? + 1;
            let empty = text[condition..].trim_start().starts_with(';');
            insertions.push((condition, format!("{question}, {}", if empty { "1" } else { "" })));
        } else {
            return Err(format!("{line}:{column} is no loop: {}", rest.lines().next().unwrap_or("")));
        }
    }
    // Insertion from the end keeps earlier offsets valid. An empty condition becomes `1` only once.
    insertions.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut out = text.to_owned();
    let mut last = None;
    for (at, what) in insertions {
        let what = if last == Some(at) { what.trim_end_matches('1').to_owned() } else { what };
        out.insert_str(at, &what);
        last = Some(at);
    }
    Ok(format!("extern void __VERIFIER_error(void);\n{out}"))
}

/// The work limit of the search for an execution that refutes an invariant. Wrong invariants fail in the first iterations of a loop, and
/// long paths with many conditions are expensive.
const SHALLOW: &str = "1000";

/// Writes the property files of memory safety and of the error function.
fn properties(test: &str) -> (PathBuf, PathBuf) {
    let folder = scratch(test);
    let file = |name: &str, lines: &[&str]| {
        let text: String = lines.iter().map(|p| format!("CHECK( init(main()), LTL(G {p}) )\n")).collect();
        let file = folder.join(name);
        std::fs::write(&file, text).expect("the scratch folder is writable");
        file
    };
    let memory = file("memory.prp", &["valid-free", "valid-deref", "valid-memtrack"]);
    (memory, file("error.prp", &["! call(__VERIFIER_error())"]))
}

/// Returns the invariants and formulas of the witness of a program, after checking them.
fn check(name: &str, text: &str, property: &Path, error: &Path) -> Result<(Vec<Invariant>, String), String> {
    let folder = scratch(&format!("proof-{name}"));
    let (file, out) = (folder.join("program.c"), folder.join("w.yml"));
    let write = |file: &Path, text: &str| std::fs::write(file, text).map_err(|error| error.to_string());
    write(&file, text)?;
    let out_name = out.to_string_lossy().into_owned();
    let (line, answer) = tasks::ask(&file, property, AMPLE, &["--witness", &out_name]);
    if line != "TRUE" {
        return Err(format!("says {line}\n{}", answer.stderr));
    }
    let witness = std::fs::read_to_string(&out).map_err(|error| error.to_string())?;
    let (said, formulas) = parse(&witness, &file)?;
    for one in &said {
        if !text.contains(&format!("{}(", one.function)) {
            return Err(format!("no function {}", one.function));
        }
    }
    let checked = folder.join("checked.c");
    write(&checked, &with_checks(text, &said)?)?;
    // The engine `explore` replays its findings. It must find none, and the program must be valid C.
    let (line, refuted) = tasks::ask(&checked, error, SHALLOW, &["--engine", "explore", "--certify", "never"]);
    match line {
        line if line == "TRUE" || line.starts_with("UNKNOWN") => Ok((said, formulas)),
        line => Err(format!("says {line} of the invariants {said:?}\n{}", refuted.stderr)),
    }
}

#[test]
fn invariants_of_witnesses_are_c_and_never_refuted() {
    let (memory, error) = properties("proofs-verify");
    check_all(&sample(support::c_files(&programs("verify")), 5), |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let fails_by_itself = text.contains("error(") || text.contains("assert(");
        if !text.contains("//= memsafety: TRUE") || fails_by_itself {
            return Ok(());
        }
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        check(&name, &text, &memory, &error).map(|_| ())
    });
}

const HEAD: &str = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n";

/// Checks that the witness of a program has the expected invariants at a line. Returns its formulas.
#[track_caller]
fn expect_invariants(name: &str, body: &str, line: &str, expected: &[&str]) -> String {
    let text = format!("{HEAD}{body}");
    let (memory, error) = properties(&format!("proofs-{name}"));
    let (said, formulas) = check(name, &text, &memory, &error).unwrap_or_else(|problem| panic!("{problem}"));
    let number = text.lines().position(|l| l.contains(line)).expect("the line is in the program") + 1;
    let found: Vec<&str> = said.iter().filter(|s| s.line == number).map(|s| s.expression.as_str()).collect();
    for one in expected {
        assert!(found.contains(one), "no {one} among {said:?}");
    }
    formulas
}

#[test]
fn bounds_and_orders_are_invariants() {
    expect_invariants(
        "bounds",
        "int main(void) {\n  int n = __VERIFIER_nondet_uchar(), i = 0, down = 10;\n  char *a = malloc(n + 1);\n  \
         while (i < n) { // here\n    a[i] = 0;\n    i++;\n    if (down > -5) down--;\n  }\n  free(a);\n  return 0;\n}\n",
        "// here",
        &["i >= 0", "n >= i", "(int)down <= 10", "a != 0"],
    );
}

#[test]
fn list_segments_appear_in_formulas() {
    let formulas = expect_invariants(
        "list",
        "struct node { struct node *next; };\nint count;\nint main(void) {\n  struct node *list = 0;\n  \
         for (; __VERIFIER_nondet_int() && count < 1000; count++) { // here\n    struct node *node = malloc(sizeof *node);\n    \
         if (!node) abort();\n    node->next = list;\n    list = node;\n  }\n  while (list) {\n    \
         struct node *next = list->next;\n    free(list);\n    list = next;\n  }\n  return 0;\n}\n",
        "// here",
        &["count >= 0"],
    );
    assert!(formulas.contains("ls("), "{formulas}");
}

#[test]
fn variables_out_of_scope_are_not_mentioned() {
    // The variable of the loop, a hidden variable, and a variable whose scope has ended.
    let body = "int x = 3;\nint main(void) {\n  { int gone = 4; x = gone; }\n  for (int i = 0; i < 10; i++) { // here\n    \
                int x = 7;\n    if (x == i) { int x = 1; (void)x; }\n  }\n  do { x++; } while (x < 10);\n  \
                do { if (x > 20) break; x++; } while (1);\n  return 0;\n}\n";
    expect_invariants("scope", body, "// here", &[]);
}

#[test]
fn correctness_witnesses_are_not_written_as_graphml() {
    let folder = scratch("proof-graphml");
    let (file, out) = (folder.join("fine.c"), folder.join("w.graphml"));
    std::fs::write(&file, "int main(void) { return 0; }\n").expect("the scratch folder is writable");
    let (memory, _) = properties("proof-graphml-property");
    let mut command = cairn();
    command
        .args(["svcomp", "--certify", "never", "--data-model", "LP64", "--property"])
        .arg(memory)
        .arg("--witness")
        .arg(&out)
        .arg(file);
    let said = finish(&mut command);
    assert_eq!((said.status, said.stdout.as_str()), (0, "TRUE\n"), "{}", said.stderr);
    assert!(said.stderr.contains("no witness written"), "{}", said.stderr);
    assert!(!out.exists());
}
