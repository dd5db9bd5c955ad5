//! Tests of `cairn svcomp --validate`: witnesses of cairn and of others are confirmed, wrong ones are not.

mod support;

use std::path::{Path, PathBuf};

use support::{Said, cairn, finish, scratch};

const MEMSAFETY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                         CHECK( init(main()), LTL(G valid-memtrack) )\n";
const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

/// A program and its property in a folder of their own.
struct Task {
    program: PathBuf,
    property: PathBuf,
    witness: PathBuf,
}

impl Task {
    fn new(test: &str, program: &str, property: &str) -> Self {
        let dir = scratch(&format!("validate-{test}"));
        let task = Self { program: dir.join("a.c"), property: dir.join("a.prp"), witness: dir.join("a.yml") };
        std::fs::write(&task.program, program).expect("the folder is writable");
        std::fs::write(&task.property, property).expect("the folder is writable");
        task
    }

    fn run(&self, option: &str, witness: &Path) -> Said {
        let (property, program) = (self.property.display().to_string(), self.program.display().to_string());
        let witness = witness.display().to_string();
        let more = ["--data-model", "LP64", "--work-limit", "20000", option, &witness, &program];
        finish(cairn().args(["svcomp", "--property", &property]).args(more))
    }

    /// Writes a witness and returns the last line of the validation and the exit code.
    fn validate(&self, text: &str) -> (String, i32) {
        std::fs::write(&self.witness, text).expect("the folder is writable");
        let said = self.run("--validate", &self.witness);
        (said.stdout.lines().last().unwrap_or(&said.stderr).to_owned(), said.status)
    }
}

fn entry(kind: &str, content: &str) -> String {
    format!("- entry_type: {kind}\n  metadata:\n    format_version: \"2.0\"\n  content:\n{content}")
}

fn invariant(kind: &str, line: u32, column: u32, value: &str) -> String {
    format!(
        "  - invariant:\n      type: {kind}\n      location: {{ file_name: a.c, line: {line}, column: {column} }}\n      \
         value: \"{value}\"\n      format: c_expression\n"
    )
}

fn waypoint(kind: &str, line: u32, column: u32, constraint: &str) -> String {
    let constraint = if constraint.is_empty() {
        String::new()
    } else {
        format!("        constraint: {{ value: '{constraint}', format: c_expression }}\n")
    };
    format!(
        "  - segment:\n    - waypoint:\n        type: {kind}\n        action: follow\n{constraint}        location: {{ \
         file_name: a.c, line: {line}, column: {column} }}\n"
    )
}

const LOOP: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int i = 0, n = 0;
    while (i < 100) {
        i++;
        if (i > 100) reach_error();
    }
    return n;
}
";

#[test]
fn invariants_are_checked() {
    let task = Task::new("invariants", LOOP, UNREACH);
    let of = |value: &str| task.validate(&entry("invariant_set", &invariant("loop_invariant", 5, 5, value)));
    assert_eq!(of("0 <= i && i <= 100"), ("TRUE".to_owned(), 0));
    assert_eq!(of("n == 0"), ("TRUE".to_owned(), 0));
    let (answer, code) = of("i < 100");
    assert_eq!((answer.as_str(), code), ("UNKNOWN(an invariant in line 5 does not hold)", 2));
    assert!(of("i < missing").0.starts_with("UNKNOWN(the witness does not fit the program"), "{:?}", of("i < missing"));
    let before = task.validate(&entry("invariant_set", &invariant("location_invariant", 7, 9, "i >= 1")));
    assert_eq!(before, ("TRUE".to_owned(), 0));
    let wrong = task.validate(&entry("invariant_set", &invariant("location_invariant", 7, 9, "i > 1")));
    assert_eq!(wrong.0, "UNKNOWN(an invariant in line 7 does not hold)");
    let nowhere = task.validate(&entry("invariant_set", &invariant("loop_invariant", 7, 9, "1")));
    assert_eq!(nowhere.1, 2, "{nowhere:?}");
}

/// An invariant cannot make a program provable that is not.
#[test]
fn invariants_do_not_change_the_program() {
    let task = Task::new("hostile", &LOOP.replace("i > 100", "i == 100"), UNREACH);
    for value in ["1", "1 / 0", "n = 0", "i++", "({ while (1) ; 1; })", "1)) return 0; if ((0", "*(int *)0 == 0"] {
        let (answer, code) = task.validate(&entry("invariant_set", &invariant("loop_invariant", 5, 5, value)));
        assert!(answer.starts_with("UNKNOWN") && code == 2, "{value}: {answer}");
    }
}

const FREED: &str = "extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p);
    int n = __VERIFIER_nondet_int();
    if (n == 7)
        free(p);
    *p = 1;
    if (n != 7) free(p);
    return 0;
}
";

#[test]
fn violations_are_followed() {
    let task = Task::new("violations", FREED, MEMSAFETY);
    let of = |waypoints: &[String]| task.validate(&entry("violation_sequence", &waypoints.concat()));
    let target = waypoint("target", 9, 5, "");
    let confirmed = ("FALSE(valid-deref)".to_owned(), 1);
    assert_eq!(of(std::slice::from_ref(&target)), confirmed);
    assert_eq!(of(&[waypoint("function_return", 6, 35, "\\result == 7"), target.clone()]), confirmed);
    assert_eq!(of(&[waypoint("branching", 7, 5, "true"), target.clone()]), confirmed);
    assert_eq!(of(&[waypoint("assumption", 8, 9, "n == 7"), target.clone()]), confirmed);
    assert_eq!(of(&[waypoint("function_enter", 8, 15, ""), target.clone()]), confirmed);
    for wrong in [
        vec![waypoint("function_return", 6, 35, "\\result == 8"), target.clone()],
        vec![waypoint("branching", 7, 5, "false"), target.clone()],
        vec![waypoint("assumption", 8, 9, "n == 6"), target.clone()],
        vec![waypoint("target", 11, 5, "")],
        vec![waypoint("assumption", 9, 5, "*(int *)0 == 1"), target],
    ] {
        let (answer, code) = of(&wrong);
        assert!(answer.starts_with("UNKNOWN") && code == 2, "{}: {answer}", wrong.concat());
    }
}

#[test]
fn waypoints_are_avoided() {
    let task = Task::new("avoided", FREED, MEMSAFETY);
    let avoid = "    - waypoint:\n        type: assumption\n        action: avoid\n        constraint: { value: 'n == 7' }\n        \
                 location: { file_name: a.c, line: 7, column: 5 }\n";
    let target = waypoint("target", 9, 5, "").replace("  - segment:\n", &format!("  - segment:\n{avoid}"));
    let (answer, _) = task.validate(&entry("violation_sequence", &target));
    assert!(answer.starts_with("UNKNOWN"), "{answer}");
}

#[test]
fn own_witnesses_are_confirmed() {
    for (test, program, property) in [
        ("freed", FREED, MEMSAFETY),
        ("loop", LOOP, UNREACH),
        ("lost", &FREED.replace("if (n != 7) free(p);", ""), MEMSAFETY),
    ] {
        let task = Task::new(&format!("own-{test}"), program, property);
        let first = task.run("--witness", &task.witness);
        let again = task.run("--validate", &task.witness);
        let last = |said: &Said| said.stdout.lines().last().unwrap_or_default().to_owned();
        assert_eq!(last(&first), last(&again), "{test}: {}", again.stderr);
        assert_eq!(first.status, again.status);
        // The program is another one now.
        std::fs::write(&task.program, format!("{program} \n")).expect("the folder is writable");
        assert!(last(&task.run("--validate", &task.witness)).contains("another program"), "{test}");
    }
}

#[test]
fn malformed_witnesses_are_errors_with_a_line() {
    let task = Task::new("malformed", LOOP, UNREACH);
    std::fs::write(&task.witness, "- entry_type: invariant_set\n  metadata: 7\n").expect("the folder is writable");
    let said = task.run("--validate", &task.witness);
    assert_eq!((said.status, said.stdout.as_str()), (3, ""), "{}", said.stderr);
    assert!(said.stderr.contains("a.yml:2"), "{}", said.stderr);
    let (answer, code) =
        task.validate("- entry_type: ghost_instrumentation\n  metadata: { format_version: \"2.1\" }\n");
    assert_eq!((answer.as_str(), code), ("UNKNOWN(the witness has ghost variables)", 2));
    let both = ["--witness", "x.yml", "--validate", "y.yml", "a.c"];
    let said = finish(cairn().args(["svcomp", "--property", "a.prp", "--data-model", "LP64"]).args(both));
    assert_eq!(said.status, 3, "{}", said.stderr);
}
