//! `cairn check` on projects: compilation databases, folders, kept results, build graphs, baselines and comments.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Said, cairn, cairn_check, finish, root, scratch};

const LIST_H: &str = "#include <stdlib.h>\nstruct node { struct node *next; };\nstruct node *push(struct node *list);\nvoid clear(struct node *list);\n";

const LIST_C: &str = "#include \"list.h\"
struct node *push(struct node *list) {
    struct node *node = malloc(sizeof *node);
    node->next = list;
    return node;
}
void clear(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}
";

const FINE_C: &str = "#include \"list.h\"\nint main(void) { struct node *l = push(push(0)); clear(l); return 0; }\n";

const FAULT_C: &str = "#include \"list.h\"
int main(void) {
    struct node *l = push(0);
    clear(l);
    return l->next != 0;
}
";

const LEAKY_C: &str = "#include <stdlib.h>
int twice(int fail) {
    char *p = malloc(10);
    if (fail)
        return -1;
    free(p);
    return 0;
}
";

/// Creates a project with two programs that share a file, a library file, a broken file, and one in another language.
fn project(name: &str) -> PathBuf {
    let folder = scratch(name);
    for (file, text) in [
        ("inc/list.h", LIST_H),
        ("src/list.c", LIST_C),
        ("src/fine.c", FINE_C),
        ("src/fault.c", FAULT_C),
        ("src/leaky.c", LEAKY_C),
        ("src/broken.c", "int f( {\n"),
        ("src/other.cc", "int x;\n"),
    ] {
        write(&folder, file, text);
    }
    let entry = |file: &str| {
        let (directory, arguments) = (folder.join("build"), ["ccache", "cc", "-I../inc", "-O2", "-c", file]);
        serde_like(&directory, &arguments, file)
    };
    let files = ["fine", "fault", "list", "leaky", "broken"].map(|name| format!("../src/{name}.c"));
    let mut entries: Vec<String> = files.iter().map(|file| entry(file)).collect();
    entries.push(entry("../src/other.cc"));
    std::fs::create_dir_all(folder.join("build")).expect("the folder is writable");
    write(&folder, "compile_commands.json", &format!("[{}]", entries.join(",\n")));
    folder
}

fn serde_like(directory: &Path, arguments: &[&str], file: &str) -> String {
    let words: Vec<String> = arguments.iter().map(|word| format!("{word:?}")).collect();
    format!(
        "{{\"directory\": {:?}, \"file\": {file:?}, \"arguments\": [{}]}}",
        directory.display().to_string(),
        words.join(", ")
    )
}

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().expect("the file is in a folder")).expect("the folder is writable");
    std::fs::write(file, text).expect("the folder is writable");
}

fn check_in(folder: &Path, arguments: &[&str]) -> Said {
    finish(command_in(folder).arg("check").args(["--work-limit", "20000"]).args(arguments))
}

fn command_in(folder: &Path) -> Command {
    let mut command = cairn();
    command.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

#[test]
fn a_database_is_checked_without_arguments() {
    let folder = project("project-database");
    let said = check_in(&folder, &[]);
    assert_eq!(said.status, 1, "{}", said.stderr);
    assert!(
        said.stdout.contains("error[use-after-free]") && said.stdout.contains("src/fault.c:5:12"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("error[leak]") && said.stdout.contains("src/leaky.c:3:15"), "{}", said.stdout);
    for line in ["2 programs: ", "1 library file: ", "1 target could not be checked"] {
        assert!(said.stdout.contains(line), "{line}\n{}", said.stdout);
    }
    assert_eq!(said.stderr.matches("src/broken.c:1").count(), 1, "{}", said.stderr);
    assert!(said.stderr.contains("note: 1 file is not C and left out"), "{}", said.stderr);
    // From a folder below, and with the database named.
    for arguments in [&["-p", ".."][..], &[".."], &["../compile_commands.json"]] {
        let said = check_in(&folder.join("src"), arguments);
        assert!(said.status == 1 && said.stdout.contains("error[leak]"), "{arguments:?}: {}", said.stderr);
    }
}

/// A library is checked with the functions of other files that it calls, and each file reports its own faults.
#[test]
fn files_of_a_library_know_each_other() {
    let folder = scratch("project-dependencies");
    write(
        &folder,
        "lib.h",
        "#include <stdlib.h>\nstruct s { int n; };\nint is_ok(const struct s *s);\nvoid release(struct s *s);\nvoid wrong(void);\n",
    );
    write(
        &folder,
        "lib.c",
        "#include \"lib.h\"\nint is_ok(const struct s *s) { return s != NULL; }\nvoid release(struct s *s) { free(s); }\nvoid wrong(void) { int *p = malloc(4); free(p); free(p); }\n",
    );
    // `is_ok` excludes null, and `release` frees: only the body of either tells.
    write(
        &folder,
        "user.c",
        "#include \"lib.h\"\nint fine(struct s *s) { if (s == NULL && is_ok(s)) return s->n; return 0; }\n\
         int fault(void) { struct s *s = malloc(sizeof *s); if (!s) return 0; s->n = 1; release(s); return s->n; }\n\
         void calls(void) { wrong(); }\n",
    );
    let said = check_in(&folder, &["."]);
    assert!(said.stdout.contains("error[use-after-free]") && said.stdout.contains("user.c:3:"), "{}", said.stdout);
    assert!(!said.stdout.contains("null-deref"), "{}", said.stdout);
    assert_eq!(said.stdout.matches("error[double-free]").count(), 1, "{}", said.stdout);
    // A dependency that does not fit is left out.
    write(&folder, "other.c", "int clash;\nint helper(void) { return 1; }\n");
    write(
        &folder,
        "third.c",
        "static int x;\nint clash(void);\nint helper(void);\nint third(void) { return helper() + clash() + x; }\n",
    );
    let said = check_in(&folder, &["."]);
    assert!(!said.stdout.contains("could not be checked"), "{}{}", said.stdout, said.stderr);
}

/// Parallel, sequential, kept and distributed results are the same.
#[test]
fn all_ways_of_checking_give_the_same_results() {
    let folder = project("project-ways");
    std::fs::remove_file(folder.join("src/broken.c")).expect("created above");
    write(&folder, "src/broken.c", "int g(int x) { return x; }\n");
    let results = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the results are written");
    for (name, arguments) in [
        ("sequential", &["--no-cache", "-j1"][..]),
        ("parallel", &["--no-cache", "-j3"]),
        ("fresh", &["--cache-dir", "kept"]),
        ("kept", &["--cache-dir", "kept"]),
    ] {
        let output = format!("json={name}.json");
        let said = check_in(&folder, &[arguments, &["--output", &output]].concat());
        assert_eq!((said.status, said.stderr.as_str()), (1, "note: 1 file is not C and left out\n"), "{name}");
        assert_eq!(results(&format!("{name}.json")), results("sequential.json"), "{name}");
    }
    let said = finish(command_in(&folder).args(["cache", "stats", "--cache-dir", "kept"]));
    // Five files with their names, and four targets.
    assert!(said.stdout.starts_with("9 results, "), "{}", said.stdout);

    let said = check_in(&folder, &["--no-cache", "--emit-ninja", "graph"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let graph = results("graph/build.ninja");
    assert!(graph.contains("graph/targets/0.json | inc/list.h src/fault.c src/list.c"), "{graph}");
    let mut parts = Vec::new();
    for number in 0..4 {
        let target = format!("graph/targets/{number}.json");
        let result = format!("graph/targets/{number}.result.json");
        let said = check_in(&folder, &["--target", &target, "--output", &format!("json={result}")]);
        assert_eq!((said.status, said.stderr.as_str()), (0, ""));
        parts.push(result);
    }
    let said = finish(command_in(&folder).arg("merge").args(parts.iter().rev()).args(["--output", "json=merged.json"]));
    assert_eq!(said.status, 1, "{}", said.stderr);
    assert_eq!(results("merged.json"), results("sequential.json"));
}

#[test]
fn a_change_is_seen_in_the_units_that_it_concerns() {
    let folder = project("project-edit");
    let first = check_in(&folder, &["--format", "json"]);
    write(&folder, "src/fault.c", &FAULT_C.replace("return l->next != 0;", "return 0;"));
    let second = check_in(&folder, &["--format", "json"]);
    assert!(first.stdout.contains("use-after-free") && !second.stdout.contains("\"check\":\"use-after-free\""));
    assert_eq!(second.stdout, check_in(&folder, &["--no-cache", "--format", "json"]).stdout);
    // A new header in front of the others is seen, too.
    write(&folder, "src/list.h", &LIST_H.replace("struct node { ", "struct node { int pad; "));
    write(&folder, "src/list.c", &LIST_C.replace("free(list);", ""));
    let third = check_in(&folder, &["--format", "json"]);
    assert_eq!(third.stdout, check_in(&folder, &["--no-cache", "--format", "json"]).stdout);
    assert!(third.stdout.contains("\"check\":\"leak\""));
}

#[test]
fn folders_without_a_database_are_walked() {
    let folder = project("project-folder");
    std::fs::remove_file(folder.join("compile_commands.json")).expect("created above");
    // A loop of links must not be followed.
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder, folder.join("src/again")).expect("the folder is writable");
    let said = check_in(&folder, &["."]);
    assert!(said.status == 1 && said.stdout.contains("src/fault.c:5:12"), "{}{}", said.stdout, said.stderr);
    let said = check_in(&folder, &[]);
    assert_eq!(said.status, 3);
    assert!(said.stderr.starts_with("error: no compile_commands.json in "), "{}", said.stderr);
}

#[cfg(unix)]
#[test]
fn builds_are_recorded() {
    let folder = project("project-record");
    std::fs::remove_file(folder.join("compile_commands.json")).expect("created above");
    // The archive has another `push` than the folder of the program.
    write(&folder, "lib/list.c", &LIST_C.replace("free(list);", "free(list); free(list);"));
    write(
        &folder,
        "build.sh",
        "set -e\ncc -Iinc -c lib/list.c -o lib/list.o\nar rcs lib/liblist.a lib/list.o\ncc -Iinc -c src/fine.c -o fine.o\ncc -o fine fine.o -Llib -llist\n",
    );
    let said = finish(command_in(&folder).args(["record", "--", "sh", "build.sh"]));
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(said.stderr.contains("2 compiled files and 2 link commands"), "{}", said.stderr);
    let said = check_in(&folder, &[]);
    assert!(said.status == 1 && said.stdout.contains("error[double-free]"), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("1 program: ") && !said.stdout.contains("library file"), "{}", said.stdout);
    let said = finish(command_in(&folder).args(["record", "--", "false"]));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("error: `false` failed"), "{}", said.stderr);
}

#[test]
fn comments_and_baselines_accept_findings() {
    let folder = project("project-baseline");
    let known = finish(command_in(&folder).args(["baseline", "update", "--baseline", "known.json"]));
    assert!(known.stderr.contains("2 findings written to 'known.json'"), "{}", known.stderr);
    let said = check_in(&folder, &["--baseline", "known.json"]);
    // The broken file still fails.
    assert_eq!(said.status, 3, "{}", said.stdout);
    assert!(said.stdout.contains("not shown: 2 in the baseline") && !said.stdout.contains("error["), "{}", said.stdout);
    assert_eq!(check_in(&folder, &["--baseline", "known.json", "--fail-on", "any"]).status, 1);
    // Unrelated edits change no fingerprint; a second fault of the same kind is new.
    write(
        &folder,
        "src/fault.c",
        &format!("/* A comment\n   of two lines. */\n{}", FAULT_C.replace("    return l", "\treturn  l")),
    );
    let said = check_in(&folder, &["--baseline", "known.json"]);
    assert!(said.status == 3 && said.stdout.contains("not shown: 2 in the baseline"), "{}", said.stdout);
    write(
        &folder,
        "src/leaky.c",
        &format!("{LEAKY_C}{}", LEAKY_C.replace("twice", "thrice").replace("#include <stdlib.h>", "")),
    );
    let said = check_in(&folder, &["--baseline", "known.json"]);
    assert!(said.status == 1 && said.stdout.contains("--> src/leaky.c:11:15"), "{}", said.stdout);
    // A fixed fault is gone from the code, and a comment accepts the other.
    write(&folder, "src/fault.c", &FAULT_C.replace("return l->next != 0;", "return 0;"));
    write(&folder, "src/leaky.c", &LEAKY_C.replace("malloc(10);", "malloc(10); // cairn: ignore(leak) ends anyway"));
    let said = check_in(&folder, &["--baseline", "known.json"]);
    assert!(said.stderr.contains("note: 1 finding of 'known.json' no longer found"), "{}", said.stderr);
    assert!(said.stdout.contains("not shown: 1 accepted by a comment"), "{}", said.stdout);
}

#[test]
fn known_findings_of_one_program_are_no_failure() {
    let folder = scratch("project-known");
    let program = root().join("examples/use_after_free.c");
    let program = program.to_str().expect("a path of text");
    let checks = |arguments: &[&str]| finish(cairn_check().args(arguments).arg(program).current_dir(&folder)).status;
    let updated =
        finish(cairn().args(["baseline", "update", "--baseline", "known.json", program]).current_dir(&folder));
    assert_eq!(updated.status, 0, "{}", updated.stderr);
    assert_eq!(checks(&["--baseline", "known.json"]), 0);
    assert_eq!(checks(&["--baseline", "known.json", "--fail-on", "any"]), 1);
    assert_eq!(checks(&["--fail-on", "never"]), 0);
    assert_eq!(checks(&[]), 1);
}

#[test]
fn bad_input_has_one_clear_line() {
    let folder = project("project-bad");
    for (name, text) in [("broken", "[{"), ("object", "{}"), ("types", "[{\"directory\": 1, \"file\": \"a.c\"}]")] {
        write(&folder, &format!("{name}/compile_commands.json"), text);
        let said = check_in(&folder, &["-p", name]);
        assert_eq!(said.status, 3);
        let message = format!("error: '{name}/compile_commands.json' is no compilation database: ");
        assert!(said.stderr.starts_with(&message) && said.stderr.lines().count() == 1, "{}", said.stderr);
    }
    for (arguments, message) in [
        (&["-p", "nowhere"][..], "error: cannot read 'nowhere': "),
        (&["--target", "src/list.c"], "error: 'src/list.c' is no target of cairn: "),
        (&["--baseline", "src/list.c"], "error: 'src/list.c' is no baseline of cairn: "),
        (&["inc"], "error: no C files in 'inc'"),
        (&["--output", "pdf=x"], "error: invalid value 'pdf=x'"),
        (
            &["--output", "json=/nowhere/x", "src/fine.c", "-I", "inc", "src/list.c"],
            "error: cannot write '/nowhere/x': ",
        ),
        (&["--harness", "h.c"], "error: `--harness` needs the files of one program"),
    ] {
        let said = check_in(&folder, arguments);
        assert!(said.status == 3 && said.stderr.contains(message), "{arguments:?}: {}", said.stderr);
    }
    let target = r#"{"version":3,"name":"x","kind":"program","units":[{"file":"src/fine.c","data_model":"LP64","flags":["-fplugin=./x.so"]}]}"#;
    write(&folder, "hostile.json", target);
    let said = check_in(&folder, &["--target", "hostile.json"]);
    assert!(said.status == 3 && said.stderr.contains("options that are not allowed"), "{}", said.stderr);
    // A damaged store is deleted, and the check goes on.
    write(&folder, "kept/results-1.redb", "not a database");
    let said = check_in(&folder, &["--cache-dir", "kept"]);
    assert!(said.status == 1 && said.stderr.contains("are damaged and deleted"), "{}", said.stderr);
}

#[test]
fn settings_come_from_the_configuration() {
    let folder = project("project-settings");
    write(
        &folder,
        "cairn.toml",
        "exclude = ['src/broken.c']\nmodels = ['models/pool.c']\n[checks]\nleak = 'off'\n[[overrides]]\npaths = ['src/fault.c']\nchecks = { use-after-free = 'warning' }\n",
    );
    write(&folder, "models/pool.c", "#include <stdlib.h>\nvoid *pool(int n) { return malloc(n); }\n");
    let said = check_in(&folder, &[]);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    assert!(
        said.stdout.contains("use-after-free") && said.stdout.contains("not shown: 1 off in the configuration"),
        "{}",
        said.stdout
    );
    // The model shows that the memory of the pool is lost.
    write(&folder, "src/leaky.c", "void *pool(int n);\nint f(void) { char *p = pool(8); return p == 0; }\n");
    let said = check_in(&folder, &["--format", "json", "-p", "."]);
    assert!(
        said.stdout.contains("\"check\":\"leak\",\"property\":\"valid-memtrack\",\"level\":\"off\""),
        "{}",
        said.stdout
    );
    write(&folder, "cairn.toml", "[checks]\nleek = 'off'\n");
    let said = check_in(&folder.join("src"), &[]);
    assert_eq!(said.status, 3);
    assert!(said.stderr.ends_with("cairn.toml:2: there is no check `leek`; did you mean `leak`?\n"), "{}", said.stderr);
}

#[test]
fn findings_of_other_tools_are_judged() {
    let folder = scratch("project-judge");
    let text = "#include <stdlib.h>
int main(void) {
    int *p = malloc(4), *q = malloc(4);
    if (!p || !q)
        abort();
    *p = 1;
    free(p);
    free(q);
    return 0;
}
";
    write(&folder, "fine.c", text);
    write(&folder, "fault.c", &text.replace("free(q);", "*p = 2;"));
    let result = |rule: &str, line: u32, file: &str| {
        format!(
            "{{\"ruleId\":\"{rule}\",\"message\":{{\"text\":\"m\"}},\"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"{file}\"}},\"region\":{{\"startLine\":{line}}}}}}}]}}"
        )
    };
    let log = |file: &str| {
        let results = [
            result("-Wanalyzer-use-after-free", 8, file),
            result("-Wanalyzer-null-dereference", 6, file),
            result("-Wanalyzer-malloc-leak", 3, file),
            result("-Wunused", 3, file),
        ];
        format!(
            "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"gcc\"}}}},\"results\":[{}]}}]}}",
            results.join(",")
        )
    };
    write(&folder, "fine.sarif", &log("fine.c"));
    write(&folder, "fault.sarif", &log("fault.c"));
    let judge = |name: &str| {
        finish(command_in(&folder).args([
            "judge",
            &format!("{name}.sarif"),
            &format!("{name}.c"),
            "--judged",
            "judged.sarif",
        ]))
    };
    let said = judge("fine");
    assert!(
        said.stdout.contains("fine.c:6: refuted: m [-Wanalyzer-null-dereference]"),
        "{}{}",
        said.stdout,
        said.stderr
    );
    assert!(said.stdout.contains("fine.c:3: refuted: m [-Wanalyzer-malloc-leak]"), "{}", said.stdout);
    assert!(said.stdout.contains("fine.c:3: open (cairn has no check for this rule)"), "{}", said.stdout);
    assert!(said.stdout.contains("4 findings: 0 confirmed, 3 refuted, 1 open") && said.status == 2, "{}", said.stdout);
    let said = judge("fault");
    assert!(said.status == 1 && said.stdout.contains("fault.c:8: confirmed: m"), "{}", said.stdout);
    assert!(said.stdout.contains("fault.c:6: open (proofs hold only up to another violation)"), "{}", said.stdout);
    assert!(said.stdout.contains("error[use-after-free]"), "{}", said.stdout);
    let judged = std::fs::read_to_string(folder.join("judged.sarif")).expect("the log is written");
    assert!(judged.contains("\"kind\":\"fail\"") && judged.contains("\"kind\":\"open\""), "{judged}");
    let said = finish(command_in(&folder).args(["judge", "fine.c", "fine.c"]));
    assert!(said.status == 3 && said.stderr.starts_with("error: 'fine.c' is no SARIF log: "), "{}", said.stderr);
}

#[test]
fn revisions_are_compared() {
    let folder = scratch("project-diff");
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let said = finish(Command::new("git").args(identity).args(words).current_dir(&folder));
        assert_eq!(said.status, 0, "{words:?}: {}", said.stderr);
    };
    let make = "#include <stdlib.h>\nchar *make(int n) {\n    char *p = malloc(8);\n    if (n)\n        return p;\n    free(p);\n    return 0;\n}\n";
    write(&folder, "make.c", make);
    write(&folder, "use.c", "#include <stdlib.h>\nchar *make(int n);\nvoid use(void) { free(make(1)); }\n");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    write(&folder, "make.c", &make.replace("    free(p);\n", ""));
    git(&["commit", "-qam", "two"]);
    let diff = |words: &[&str]| finish(command_in(&folder).arg("diff").args(words));
    let said = diff(&["HEAD~1..HEAD"]);
    assert!(said.status == 1 && said.stdout.contains("error[leak]"), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("1 new, 0 fixed, 0 unchanged"), "{}", said.stdout);
    let said = diff(&["HEAD..HEAD~1", "--format", "markdown"]);
    assert!(said.status == 0 && said.stdout.contains("### Fixed findings\n\n- `leak` at make.c:3"), "{}", said.stdout);
    // The changes since a revision; a contract that changes names the files that use the function.
    write(&folder, "make.c", "#include <stdlib.h>\nchar *make(int n) {\n    (void)n;\n    return 0;\n}\n");
    let said = diff(&["HEAD~1"]);
    assert!(said.stdout.contains("contract of `make` (make.c) changed:\n"), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("  used in use.c\n"), "{}", said.stdout);
    for (words, message) in [(&["nowhere..HEAD"][..], "no revision 'nowhere'"), (&["--", "-x"], "not a revision: '-x'")]
    {
        let said = diff(words);
        assert!(said.status == 3 && said.stderr.contains(message), "{}", said.stderr);
    }
}
