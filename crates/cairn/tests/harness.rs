//! Tests of `--harness OUT.c`: under the address sanitizer, the harness fails with the same fault.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use support::{Said, cairn, cairn_check, finish, scratch, skipped};

const OPTIONS: [&str; 4] = ["-g", "-w", "-std=gnu11", "-fsanitize=address"];

/// Compiles with the sanitizer. Returns `None` if the compiler fails.
fn compile(folder: &Path, arguments: &[&str]) -> Option<Said> {
    let mut command = Command::new("cc");
    command.current_dir(folder).args(OPTIONS).args(arguments).stdin(Stdio::null());
    let said = finish(&mut command);
    (said.status == 0).then_some(said)
}

/// Whether the sanitizer works for this data model. If not, the test is reported as skipped.
fn has_sanitizer(model: &str) -> bool {
    let folder = scratch(&format!("harness-probe{model}-{:?}", std::thread::current().id()));
    std::fs::write(folder.join("probe.c"), "int main(void) { return 0; }\n").expect("the scratch folder is writable");
    let ready = compile(&folder, &[model, "-ftrivial-auto-var-init=zero", "probe.c", "-o", "probe"]).is_some()
        && Command::new(folder.join("probe")).status().is_ok_and(|status| status.success());
    if !ready {
        let test = std::thread::current().name().unwrap_or("harness").to_owned();
        skipped(&test, &format!("`cc {model}` has no address sanitizer that works here; harnesses are not run"));
    }
    ready
}

/// Checks a program, compiles its harness and runs it. The report must contain `expected` and the line.
fn fails(test: &str, options: &[&str], text: &str, line: u32, expected: &str) {
    fails_in(test, "-m64", options, text, line, expected);
}

fn fails_in(test: &str, model: &str, options: &[&str], text: &str, line: u32, expected: &str) {
    let folder = scratch(&format!("harness-{test}"));
    std::fs::write(folder.join("a.c"), text).expect("the scratch folder is writable");
    let mut command = cairn_check();
    command.current_dir(&folder).args([model, "--harness", "out.c"]).args(options).arg("a.c");
    let found = finish(&mut command);
    assert_eq!(found.status, 1, "{}{}", found.stdout, found.stderr);
    if !has_sanitizer(model) {
        return;
    }
    let built = compile(&folder, &[model, "-ftrivial-auto-var-init=zero", "out.c", "-o", "harness"]);
    assert!(built.is_some(), "the harness does not compile: {}", folder.display());
    let ran = finish(Command::new(folder.join("harness")).stdin(Stdio::null()));
    assert_ne!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    let place = format!("a.c:{line}");
    assert!(line == 0 || ran.stderr.contains(&place), "no {place} in\n{}", ran.stderr);
}

const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n";

#[test]
fn null_dereferences() {
    let text = format!(
        "{HEAD}int main(void) {{\n    int x = 1, *p = &x;\n    if (__VERIFIER_nondet_int() == 77)\n        p = 0;\n    return *p - 1;\n}}\n"
    );
    fails("null", &[], &text, 8, "SEGV");
    fails_in("null-32", "-m32", &[], &text, 8, "SEGV");
}

#[test]
fn uses_after_free() {
    let text = format!(
        "{HEAD}int main(void) {{\n    char *p = malloc(8);\n    memset(p, 0, 8);\n    if (__VERIFIER_nondet_int() > 1000)\n        free(p);\n    p[3] = 1;\n    free(p);\n    return 0;\n}}\n"
    );
    fails("use-after-free", &[], &text, 9, "heap-use-after-free");
}

#[test]
fn accesses_out_of_bounds() {
    let heap = format!(
        "{HEAD}int main(void) {{\n    int n = __VERIFIER_nondet_int();\n    if (n < 0 || n > 4)\n        return 0;\n    int *p = calloc(4, 4);\n    p[n] = 1;\n    free(p);\n    return 0;\n}}\n"
    );
    fails("heap", &[], &heap, 9, "heap-buffer-overflow");
    let stack = format!(
        "{HEAD}int main(void) {{\n    int a[4] = {{0}}, n = __VERIFIER_nondet_int();\n    if (n < 1 || n > 5)\n        return 0;\n    return a[n - 1];\n}}\n"
    );
    fails("stack", &[], &stack, 8, "stack-buffer-overflow");
    let global = format!(
        "{HEAD}short table[5];\nint main(void) {{\n    strcpy((char *)table, \"0123456789\");\n    return 0;\n}}\n"
    );
    fails("global", &[], &global, 6, "global-buffer-overflow");
}

#[test]
fn uses_after_scope() {
    let text = format!(
        "{HEAD}int main(void) {{\n    int *p = 0;\n    {{\n        int inner = 3;\n        p = &inner;\n    }}\n    return *p;\n}}\n"
    );
    fails("scope", &[], &text, 10, "stack-use-after-scope");
    let returned = format!(
        "{HEAD}int *local(int n) {{\n    int kept = n;\n    int *p = &kept;\n    return p;\n}}\nint main(void) {{\n    return *local(__VERIFIER_nondet_int());\n}}\n"
    );
    fails("return", &[], &returned, 10, "stack-use-after-return");
}

#[test]
fn frees() {
    let twice = format!(
        "{HEAD}int main(void) {{\n    char *p = malloc(1);\n    free(p);\n    if (__VERIFIER_nondet_int() == -5)\n        free(p);\n    return 0;\n}}\n"
    );
    fails("double-free", &[], &twice, 8, "attempting double-free");
    let inner = format!("{HEAD}int main(void) {{\n    char *p = malloc(9);\n    free(p + 1);\n    return 0;\n}}\n");
    fails("invalid-free", &[], &inner, 6, "attempting free on address which was not malloc()-ed");
}

#[test]
fn leaks_and_unfreed_memory() {
    let lost = format!(
        "{HEAD}int main(void) {{\n    for (int i = 0; i < 2; i++) {{\n        char *p = malloc(12);\n        if (__VERIFIER_nondet_int())\n            free(p);\n    }}\n    return 0;\n}}\n"
    );
    fails("leak", &[], &lost, 6, "LeakSanitizer");
    let kept = format!("{HEAD}char *kept;\nint main(void) {{\n    kept = malloc(12);\n    return 0;\n}}\n");
    fails("unfreed", &[], &kept, 6, "LeakSanitizer");
    fails_in("unfreed-32", "-m32", &[], &kept, 6, "LeakSanitizer");
}

#[test]
fn assertions_and_the_error_function() {
    let text = "#include <assert.h>\nextern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n    int n = __VERIFIER_nondet_uchar();\n    assert(n * 2 != 84);\n    return 0;\n}\n";
    fails("assertion", &[], text, 5, "Assertion");
    let empty = "extern short __VERIFIER_nondet_short();\nvoid reach_error(void) { }\nint main(void) {\n    if (__VERIFIER_nondet_short() == -3)\n        reach_error();\n    return 0;\n}\n";
    fails("error", &[], empty, 0, "error function called");
}

#[test]
fn inputs_are_passed_to_the_program() {
    let input = "#include <stdio.h>\nint main(void) {\n    int a[3] = {1, 2, 3};\n    if (getchar() != 'o' || getchar() != 'k')\n        return 0;\n    return a[getchar() == EOF ? 3 : 0];\n}\n";
    fails("input", &[], input, 6, "stack-buffer-overflow");
    let failing = format!(
        "{HEAD}int main(void) {{\n    int *p = malloc(4), *q = malloc(4);\n    if (p)\n        *q = 1;\n    free(p);\n    free(q);\n    return 0;\n}}\n"
    );
    fails("failing", &["--malloc-fails"], &failing, 7, "SEGV");
    let undefined = "extern unsigned outside;\nextern long measure(int, char *);\nint main(void) {\n    int a[2] = {0};\n    if (measure(1, \"x\") == 5000000000 && outside == 40000)\n        return a[outside - 39998];\n    return 0;\n}\n";
    fails("undefined", &[], undefined, 0, "");
}

#[test]
fn results_of_library_functions_are_inputs() {
    // The program defines one function of the model itself.
    let text = "#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\nvoid srand(unsigned seed) { }\nint main(void) {\n    int a[4] = {0};\n    struct timespec now;\n    srand(time(NULL));\n    clock_gettime(0, &now);\n    if (getpid() != 4711 || now.tv_nsec != 5)\n        return 0;\n    return a[rand() % 5];\n}\n";
    fails("world", &[], text, 12, "stack-buffer-overflow");
    fails_in("world-32", "-m32", &[], text, 12, "stack-buffer-overflow");
    let scanned = "#include <stdio.h>\nint main(void) {\n    int a[4] = {0}, n = 0;\n    double d;\n    if (scanf(\"%d,%lf\", &n, &d) != 2 || d != 0.5)\n        return 0;\n    return getchar() == 'x' && n == 1000000 ? a[4] : 0;\n}\n";
    fails("scanned", &[], scanned, 7, "stack-buffer-overflow");
    let arguments = "#include <stdlib.h>\nint main(int argc, char **argv) {\n    int a[4] = {0};\n    if (argc != 3 || argv[1][0] != '-')\n        return 0;\n    return a[atoi(argv[2]) == 12 ? 4 : 0];\n}\n";
    fails("arguments", &["--work-limit", "100000"], arguments, 6, "stack-buffer-overflow");
    fails(
        "given",
        &["--work-limit", "100000"],
        "int main(int argc, char **argv) {\n    return argv[0][9];\n}\n",
        2,
        "buffer-overflow",
    );
}

#[test]
fn values_of_uninitialised_memory_are_reproduced() {
    let folder = scratch("harness-unset");
    let text = format!(
        "{HEAD}int main(void) {{\n    int *p = malloc(8), a[2] = {{0}};\n    int n = p[1];\n    free(p);\n    return n > 1 && n < 4 ? a[n] : 0;\n}}\n"
    );
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the scratch folder is writable");
    write("a.c", &text);
    write("p.prp", "CHECK( init(main()), LTL(G valid-deref) )\n");
    let mut command = cairn();
    command.current_dir(&folder).args(["svcomp", "--property", "p.prp", "--data-model", "LP64"]);
    let found = finish(command.args(["--harness", "out.c", "a.c"]));
    assert_eq!(found.stdout, "FALSE(valid-deref)\n", "{}", found.stderr);
    if has_sanitizer("-m64") {
        assert!(compile(&folder, &["out.c", "-o", "harness"]).is_some());
        let ran = finish(&mut Command::new(folder.join("harness")));
        assert!(ran.stderr.contains("stack-buffer-overflow") && ran.stderr.contains("a.c:8"), "{}", ran.stderr);
    }
    // The address sanitizer does not detect the uninitialised read itself. The harness names a tool that does.
    let found = finish(cairn_check().current_dir(&folder).args(["--harness", "unset.c", "a.c"]));
    assert_eq!(found.status, 1, "{}", found.stdout);
    let text = std::fs::read_to_string(folder.join("unset.c")).expect("a harness was written");
    assert!(
        text.contains(" * uninitialised at a.c:8:") && text.contains("valgrind --error-exitcode=1 ./harness"),
        "{text}"
    );
}

#[test]
fn several_translation_units_and_several_findings() {
    let folder = scratch("harness-units");
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the scratch folder is writable");
    write(
        "a.c",
        "static int helper(int n) { return n; }\nint f(int);\nint main(void) {\n    int a[2] = {0};\n    return f(helper(0)) + a[f(2)];\n}\n",
    );
    write("b.c", "typedef short helper;\nint f(int n) { helper h = n; return h; }\n");
    let mut command = cairn_check();
    let found = finish(command.current_dir(&folder).args(["--harness", "out.c", "a.c", "b.c"]));
    assert_eq!(found.status, 1, "{}{}", found.stdout, found.stderr);
    let text = std::fs::read_to_string(folder.join("out.c")).expect("a harness was written");
    assert!(text.contains("-DUNIT=2 -c out.c -o harness-2.o"), "{text}");
    if has_sanitizer("-m64") {
        for unit in ["0", "1", "2"] {
            let (define, object) = (format!("-DUNIT={unit}"), format!("harness-{unit}.o"));
            assert!(compile(&folder, &[&define, "-c", "out.c", "-o", &object]).is_some(), "unit {unit}");
        }
        assert!(compile(&folder, &["harness-0.o", "harness-1.o", "harness-2.o", "-o", "harness"]).is_some());
        let ran = finish(&mut Command::new(folder.join("harness")));
        assert!(ran.stderr.contains("stack-buffer-overflow") && ran.stderr.contains("a.c:5"), "{}", ran.stderr);
    }

    let two = "int a[1];\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n    if (__VERIFIER_nondet_int())\n        return a[1];\n    return a[2];\n}\n";
    write("two.c", two);
    let found = finish(cairn_check().current_dir(&folder).args(["--harness", "two-out.c", "two.c"]));
    assert_eq!(found.status, 1, "{}", found.stdout);
    for (file, line) in [("two-out.c", "two.c:5:"), ("two-out-2.c", "two.c:6:")] {
        let text = std::fs::read_to_string(folder.join(file)).expect("a harness was written");
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn an_unwritable_harness_is_an_error() {
    let folder = scratch("harness-unwritable");
    std::fs::write(folder.join("a.c"), "int main(void) { return *(int *)0; }\n")
        .expect("the scratch folder is writable");
    let found = finish(cairn_check().current_dir(&folder).args(["--harness", "no/such/folder.c", "a.c"]));
    assert_eq!(found.status, 3, "{}", found.stdout);
    assert!(found.stderr.contains("error: cannot write 'no/such/folder.c': "), "{}", found.stderr);
}

#[test]
fn faults_of_library_functions() {
    // The input has a list of two nodes, a string, a static variable, and the results of functions of other files.
    let list = "#include <stdlib.h>\nstruct node { struct node *next; int key; };\nint limit;\nint find(const char *);\n\
                int drop(struct node *n, const char *name) {\n    if (limit > 7 && n->next && find(name) == 3) {\n        free(n->next);\n        \
                return n->next->key;\n    }\n    return 0;\n}\n";
    fails("library-list", &[], list, 8, "heap-use-after-free");
    let leak = "#include <stdlib.h>\n#include <string.h>\n_Bool put(void *map, char *key);\nstatic int add(void *map, const char *key) {\n    \
                char *copy = strdup(key);\n    if (!put(map, copy))\n        return -1;\n    return 0;\n}\nint twice(void *map) { return add(map, \"a\"); }\n";
    fails("library-leak", &[], leak, 5, "LeakSanitizer");
    let stream = "#include <stdio.h>\nint first(const char *path) {\n    FILE *f = fopen(path, \"r\");\n    if (!f)\n        return -1;\n    \
                  if (ferror(f))\n        return -2;\n    return 0;\n}\n";
    fails("library-stream", &[], stream, 3, "LeakSanitizer");
    let file = "#include <fcntl.h>\n#include <unistd.h>\nint main_is_elsewhere(const char *p) {\n    int f = open(p, O_RDONLY);\n    if (f < 0)\n        \
                return -1;\n    return read(f, (char[4]){0}, 4) > 0;\n}\n";
    fails("library-descriptor", &[], file, 0, "file descriptor is lost");
    let failing = "#include <stdlib.h>\nint *make(int n) {\n    int *p = malloc(8), *q = calloc(2, 4);\n    if (!p)\n        return q;\n    q[1] = n;\n    free(p);\n    return q;\n}\n";
    fails("library-failing", &["--malloc-fails"], failing, 6, "SEGV");
    let called = "#include <stdlib.h>\nstruct job { int (*run)(struct job *); char *text; };\nint work(struct job *j) {\n    j->text = malloc(3);\n    \
                  if (j->run(j) < 0) {\n        free(j->text);\n        return j->text[0];\n    }\n    return 0;\n}\n";
    fails("library-callback", &[], called, 7, "heap-use-after-free");
}
