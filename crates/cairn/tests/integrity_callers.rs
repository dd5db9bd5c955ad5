//! Tests of functions that are safe only for the arguments of their callers (`integrity/callers.c`), and of mistakes that a wrong
//! precondition would hide.

mod support;

use std::fs;

use support::{cairn_check, finish, programs, scratch};

/// Checks a program. Returns the table, with one line per function.
fn answers(name: &str, text: &str) -> String {
    let path = scratch(&format!("integrity-callers-{name}")).join("callers.c");
    fs::write(&path, text).expect("the folder is writable");
    let said = finish(cairn_check().args(["--engine", "integrity"]).arg(&path));
    assert!(said.status < 3, "{name}: {}{}", said.stdout, said.stderr);
    said.stdout
}

fn line<'s>(said: &'s str, function: &str) -> &'s str {
    let mine = |line: &&str| line.split_whitespace().next() == Some(function);
    said.lines().find(mine).unwrap_or_else(|| panic!("no {function} in\n{said}"))
}

fn is_safe(line: &str) -> bool {
    line.split_whitespace().skip(1).take(2).all(|word| word == "safe")
}

/// Mutants: name, function that is not safe, original text, replacement.
const MUTANTS: &[(&str, &str, &str, &str)] = &[
    (
        "null-passed",
        "merge",
        "struct item *item_sort(",
        "struct item *item_same(struct item *a) { return a ? merge(a, 0) : 0; }\nstruct item *item_sort(",
    ),
    (
        "maybe-null-passed",
        "merge",
        "    return merge(end_of(a), ",
        "    return merge(end_of(a), b->prev ? b->prev->next : ",
    ),
    (
        "null-only-sometimes",
        "merge",
        "    if (!a || !b)\n        return a ? a : b;\n    return merge(end_of(a), chosen(b, b->next ? b->next : b));",
        "    if (!a || (!b && a->key))\n        return a;\n    return merge(end_of(a), b);",
    ),
    ("visible", "merge", "static struct item *merge(", "struct item *merge("),
    (
        "address-in-variable",
        "merge",
        "struct item *item_sort(",
        "struct item *(*hook)(struct item *, struct item *) = merge;\nstruct item *item_sort(",
    ),
    (
        "address-passed",
        "merge",
        "struct item *item_sort(",
        "extern void use(struct item *(*)(struct item *, struct item *));\nvoid item_use(void) { use(merge); }\nstruct item *item_sort(",
    ),
    (
        "recursion-with-null",
        "merge",
        "    while (a && b) {",
        "    if (a->key == 7)\n        return merge(a, 0);\n    while (a && b) {",
    ),
    (
        "recursion-through-another",
        "merge",
        "static struct item *merge(struct item *a, struct item *b)\n{",
        "static struct item *merge(struct item *a, struct item *b);\nstatic struct item *again(struct item *a) { return merge(a, a->next); }\nstatic struct item *merge(struct item *a, struct item *b)\n{\n    if (a->key == 7)\n        return again(a);",
    ),
    ("slow-is-faster", "merge", "        slow = slow->next;", "        slow = slow->next->next->next;"),
    (
        "slow-in-front",
        "merge",
        "    while ((fast = fast->next)) {\n        if (!(fast = fast->next))\n            break;\n        slow = slow->next;\n    }",
        "    while ((fast = fast->next)) {\n        slow = slow->next->next;\n    }",
    ),
    ("other-chain", "merge", "        slow = slow->next;", "        slow = slow->prev;"),
    (
        "cut-on-the-way",
        "merge",
        "        slow = slow->next;",
        "        slow = slow->next;\n        slow->next = fast->prev;",
    ),
    (
        "null-for-nodes",
        "merge",
        "    if (!list->next)\n        return list;",
        "    if (!list->next)\n        return list->key ? list : 0;",
    ),
    (
        "null-at-the-end",
        "merge",
        "    return item->next ? end_of(item->next) : item;",
        "    return item->next ? end_of(item->next) : item->prev;",
    ),
    (
        "null-of-two",
        "merge",
        "    return one->key < other->key ? one : other;",
        "    return one->key < other->key ? one : other->prev;",
    ),
    (
        "behind-what-is-not-followed",
        "merge",
        "struct item *item_sort(struct item *list)\n{",
        "struct item *item_odd(struct item *list, int n)\n{\n    char room[n];\n    room[0] = 0;\n    return merge(list, 0);\n}\n\nstruct item *item_sort(struct item *list)\n{",
    ),
    (
        "behind-a-violation",
        "merge",
        "struct item *item_sort(struct item *list)\n{",
        "struct item *item_odd(struct table *t, struct item *list, int n)\n{\n    t->slot[n]->key = 0;\n    list->next = (struct item *)&list->next;\n    return merge(list, 0);\n}\n\nstruct item *item_sort(struct item *list)\n{",
    ),
    (
        "in-place",
        "merge",
        "struct item *item_sort(struct item *list)\n{",
        "static struct item *item_new(struct item *other)\n{\n    struct item *new = malloc(sizeof *new);\n    if (new && other->key)\n        merge(other, 0);\n    return new;\n}\n\nstruct item *item_made(struct item *other)\n{\n    struct item *new = item_new(other);\n    if (new)\n        new->next = new->prev = 0;\n    return new;\n}\n\nstruct item *item_sort(struct item *list)\n{",
    ),
    (
        "anchor-overwritten",
        "merge",
        "        before = at;\n    }\n    at->next",
        "        before = at;\n        at = a ? at : &anchor;\n    }\n    at->next",
    ),
    ("index-behind", "put", "    for (i = 0; i < 8; i++)\n        put", "    for (i = 0; i <= 8; i++)\n        put"),
    ("index-before", "put", "    if (at < 0 || at > 7)", "    if (at < -1 || at > 7)"),
    ("index-unchecked", "put", "    if (at < 0 || at > 7)\n        return -1;\n", ""),
    ("index-too-large", "put", "    if (at < 0 || at > 7)", "    if (at < 0 || at > 8)"),
    ("index-plus-one", "put", "    put(table, at, item);", "    put(table, at + 1, item);"),
    ("index-from-memory", "put", "    put(table, at, item);", "    put(table, table->used, item);"),
    ("count-too-large", "get", "    return get(table, 0, 8);", "    return get(table, 0, 9);"),
    ("start-too-low", "get", "    return get(table, 0, 8);", "    return get(table, -1, 8);"),
    (
        "another-start",
        "get",
        "    return get(table, 0, 8);",
        "    return table->used ? get(table, 0, 8) : get(table, 1, 8);",
    ),
];

#[test]
fn preconditions_of_callers_are_assumed_and_reported() {
    let text = fs::read_to_string(programs("integrity").join("callers.c")).expect("the library is there");
    let said = answers("all", &text);
    for (function, note) in [
        ("merge", "requires a != 0, b != 0: checked at 2 calls"),
        ("put", "requires at >= 0, at <= 7: checked at 2 calls"),
        ("get", "requires from == 0, count == 8: checked at 1 call"),
    ] {
        let line = line(&said, function);
        assert!(is_safe(line) && line.ends_with(note), "{line}");
    }
    // Functions that are safe for all arguments have no precondition.
    for function in ["sort", "end_of", "chosen", "item_sort"] {
        assert!(line(&said, function).trim_end().ends_with("safe"), "{said}");
    }
}

#[test]
fn preconditions_hide_no_mistake() {
    let text = fs::read_to_string(programs("integrity").join("callers.c")).expect("the library is there");
    for (name, function, from, to) in MUTANTS {
        assert!(text.contains(from), "{name}: no {from:?}");
        let said = answers(name, &text.replacen(from, to, 1));
        let line = line(&said, function);
        assert!(!is_safe(line), "{name}: {line}");
    }
}

#[test]
fn mistakes_that_no_caller_triggers_are_allowed() {
    let text = fs::read_to_string(programs("integrity").join("singly_linked_list.c")).expect("the library is there");
    let forgotten = text.replacen("    at->next = a ? a : b;\n    return anchor.next;", "    return anchor.next;", 1);
    assert_ne!(forgotten, text);
    // The rest of a list is lost, but the result is a list, because both lists have an element.
    assert!(is_safe(line(&answers("forgotten", &forgotten), "sort_merge")));
    // If the lists may be empty, the anchor may be the only element.
    let visible = forgotten.replace("static struct cell *sort_merge(", "struct cell *sort_merge(");
    assert!(!is_safe(line(&answers("forgotten-visible", &visible), "sort_merge")));
}

#[test]
fn violations_are_shown_with_arguments_of_callers() {
    let said = answers(
        "run",
        "struct n { long v; struct n *next; };\n\
         static void link(struct n *a, struct n *b, int i)\n{\n    if (i == 3 && a)\n        a->next = (struct n *)&b->next;\n}\n\
         void one(struct n *a, struct n *b) { if (b) link(a, b, 3); }\n\
         static void other(struct n *a, int i)\n{\n    if (i == 3 && a)\n        a->next = (struct n *)&a->next;\n}\n\
         void two(struct n *a, struct n *b) { if (b) other(a, 4); }\n",
    );
    assert!(line(&said, "link").contains("safe      violated"), "{said}");
    assert!(said.contains(", b = n") && said.contains(", i = 3"), "{said}");
    assert!(is_safe(line(&said, "other")), "{said}");
}

#[test]
fn numeric_preconditions_cover_all_calls() {
    let said = answers(
        "numbers",
        "struct n { long v; struct n *next; };\nextern int more(void);\nstatic struct n *cells[8];\n\
         static void fine_climb(int i) { cells[i] = 0; if (i < 7) fine_climb(i + 1); }\n\
         static void fine_truth(int t) { cells[t + 6] = 0; }\n\
         static void fine_odd(int i);\n\
         static void fine_even(int i) { if (i > 0) fine_odd(i - 1); }\n\
         static void fine_odd(int i) { cells[i] = 0; fine_even(i - 1); }\n\
         static void narrow(signed char c) { cells[c] = 0; }\n\
         static void wrapped(unsigned u) { cells[u] = 0; }\n\
         static void climb(int i) { cells[i] = 0; if (more()) climb(i + 1); }\n\
         static void further(int i) { cells[i] = 0; if (i < 8) further(i + 1); }\n\
         static void truth(int t) { cells[t + 7] = 0; }\n\
         static void loop(int i) { while (more()) { cells[i] = 0; i++; } }\n\
         static void cut(int i) { cells[i] = 0; }\n\
         void fine_calls(int i, long l, struct n *a, struct n *b)\n{\n\
         \x20   fine_climb(0);\n    fine_truth(a == b);\n    if (i < 9)\n        fine_even(i);\n\
         \x20   if (i >= 0 && i < 8)\n        narrow((signed char)(i * 50));\n    if (i < 8)\n        wrapped(i);\n\
         \x20   climb(0);\n    further(0);\n    truth(a == b);\n    loop(0);\n\
         \x20   if (l >= 0 && l < 8)\n        cut((int)(l << 31));\n}\n",
    );
    for line in said.lines().take_while(|line| !line.is_empty()).skip(1) {
        assert_eq!(is_safe(line), line.starts_with("fine_"), "{line}\n{said}");
    }
}
