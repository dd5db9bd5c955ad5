//! Tests of `cairn dump --states`: the running example of the paper (sl-dataflow, table 4.1.1) and the programs of its section 5.

mod support;

use support::{cairn, finish, scratch};

/// Returns the output of `cairn dump --states` for a program.
fn dump(name: &str, text: &str, options: &[&str]) -> String {
    let file = scratch(&format!("states-{name}")).join("program.c");
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let said = finish(cairn().args(["dump", "--states"]).args(options).arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    said.stdout
}

/// Returns the formulas after a line.
fn after(found: &str, line: usize) -> Vec<&str> {
    let mut formulas = Vec::new();
    let mut here = false;
    for text in found.lines() {
        let number = text.get(..5).unwrap_or("").trim();
        if text.ends_with(':') || !number.is_empty() {
            here = number == line.to_string();
        }
        if here {
            formulas.extend(text.get(7..));
        }
    }
    formulas
}

/// Checks the states after lines that end in `//: formula | formula`. Allocations may fail unless `options` exclude it.
#[track_caller]
fn check(name: &str, text: &str, options: &[&str]) {
    let found = dump(name, text, options);
    let mut checked = 0;
    for (index, line) in text.lines().enumerate() {
        let Some((_, wanted)) = line.split_once("//: ") else { continue };
        let wanted: Vec<&str> = wanted.split(" | ").collect();
        assert_eq!(after(&found, index + 1), wanted, "line {} of\n{found}", index + 1);
        checked += 1;
    }
    assert!(checked > 0, "the program says what it expects");
}

const HEAD: &str = "extern void *malloc(unsigned long);\nextern void free(void *);\nextern int __VERIFIER_nondet_int(void);\n\
                    struct list { struct list *next; };\nstruct pair { int data; struct pair *next; };\n";

#[track_caller]
fn check_whole(name: &str, text: &str) {
    check(name, &format!("{HEAD}{text}"), &["--malloc-succeeds"]);
}

#[test]
fn the_running_example_of_the_paper() {
    check(
        "running",
        "extern void *malloc(unsigned long);
int main(void) {
    int *nullptr = 0; //: nullptr = nil
    void *x = malloc(sizeof(void *)); //: nullptr = nil * x = nil | nullptr = nil * x ↦ f0
    if (x == nullptr) //: nullptr = nil * x = nil | nullptr = nil * x ↦ f0
        ;
    else
        *(void **)x = malloc(sizeof(void *)); //: nullptr = nil * x ↦ f0 * f0 ↦ f1 | nullptr = nil * x ↦ nil
    x = nullptr; //: nullptr = nil * x = nil | nullptr = nil * x = nil * f0 ↦ f1 * f1 ↦ f2 | nullptr = nil * x = nil * f0 ↦ nil
    return 0;
}
",
        &[],
    );
}

#[test]
fn variables_are_fresh_in_each_iteration() {
    check(
        "initialised",
        &format!(
            "{HEAD}int main(void) {{
    while (__VERIFIER_nondet_int()) {{
        void **p = malloc(sizeof(void *)); //: p = nil | p ↦ f0
        if (!p)
            continue;
        *p = 0; //: p ↦ nil
        free(p); //: emp
    }}
    return 0;
}}
"
        ),
        &[],
    );
}

#[test]
fn building_a_list_gives_a_list_segment() {
    check_whole(
        "loop",
        "int main(void) {
    struct list *list = 0; //: list = nil
    while (__VERIFIER_nondet_int()) { //: list = nil | ls(list, nil) [f0 nodes, at least 1: f1 ↦ f2] * (1 ≤ f0)
        struct list *cell = malloc(sizeof *cell);
        cell->next = list; //: list = nil * cell ↦ nil | ls(list, nil) [f0 nodes, at least 1: f1 ↦ f2] * cell ↦ list * (1 ≤ f0)
        list = cell;
    }
    while (list) {
        struct list *rest = list->next;
        free(list);
        list = rest;
    }
    return 0; //: emp
}
",
    );
}

#[test]
fn statements_with_two_reads_are_split() {
    check_whole(
        "deref",
        "int main(void) {
    void *target = 0;
    void **first = malloc(sizeof(void *)); //: target = nil * first ↦ f0
    void ***b = malloc(sizeof(void *)); //: target = nil * first ↦ f0 * b ↦ f1
    void **a = malloc(sizeof(void *)); //: target = nil * first ↦ f0 * b ↦ f1 * a ↦ f2
    *first = target; //: target = nil * first ↦ nil * b ↦ f0 * a ↦ f1
    *b = first; //: target = nil * first ↦ nil * b ↦ first * a ↦ f0
    *a = **b; //: target = nil * first ↦ nil * b ↦ first * a ↦ nil
    target = a; //: a = target * first ↦ nil * b ↦ first * target ↦ nil
    return 0;
}
",
    );
}

#[test]
fn fields_of_structs_are_cells() {
    check_whole(
        "fields",
        "int main(void) {
    struct pair *list = malloc(sizeof *list); //: list ↦ f0
    list->next = malloc(sizeof *list); //: list ↦ {8: f0} * f0 ↦ f1
    struct pair *tmp = list->next; //: list ↦ {8: tmp} * tmp ↦ f0
    list->data = 5; //: list ↦ {0: 5, 8: tmp} * tmp ↦ f0
    int data = list->data; //: data = 5 * list ↦ {0: 5, 8: tmp} * tmp ↦ f0
    free(tmp); //: data = 5 * list ↦ {0: 5, 8: tmp}
    list->next = 0; //: data = 5 * list ↦ {0: 5, 8: nil}
    free(list); //: data = 5
    return 0;
}
",
    );
}

#[test]
fn parameters_hold_arguments_and_lost_memory_has_a_fresh_name() {
    check_whole(
        "calls",
        "struct list *cons(struct list *tail) {
    struct list *cell = malloc(sizeof *cell); //: tail = main.one * main.one ↦ nil * f0 ↦ f1 * cell ↦ f2 | tail = nil * cell ↦ f0
    struct list *lost = malloc(sizeof *lost);
    cell->next = tail; //: tail = main.one * main.one ↦ nil * f0 ↦ f1 * cell ↦ main.one * lost ↦ f2 | tail = nil * cell ↦ nil * lost ↦ f0
    return cell;
}
int main(void) {
    struct list *one = cons(0); //: one ↦ nil * f0 ↦ f1
    struct list *two = cons(one); //: one ↦ nil * f0 ↦ f1 * two ↦ one * f2 ↦ f3
    return two == one;
}
",
    );
}

#[test]
fn globals_and_statics_have_one_name_everywhere() {
    check_whole(
        "globals",
        "struct list *head;
void push(void) {
    static int pushed;
    struct list *cell = malloc(sizeof *cell); //: &head ↦ f0 * &push.pushed ↦ 1 * f0 ↦ nil * cell ↦ f1 | cell ↦ f0
    cell->next = head; //: &head ↦ f0 * &push.pushed ↦ 1 * f0 ↦ nil * cell ↦ f0 | cell ↦ nil
    head = cell; //: &head ↦ cell * &push.pushed ↦ 1 * f0 ↦ nil * cell ↦ f0 | &head ↦ cell * cell ↦ nil
    pushed++;
}
int main(void) {
    push(); //: &head ↦ f0 * &push.pushed ↦ 1 * f0 ↦ nil
    push(); //: &head ↦ f0 * &push.pushed ↦ 2 * f1 ↦ nil * f0 ↦ f1
    return 0;
}
",
    );
}

#[test]
fn targets_of_variables_are_not_folded() {
    let text = format!(
        "{HEAD}int main(void) {{
    struct list *list = 0, *at;
    while (__VERIFIER_nondet_int()) {{
        struct list *cell = malloc(sizeof *cell);
        cell->next = list;
        list = cell;
    }}
    at = list;
    while (at && __VERIFIER_nondet_int()) {{
        at = at->next;
    }}
    return at != list;
}}
"
    );
    let found = dump("cursor", &text, &["--malloc-succeeds"]);
    let formulas = after(&found, 14);
    let has = |parts: &[&str]| formulas.iter().any(|formula| parts.iter().all(|part| formula.contains(part)));
    assert!(has(&["list = nil", "at = nil"]), "{found}");
    assert!(has(&["at = list", "ls(list, nil)"]), "{found}");
    assert!(has(&["ls(list, at)", "ls(at, nil)"]), "{found}");
    assert!(has(&["at = nil", "ls(list, nil)"]), "{found}");
    assert_eq!(formulas.len(), 4, "{found}");
}

#[test]
fn cycles_are_segments_that_end_at_their_first_node() {
    check_whole(
        "cycle",
        "int main(void) {
    struct list *list = malloc(sizeof *list);
    list->next = list; //: list ↦ list
    while (__VERIFIER_nondet_int()) { //: ls(list, list) [f0 nodes, at least 1: f1 ↦ f2] * (1 ≤ f0)
        struct list *cell = malloc(sizeof *cell);
        cell->next = list->next;
        list->next = cell;
    }
    return list == 0;
}
",
    );
}

#[test]
fn the_heap_decides_between_doubly_linked_lists_and_trees() {
    check_whole(
        "doubly",
        "struct node { struct node *prev, *next; };
int main(void) {
    struct node *list = malloc(sizeof *list);
    list->prev = list->next = 0; //: list ↦ {0: nil, 8: nil}
    while (__VERIFIER_nondet_int()) { //: list ↦ {0: nil, 8: f0} * dls(f1, list; nil, f0) [f2 nodes, at least 1: f3 ↦ {0: f4, 8: f5}] * (1 ≤ f2) | list ↦ {0: nil, 8: nil}
        struct node *cell = malloc(sizeof *cell);
        cell->prev = 0;
        cell->next = list;
        list->prev = cell;
        list = cell;
    }
    return list == 0;
}
",
    );
}

#[test]
fn variables_of_nested_scopes_do_not_collide() {
    check_whole(
        "scopes",
        "int main(void) {
    struct list *x = malloc(sizeof *x); //: x ↦ f0
    x->next = 0; //: x ↦ nil
    {
        struct list *x = malloc(sizeof *x); //: x ↦ nil * x#2 ↦ f0
        x->next = x; //: x ↦ nil * x#2 ↦ x#2
        free(x); //: x ↦ nil
    }
    free(x); //: emp
    return 0;
}
",
    );
}

#[test]
fn states_of_a_recursive_function_cover_all_calls() {
    check_whole(
        "recursion",
        "static void release(struct list *list) {
    if (!list)
        return;
    release(list->next); //: list ↦ f0 | list ↦ nil
    free(list); //: emp
}
int main(void) {
    struct list *list = 0; //: list = nil
    while (__VERIFIER_nondet_int()) { //: list = nil | ls(list, nil) [f0 nodes, at least 1: f1 ↦ f2] * (1 ≤ f0)
        struct list *cell = malloc(sizeof *cell);
        cell->next = list;
        list = cell;
    }
    release(list); //: emp
    return 0;
}
",
    );
}

#[test]
fn heaps_are_drawn() {
    let text = format!(
        "{HEAD}int main(void) {{\n    struct list *x = malloc(sizeof *x);\n    x->next = malloc(sizeof *x);\n    return 0;\n}}\n"
    );
    let found = dump("dot", &text, &["--format", "dot", "--malloc-succeeds"]);
    assert!(found.starts_with("digraph states {\n") && found.ends_with("}\n"), "{found}");
    for line in
        ["label=\"main, line 8: x ↦ f0 * f0 ↦ f1\";", "\"s2_variable x\" -> \"s2_x\";", "\"s2_x\":c0 -> \"s2_f0\";"]
    {
        assert!(found.lines().any(|l| l.trim() == line), "no `{line}` in\n{found}");
    }
}
