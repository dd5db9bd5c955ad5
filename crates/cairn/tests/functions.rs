//! The table `[functions]` of `cairn.toml`: programs and libraries follow what the entries say, and nothing more.

mod support;

use std::path::Path;

use support::{Said, cairn, finish, scratch};

const SETTINGS: &str = "[functions]
my_alloc = { returns = 'owned', size = '$1 * $2', may_fail = true }
my_must = { returns = 'owned', size = '$1', may-fail = false, contents = 'zero' }
my_free = { frees = '$2' }
my_item = { returns = 'owned' }
die = { returns = 'never' }
";

const HEADER: &str = "struct item { int a; struct item *next; };
void *my_alloc(unsigned n, unsigned char size);
char *my_must(int n);
int my_free(int pool, void *p);
struct item *my_item(void);
void die(const char *text, ...);
int unknown(void);
";

fn check(folder: &Path, settings: &str, body: &str, arguments: &[&str]) -> Said {
    std::fs::write(folder.join("cairn.toml"), settings).expect("the folder is writable");
    std::fs::write(folder.join("a.c"), format!("{HEADER}{body}\n")).expect("the folder is writable");
    let mut command = cairn();
    command.current_dir(folder).args(["check", "--no-cache", "--work-limit", "2000", "-w"]).args(arguments);
    finish(&mut command)
}

/// The entries decide programs and libraries alike. Each faulty program is the right one with one change.
#[test]
fn entries_are_followed_by_all_engines() {
    let folder = scratch("functions");
    let right = "    char *p = my_alloc(unknown() ? 300 : 200, 2);
    if (!p)
        die(\"no memory\");
    p[399] = 1;
    my_free(p[399], p);
    char *q = my_must(5);
    int x = q[4];
    my_free(0, q);
    struct item *item = my_item();
    item->next = 0;
    my_free(0, item);
    return x;";
    let faulty = [
        ("if (!p)", "if (unknown())", "null-deref"),
        ("if (!p)\n        die", "if (!p)\n        unknown(); else if (!p)\n        die", "null-deref"),
        ("p[399] = 1", "p[400] = 1", "out-of-bounds"),
        ("p[399] = 1;", "", "uninitialised"),
        ("my_free(p[399], p)", "unknown()", "leak"),
        ("my_free(0, q)", "my_free(0, q); my_free(0, q)", "double-free"),
        ("my_free(0, q)", "my_free(0, q + 1)", "invalid-free"),
        ("x = q[4]", "x = q[5]", "out-of-bounds"),
        ("return x", "return item->a", "use-after-free"),
        ("item->next = 0", "(&item->next)[1] = 0", "out-of-bounds"),
    ];
    for (name, main) in [("program", "int main(void) { f(); return 0; }"), ("library", "")] {
        let with = |text: &str| format!("int f(void) {{\n{text}\n}}\n{main}");
        let said = check(&folder, SETTINGS, &with(right), &["a.c"]);
        assert_eq!(said.status, if main.is_empty() { 2 } else { 0 }, "{name}: {}{}", said.stdout, said.stderr);
        for (old, new, kind) in faulty {
            let said = check(&folder, SETTINGS, &with(&right.replacen(old, new, 1)), &["a.c"]);
            assert_eq!(said.status, 1, "{name} with `{new}`: {}{}", said.stdout, said.stderr);
            assert!(said.stdout.contains(&format!("[{kind}]")), "{name} with `{new}`: {}", said.stdout);
        }
    }
}

/// A size that is larger than any object makes the allocation fail, and unsigned numbers stay so.
#[test]
fn sizes_are_those_of_the_declared_types() {
    let folder = scratch("functions-sizes");
    let settings = "[functions]\nmy_must = { returns = 'owned', size = '$1 + 4', may-fail = false }\n";
    let fits = "int main(void) { signed char n = unknown() ? 4 : 2; char *p = my_must(n); p[n + 3] = 1; __builtin_free(p); return 0; }";
    let said = check(&folder, settings, fits, &["a.c"]);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let said = check(&folder, settings, &fits.replace("n + 3", "n + 4"), &["a.c"]);
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    let small = "[functions]\nmy_alloc = { returns = 'owned', size = '$2', may-fail = false }\n";
    let wraps = "int main(void) { char *p = my_alloc(1, 255); p[254] = 1; __builtin_free(p); return 0; }";
    assert_eq!(check(&folder, small, wraps, &["a.c"]).status, 0);
    assert_eq!(check(&folder, small, &wraps.replace("(1, 255)", "(1, 510)"), &["a.c"]).status, 1);
}

/// A definition of the project wins, unless the entry replaces it. Both ways of naming the code read the same settings.
#[test]
fn definitions_are_replaced_on_request() {
    let folder = scratch("functions-replace");
    let shared = "static char arena[100];
char *my_must(int n) { return arena; }
int main(void) { char *p = my_must(8); p[8] = 1; return 0; }";
    let own = shared.replace("char *my_must", "static char *own").replace("my_must", "own");
    for (body, name) in [(shared, "my_must"), (own.as_str(), "own")] {
        for arguments in [&["a.c"][..], &["."]] {
            let entry = format!("[functions]\n{name} = {{ returns = 'owned', size = '$1', replace = ");
            let said = check(&folder, &format!("{entry}false }}\n"), body, arguments);
            assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
            let said = check(&folder, &format!("{entry}true }}\n"), body, arguments);
            assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
            assert!(said.stdout.contains("[out-of-bounds]"), "{}", said.stdout);
        }
    }
}

#[test]
fn ownership_of_functions_without_a_body_is_stated() {
    let folder = scratch("functions-ownership");
    let body = "void sink(int kind, void *p);
int f(void) { char *p = __builtin_malloc(4); sink(1, p); return 0; }";
    let said = check(&folder, "[functions]\nsink = { takes = '$2' }\n", body, &["a.c"]);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    let said = check(&folder, "[functions]\nsink = { borrows = ['$2'] }\n", body, &["a.c"]);
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("[leak]"), "{}", said.stdout);
}

#[test]
fn entries_that_do_not_fit_are_errors_at_the_declaration() {
    let folder = scratch("functions-misfits");
    let body = "struct pair { int a, b; };
void by_value(struct pair pair, void *p);
int main(void) { char *p = my_must(3); my_free(1, p); struct pair pair = {0}; by_value(pair, p); return 0; }";
    let cases = [
        (
            "my_must = { returns = 'owned', size = '$2' }",
            "a.c:3:7: error: `my_must` has 1 parameter, but its description names `$2`",
        ),
        ("my_must = { returns = 'owned' }", "a.c:3:7: error: the result of `my_must` has no known size; add `size`"),
        ("my_must = { frees = '$1' }", "a.c:3:7: error: `$1` of `my_must` is no pointer that can be freed"),
        ("my_free = { returns = 'owned' }", "a.c:4:5: error: `my_free` returns no pointer"),
        (
            "by_value = { frees = '$2' }",
            "error: `by_value` has a parameter or result that a description cannot express",
        ),
    ];
    for (entry, message) in cases {
        let said = check(&folder, &format!("[functions]\n{entry}\n"), body, &["a.c"]);
        assert_eq!(said.status, 3, "{entry}: {}{}", said.stdout, said.stderr);
        let (place, text) = message.split_once("error: ").expect("messages are errors");
        assert!(said.stderr.contains(text), "{entry}: {}", said.stderr);
        assert!(said.stderr.contains(place.trim_end_matches(": ")), "{entry}: {}", said.stderr);
    }
}
