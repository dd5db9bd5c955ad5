//! Witnesses of proofs: they stand at loops, what they say is C in scope there, and no run refutes it.

mod support;

use std::path::{Path, PathBuf};

use support::{cairn, check_all, finish, programs, scratch};

/// One loop invariant of a witness.
#[derive(Debug)]
struct Said {
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

/// Reads a witness of a proof. Its form is checked on the way, line by line.
fn parse(text: &str, file: &Path) -> Result<(Vec<Said>, String), String> {
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
        said.push(Said { line, column, function, expression });
    }
    Ok((said, formulas))
}

/// The program with a question at each loop whether the invariants hold there, right before the loop's own condition.
fn asking(text: &str, said: &[Said]) -> Result<String, String> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut insertions: Vec<(usize, String)> = Vec::new();
    for Said { line, column, expression, .. } in said {
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
    // From behind, so that places stay what they are; a condition of its own `1` is asked for once only.
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

/// The property file of memory safety and that of the error function.
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

/// The invariants that a program's witness has, each of them checked.
fn check(name: &str, text: &str, property: &Path, error: &Path) -> Result<(Vec<Said>, String), String> {
    let folder = scratch(&format!("proof-{name}"));
    let (file, out) = (folder.join("program.c"), folder.join("w.yml"));
    let write = |file: &Path, text: &str| std::fs::write(file, text).map_err(|error| error.to_string());
    write(&file, text)?;
    let svcomp = |property: &Path, file: &Path, options: &[&str]| {
        let mut command = cairn();
        command.args(["svcomp", "--data-model", "LP64", "--property"]).arg(property).args(options).arg(file);
        finish(&mut command)
    };
    let out_name = out.to_string_lossy().into_owned();
    let answer = svcomp(property, &file, &["--time-limit", "60", "--witness", &out_name]);
    if answer.stdout.starts_with("UNKNOWN(out of time") {
        // Whether the time is enough is not asked here.
        return Ok((Vec::new(), String::new()));
    }
    if answer.stdout != "TRUE\n" {
        return Err(format!("says {}{}", answer.stdout, answer.stderr));
    }
    let witness = std::fs::read_to_string(&out).map_err(|error| error.to_string())?;
    let (said, formulas) = parse(&witness, &file)?;
    for one in &said {
        if !text.contains(&format!("{}(", one.function)) {
            return Err(format!("no function {}", one.function));
        }
    }
    let asking_file = folder.join("asking.c");
    write(&asking_file, &asking(text, &said)?)?;
    // Exploring runs what it finds; it must find nothing, and the program must be C.
    let refuted = svcomp(error, &asking_file, &["--time-limit", "3", "--engine", "explore"]);
    match refuted.stdout.lines().last().unwrap_or("") {
        line if line == "TRUE" || line.starts_with("UNKNOWN") => Ok((said, formulas)),
        line => Err(format!("says {line} of the invariants {said:?}\n{}", refuted.stderr)),
    }
}

#[test]
fn what_witnesses_say_is_c_and_is_never_refuted() {
    let (memory, error) = properties("proofs-verify");
    check_all(&support::c_files(&programs("verify")), |file| {
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

/// The expressions at a line of a program.
#[track_caller]
fn says(name: &str, body: &str, line: &str, expected: &[&str]) -> String {
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
fn bounds_and_orders_are_said() {
    says(
        "bounds",
        "int main(void) {\n  int n = __VERIFIER_nondet_uchar(), i = 0, down = 10;\n  char *a = malloc(n + 1);\n  \
         while (i < n) { // here\n    a[i] = 0;\n    i++;\n    if (down > -5) down--;\n  }\n  free(a);\n  return 0;\n}\n",
        "// here",
        &["i >= 0", "n >= i", "(int)down <= 10", "a != 0"],
    );
}

#[test]
fn lists_are_said_in_formulas() {
    let formulas = says(
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
fn what_is_not_in_scope_is_not_said() {
    // The loop's own variable, one that another hides, and one that is gone.
    let body = "int x = 3;\nint main(void) {\n  { int gone = 4; x = gone; }\n  for (int i = 0; i < 10; i++) { // here\n    \
                int x = 7;\n    if (x == i) { int x = 1; (void)x; }\n  }\n  do { x++; } while (x < 10);\n  \
                do { if (x > 20) break; x++; } while (1);\n  return 0;\n}\n";
    says("scope", body, "// here", &[]);
}

#[test]
fn a_proof_is_not_told_in_graphml() {
    let folder = scratch("proof-graphml");
    let (file, out) = (folder.join("fine.c"), folder.join("w.graphml"));
    std::fs::write(&file, "int main(void) { return 0; }\n").expect("the scratch folder is writable");
    let (memory, _) = properties("proof-graphml-property");
    let mut command = cairn();
    command.args(["svcomp", "--data-model", "LP64", "--property"]).arg(memory).arg("--witness").arg(&out).arg(file);
    let said = finish(&mut command);
    assert_eq!((said.status, said.stdout.as_str()), (0, "TRUE\n"), "{}", said.stderr);
    assert!(said.stderr.contains("no witness is written"), "{}", said.stderr);
    assert!(!out.exists());
}
