//! `cairn dump --states`: the running program of the paper (papers: sl-dataflow, table 4.1.1) and those that its section 5 asks for.

mod support;

use support::{cairn, finish, scratch};

/// The states after the lines of `main`, each line without the indentation.
fn states(name: &str, text: &str) -> String {
    let file = scratch(&format!("states-{name}")).join("program.c");
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let said = finish(cairn().args(["dump", "--states"]).arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    said.stdout
}

#[test]
fn the_running_program() {
    let text = "extern void *malloc(unsigned long);\nint main(void) {\n    int *nullptr = 0;\n    void *x = malloc(sizeof(void *));\n    \
                if (x == nullptr)\n        ;\n    else\n        *(void **)x = malloc(sizeof(void *));\n    x = nullptr;\n    \
                return 0;\n}\n";
    let found = states("running", text);
    for line in [
        "    3  nullptr = nil",
        "    4  nullptr = nil * x ↦ f0",
        "    8  nullptr = nil * x ↦ f0 * f0 ↦ f1",
        "       nullptr = nil * x ↦ nil",
        "    9  nullptr = nil * x = nil",
        "       nullptr = nil * x = nil * f0 ↦ f1 * f1 ↦ f2",
        "       nullptr = nil * x = nil * f0 ↦ nil",
    ] {
        assert!(found.lines().any(|l| l == line), "no line `{line}` in\n{found}");
    }
}

#[test]
fn a_loop_that_builds_a_list_ends_in_a_segment() {
    let text = "extern void *malloc(unsigned long);\nextern int __VERIFIER_nondet_int(void);\nextern void abort(void);\n\
                struct node { struct node *next; };\nint main(void) {\n    struct node *list = 0;\n    \
                while (__VERIFIER_nondet_int()) {\n        struct node *node = malloc(sizeof *node);\n        \
                if (!node) abort();\n        node->next = list;\n        list = node;\n    }\n    return list != 0;\n}\n";
    let found = states("loop", text);
    let segment = found.lines().any(|line| line.contains("ls(list, nil) [") && line.contains("nodes, at least 2: "));
    assert!(segment, "{found}");
}
