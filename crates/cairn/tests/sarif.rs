//! Logs in the SARIF format, held against the schema of SARIF 2.1.0 where `scripts/validate-sarif` has installed it.

mod support;

use std::path::Path;
use std::process::Command;

use support::{cairn, finish, root, scratch, skipped};

const FAULTY: &str = "#include <stdlib.h>
static char *make(int n) { return malloc(n); }
static void drop(char *p) { free(p); }
int main(int argc, char **argv) {
    char *p = make(8);
    for (int i = 0; i < 8; i++)
        p[i] = 'a';
    drop(p);
    if (argc > 3)
        p[1] = 0; // cairn: ignore(use-after-free) an example
    char *q = make(4);
    if (argc > 2)
        q[4] = 0;
    free(q);
    return p == q;
}
";

const LIBRARY: &str = "#include <stdlib.h>
int twice(int fail) {
    char *p = malloc(10);
    if (fail)
        return -1;
    free(p);
    return 0;
}
";

/// Writes the log of a command, and returns its name.
fn log(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let mut command = cairn();
    command.current_dir(folder).args(["check", "--no-cache"]).args(arguments);
    if !arguments.contains(&"integrity") {
        command.args(["--work-limit", "500"]);
    }
    let file = format!("{name}.sarif");
    let said = finish(command.args(["--output", &format!("sarif={file}")]));
    assert!(folder.join(&file).is_file(), "{name}: {}{}", said.stdout, said.stderr);
    file
}

#[test]
fn logs_are_valid() {
    let folder = scratch("sarif");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder is writable");
    write("a b ä.c", FAULTY);
    write("library.c", LIBRARY);
    write("fine.c", "int main(void) { return 0; }\n");
    write("broken.c", "int f( {\n");
    write("cairn.toml", "[[overrides]]\npaths = ['library.c']\nchecks = { leak = 'off' }\n");
    let mut baseline = cairn();
    baseline.current_dir(&folder).args(["baseline", "update", "--baseline", "known.json", "--no-cache"]);
    let said = finish(baseline.args(["--work-limit", "500", "a b ä.c"]));
    assert!(folder.join("known.json").is_file(), "{}{}", said.stdout, said.stderr);
    let mut logs = vec![
        log(&folder, "program", &["a b ä.c"]),
        log(&folder, "full", &["--trace", "full", "a b ä.c"]),
        log(&folder, "library", &["library.c"]),
        log(&folder, "fine", &["fine.c"]),
        log(&folder, "integrity", &["--engine", "integrity", "library.c"]),
        log(&folder, "project", &["--baseline", "known.json", "."]),
    ];
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the log is written");
    assert!(text("project.sarif").contains("\"executionSuccessful\":false"), "{}", text("project.sarif"));
    assert!(text("program.sarif").contains("\"executionSuccessful\":true"), "{}", text("program.sarif"));
    for part in ["\"baselineState\":\"unchanged\"", "\"suppressions\":[", "\"codeFlows\":[", "\"level\":\"none\""] {
        assert!(text("project.sarif").contains(part), "{part}: {}", text("project.sarif"));
    }
    let mut judge = cairn();
    let said =
        finish(judge.current_dir(&folder).args(["judge", "program.sarif", "a b ä.c", "--judged", "judged.sarif"]));
    assert!(folder.join("judged.sarif").is_file(), "{}{}", said.stdout, said.stderr);
    logs.push("judged.sarif".to_owned());
    let validator = root().join("scripts/validate-sarif");
    let Ok(output) = Command::new(validator).current_dir(&folder).args(&logs).output() else {
        return skipped("logs_are_valid", "scripts/validate-sarif cannot be started");
    };
    if output.status.code() == Some(77) {
        return skipped("logs_are_valid", "the validator is not installed (scripts/validate-sarif)");
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
