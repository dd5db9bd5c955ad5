//! `cairn check --engine integrity`: libraries that are safe, mutants of them that are not, and how answers are printed.

mod support;

use std::fs;

use support::{c_files, cairn_check, check_all, finish, programs, scratch};

#[test]
fn libraries_are_safe_with_both_allocators() {
    check_all(&c_files(&programs("integrity")), |path| {
        for options in [&[][..], &["--zero-allocation"]] {
            let said = finish(cairn_check().args(["--engine", "integrity"]).args(options).arg(path));
            if said.status != 0 {
                return Err(format!("{} {options:?}: {}\n{}{}", path.display(), said.status, said.stdout, said.stderr));
            }
        }
        Ok(())
    });
}

/// Mutants of the libraries: file, original text, replacement, and whether zeroed allocations hide the mistake.
const MUTANTS: &[(&str, &str, &str, bool)] = &[
    // A forgotten initialisation.
    (
        "doubly_linked_list",
        "    node->next = NULL;\n    if (list) {\n        struct item *last",
        "    if (list) {\n        struct item *last",
        true,
    ),
    (
        "doubly_linked_list",
        "    } else {\n        node->prev = NULL;\n    }\n    return node;",
        "    }\n    return node;",
        true,
    ),
    (
        "doubly_linked_list",
        "    node->next = at;\n    at->prev = node;\n    return list;",
        "    at->prev = node;\n    return list;",
        true,
    ),
    ("doubly_linked_list", "        head->prev = NULL;\n        last = head;", "        last = head;", true),
    ("doubly_linked_list", "        last->next = NULL;\n    }\n    return head;", "    }\n    return head;", true),
    ("doubly_linked_list", "            last->next->prev = last;\n", "", true),
    ("singly_linked_list", "    node->data = data;\n    node->next = list;\n", "    node->data = data;\n", true),
    ("singly_linked_list", "        last->next = NULL;\n    }\n    return head;", "    }\n    return head;", true),
    ("singly_linked_list", "            at = at->next = b;\n", "            at = b;\n", true),
    (
        "singly_linked_list",
        "    if (before) {\n        before->next = node;\n        node->next = at;",
        "    if (before) {\n        before->next = node;",
        true,
    ),
    ("binary_search_tree", "    tree->right = NULL;\n    return tree;", "    return tree;", true),
    ("balanced_tree", "    node->left = NULL;\n", "", true),
    ("balanced_tree", "    tree->root = NULL;\n    tree->compare = compare;", "    tree->compare = compare;", true),
    ("balanced_tree", "    step->up = up;\n", "", true),
    ("layouts", "    task->hook.next = task->hook.prev = &task->hook;", "    task->hook.next = &task->hook;", true),
    ("layouts", "    either->link.left = to;\n", "", true),
    ("layouts", "    struct vertex *local = NULL;", "    struct vertex *local;", false),
    // A wrong size.
    ("doubly_linked_list", "malloc(sizeof(struct item))", "malloc(sizeof(struct item *))", false),
    ("singly_linked_list", "malloc(sizeof(struct cell))", "malloc(sizeof(struct cell) - 1)", false),
    ("binary_search_tree", "malloc(sizeof(struct tree))", "malloc(16)", false),
    ("balanced_tree", "malloc(sizeof *tree)", "malloc(sizeof tree)", false),
    ("layouts", "malloc(sizeof(struct task))", "malloc(sizeof(struct hook))", false),
    ("layouts", "memset(branch, 0, sizeof *branch)", "memset(branch, 0, sizeof branch)", true),
    ("layouts", "memset(branch, 0, sizeof *branch)", "memset(branch, 0, sizeof *branch + 1)", false),
    ("layouts", "memcpy(copy, branch, sizeof *copy)", "memcpy(copy, branch, sizeof copy)", true),
    // A pointer into a node.
    (
        "doubly_linked_list",
        "        node->prev = last;\n        return list;",
        "        node->prev = (struct item *)&last->next;\n        return list;",
        false,
    ),
    (
        "doubly_linked_list",
        "            first = second;\n",
        "            first = (struct item *)((char *)second + 8);\n",
        false,
    ),
    (
        "singly_linked_list",
        "        list->next = before;\n",
        "        list->next = (struct cell *)&list->next;\n",
        false,
    ),
    (
        "schorr_waite",
        "                parent->left = back;\n                parent->right_done = 1;",
        "                parent->left = back + 1;\n                parent->right_done = 1;",
        false,
    ),
    (
        "binary_search_tree",
        "            tree->left = init_tree(x);",
        "            tree->left = (struct tree *)&init_tree(x)->left;",
        false,
    ),
    ("balanced_tree", "    right->left = node;\n", "    right->left = (struct node *)&node->value;\n", false),
    (
        "layouts",
        "    return task ? &task->hook : NULL;",
        "    return task ? (struct hook *)&task->priority : NULL;",
        false,
    ),
    ("layouts", "    either->link.left = to;", "    either->link.left = (struct either *)&to->link;", false),
    ("layouts", "(struct vertex *)(tagged & ~(uintptr_t)1)", "(struct vertex *)(tagged & ~(uintptr_t)2)", false),
    // One child too many or too few.
    (
        "layouts",
        "    for (i = 0; i < 4; i++)\n        branch->child[i] = NULL;",
        "    for (i = 0; i < 3; i++)\n        branch->child[i] = NULL;",
        true,
    ),
    (
        "layouts",
        "    for (i = 0; i < 4; i++)\n        branch->child[i] = NULL;",
        "    for (i = 1; i < 5; i++)\n        branch->child[i] = NULL;",
        false,
    ),
    ("layouts", "    if (index < 0 || index >= 4)", "    if (index < 0 || index > 4)", false),
    ("layouts", "    if (index < 0 || index >= 4)", "    if (index >= 4)", false),
    ("layouts", "    if (index >= 0 && index < 4)", "    if (index >= -1 && index < 4)", false),
    (
        "layouts",
        "    for (i = 0; i < 4; i++)\n        if (branch->child[i])",
        "    for (i = 0; i <= 4; i++)\n        if (branch->child[i])",
        false,
    ),
    ("layouts", "    if (index >= 0 && index < 3)", "    if (index >= 0 && index <= 3)", false),
    // Memory that another function initialises.
    ("initialisers", "    task->parent = parent;\n", "", true),
    ("initialisers", "    for (i = 0; i < 4; i++)", "    for (i = 0; i < 3; i++)", true),
    ("initialisers", "    for (i = 0; i < 4; i++)", "    for (i = 0; i <= 4; i++)", false),
    ("initialisers", "    for (i = 0; i < 4; i++)", "    for (i = 1; i < 4; i++)", true),
    ("initialisers", "    for (i = 0; i < 4; i++)", "    for (i = number; i < 4; i++)", false),
    ("initialisers", "    link->next = link->prev = link;", "    link->next = link;", true),
    ("initialisers", "    link->next = link->prev = link;", "    link->next->prev = link;", false),
    ("initialisers", "    queue->running = 0;\n", "", true),
    ("initialisers", "task->child[2] = task->child[3] = 0", "task->child[2] = 0", true),
    ("initialisers", "        task_init_links(task);\n", "", true),
    ("initialisers", "        task->number = task_init_children(task, first);\n", "", true),
    ("initialisers", "    task_init(task, number, parent);\n", "", true),
    ("initialisers", "    task_init(task, number, parent);\n", "    task_init(parent, number, task);\n", true),
    (
        "initialisers",
        "    task_init(second, number + 1, first);\n",
        "    task_init(first, number + 1, second);\n",
        true,
    ),
    (
        "initialisers",
        "    task_init(second, number + 1, first);\n",
        "    task_init(second, number + 1, (struct task *)&first->ready);\n",
        false,
    ),
    (
        "initialisers",
        "    queue_init(&local);\n    local.running = task;",
        "    if (task)\n        queue_init(&local);",
        false,
    ),
    ("initialisers", "malloc(sizeof *queue)", "malloc(sizeof queue)", false),
    ("initialisers", "malloc(sizeof *second)", "malloc(sizeof(struct queue))", false),
    ("initialisers", "    link_init(&queue->head);", "    link_init((struct link *)&queue->head.prev);", false),
    ("initialisers", "    queue_init(queue);\n    if (first)", "    if (first)", true),
    (
        "initialisers",
        "    queue_init(queue);\n    if (first)",
        "    link_add(&queue->head, &queue->head);\n    queue_init(queue);\n    if (first)",
        true,
    ),
    (
        "initialisers",
        "    task->child[0] = first;",
        "    struct task local = *task;\n    task->child[0] = &local;",
        false,
    ),
    // A node of another type, and an integer.
    ("balanced_tree", "    step->node = node;\n", "    step->node = (struct node *)up;\n", false),
    ("balanced_tree", "        tree->root = rest;\n", "        tree->root = (struct node *)tree;\n", false),
    ("doubly_linked_list", "    node->prev->next = node;\n", "    node->prev->next = node->data;\n", false),
    (
        "binary_search_tree",
        "    tree->left = NULL;\n    tree->right = NULL;",
        "    tree->left = NULL;\n    tree->right = (struct tree *)(long)value;",
        false,
    ),
    (
        "schorr_waite",
        "                parent->right = parent->left;",
        "                parent[1].right = parent->left;",
        false,
    ),
];

#[test]
fn mutants_of_libraries_are_not_safe() {
    let folder = scratch("integrity-mutants");
    let mut files = Vec::new();
    for (number, (file, from, to, _)) in MUTANTS.iter().enumerate() {
        let text = fs::read_to_string(programs("integrity").join(format!("{file}.c"))).expect("the library is there");
        assert!(text.contains(from), "{file} has no {from:?}");
        let path = folder.join(format!("{number}.c"));
        fs::write(&path, text.replacen(from, to, 1)).expect("the folder is writable");
        files.push(path);
    }
    check_all(&files, |path| {
        let number: usize =
            path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).ok_or("a name without number")?;
        let (file, from, to, hidden) = MUTANTS[number];
        for options in [&[][..], &["--zero-allocation"]] {
            if hidden && !options.is_empty() {
                continue;
            }
            let said = finish(cairn_check().args(["--engine", "integrity"]).args(options).arg(path));
            if !matches!(said.status, 1 | 2) {
                return Err(format!(
                    "{file} {options:?}: {from:?} as {to:?}: {}\n{}{}",
                    said.status, said.stdout, said.stderr
                ));
            }
        }
        Ok(())
    });
}

#[test]
fn violated_conditions_are_shown_with_their_graph() {
    let folder = scratch("integrity-graph");
    let path = folder.join("link.c");
    fs::write(
        &path,
        "struct node { int value; struct node *next; };\n\
         void set(struct node *a, struct node *b)\n\
         {\n    if (a && b)\n        a->next = (struct node *)&b->next;\n}\n",
    )
    .expect("the folder is writable");
    let said = finish(cairn_check().args(["--engine", "integrity"]).arg(&path));
    assert_eq!(said.status, 1);
    for part in [
        "set       safe      violated",
        "set D: `node.next` may hold an invalid link at the end of the function at ",
        "path: lines 4, 5",
        "execution: `node.next` holds offset 8 of an object of 16 bytes, where no `node` of 16 bytes fits",
        "arguments: a = n1, b = n2",
        "n1 = node {  }  <- a  ! invalid",
        "1 of 1 functions memory-safe, 0 integrity-safe",
    ] {
        assert!(said.stdout.contains(part), "{part:?} is not in\n{}", said.stdout);
    }
    let json = finish(cairn_check().args(["--engine", "integrity", "--format", "json"]).arg(&path)).stdout;
    for part in
        ["\"function\":\"set\"", "\"memory\":{\"answer\":\"proved\"}", "\"answer\":\"violated\"", "\"invalid\":true"]
    {
        assert!(json.contains(part), "{part:?} is not in\n{json}");
    }
}

#[test]
fn rules_follow_from_types() {
    let folder = scratch("integrity-rules");
    let path = folder.join("types.c");
    fs::write(&path, "struct node { int value; struct node *next; };\nvoid f(struct node *n) { (void)n; }\n")
        .expect("the folder is writable");
    let said = finish(cairn_check().args(["--engine", "integrity", "--dump-rules"]).arg(&path));
    assert_eq!(said.status, 0);
    for part in [
        "node node @ node_node(P, X10) ==> (object_node(P)) ; (P = 0).",
        "closed node.next @ closed_node_next(F, X10), cell(F, P, V) ==> node_node(V, X10).",
        "not intact node.next @ not intact_node_next(F) <=> cell(F, S, T), not valid_node(T).",
        "separate node node @ object_node(P), object_node(Q) ==> P-Q in -15..15 except [0] | false.",
    ] {
        assert!(said.stdout.contains(part), "{part:?} is not in\n{}", said.stdout);
    }
}

/// Checks a program. Returns the exit status and the table.
fn ask(name: &str, text: &str, options: &[&str]) -> (i32, String) {
    let path = scratch(&format!("integrity-answers-{name}")).join(name);
    fs::write(&path, text).expect("the folder is writable");
    let said = finish(cairn_check().args(["--engine", "integrity"]).args(options).arg(&path));
    (said.status, said.stdout + &said.stderr)
}

const CELL: &str = "struct cell { long value; struct cell *next; };\n\
                    struct cell *cell_new(struct cell *next)\n\
                    {\n    struct cell *cell = ALLOCATE;\n    if (!cell)\n        return 0;\n    cell->next = next;\n    return cell;\n}\n";

#[test]
fn allocators_are_found_by_attribute_name_and_option() {
    let with = |declaration: &str, call: &str| format!("{declaration}\n{}", CELL.replace("ALLOCATE", call));
    let attributes = "extern void *take(int pool, unsigned long size) __attribute__((__malloc__, __alloc_size__(2)));";
    let plain = "extern void *take(int pool, unsigned long size);";
    let glib = "extern void *g_slice_alloc(unsigned long size);";
    let product =
        "extern void *grab(unsigned long count, unsigned long size) __attribute__((malloc, alloc_size(1, 2)));";
    for (name, text, options, safe) in [
        ("attributes.c", with(attributes, "take(1, sizeof *cell)"), &[][..], true),
        ("attributes-small.c", with(attributes, "take(1, 8)"), &[], false),
        ("attributes-other.c", with(attributes, "take(16, 0)"), &[], false),
        ("nothing.c", with(plain, "take(1, sizeof *cell)"), &[], false),
        ("option.c", with(plain, "take(1, sizeof *cell)"), &["--allocator", "take:2"], true),
        ("option-wrong.c", with(plain, "take(1, sizeof *cell)"), &["--allocator", "take:1"], false),
        ("glib.c", with(glib, "g_slice_alloc(sizeof *cell)"), &[], true),
        ("glib-small.c", with(glib, "g_slice_alloc(sizeof cell)"), &[], false),
        ("product.c", with(product, "grab(2, 8)"), &[], true),
        ("product-small.c", with(product, "grab(2, 7)"), &[], false),
    ] {
        let (status, said) = ask(name, &text, options);
        assert_eq!(status == 0, safe, "{name}:\n{said}");
    }
    let uninitialised = with(glib, "g_slice_alloc(sizeof *cell)").replace("    cell->next = next;\n", "");
    assert_ne!(ask("uninitialised.c", &uninitialised, &[]).0, 0);
    assert_eq!(ask("zero.c", &uninitialised.replace("g_slice_alloc", "g_slice_alloc0"), &[]).0, 0);
    assert_eq!(ask("bad.c", "int x;", &["--allocator", "f:0"]).0, 3);
}

#[test]
fn a_violation_in_one_column_excludes_safe_in_the_other() {
    // The function breaks the link and then follows it.
    let (status, said) = ask(
        "broken-then-followed.c",
        "struct n { long v; struct n *next; };\n\
         void f(struct n *a)\n{\n    if (!a)\n        return;\n    a->next = (struct n *)&a->next;\n\
         \x20   while (a) {\n        a->v = 1;\n        a = a->next;\n    }\n}\n",
        &[],
    );
    assert_eq!(status, 1, "{said}");
    assert!(!said.contains("f         safe"), "{said}");
    // An access is out of bounds, and then a link is broken.
    let (status, said) = ask(
        "outside-then-broken.c",
        "struct n { long v[4]; struct n *next; };\n\
         void f(struct n *a, int i)\n{\n    if (!a)\n        return;\n    a->v[i] = 0;\n    a->next = (struct n *)&a->v;\n\
         \x20   a->next = (struct n *)&a->v[1];\n}\n",
        &[],
    );
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("f         violated  violated"), "{said}");
}

#[test]
fn links_to_freed_nodes_are_not_safe() {
    let (status, said) = ask(
        "freed.c",
        "extern void free(void *);\nstruct n { long v; struct n *next; };\n\
         void good(struct n *a)\n{\n    struct n *b = a->next;\n    a->next = 0;\n    free(b);\n}\n\
         void linked(struct n *a)\n{\n    struct n *b = a->next;\n    free(b);\n}\n\
         struct n *returned(struct n *a)\n{\n    free(a);\n    return a;\n}\n",
        &[],
    );
    assert_eq!(status, 2, "{said}");
    for line in ["good      safe      safe", "linked    safe      unknown", "returned  safe      unknown"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn alarms_without_an_execution_are_unknown() {
    // Both variables are always equal. Loop invariants do not express that.
    let (status, said) = ask(
        "equal.c",
        "struct n { long v; struct n *next; };\nextern int more(void);\n\
         void f(struct n *a)\n{\n    long i = 0, j = 0;\n    while (more()) {\n        i += 2;\n        j += 2;\n    }\n\
         \x20   if (a && i != j)\n        a->next = (struct n *)8888;\n}\n",
        &[],
    );
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("unknown: counterexample not confirmed"), "{said}");
}

#[test]
fn answers_as_sarif_and_annotations() {
    let text = "struct node { int value; struct node *next; };\nvoid set(struct node *a) { if (a) a->next = (struct node *)a->value; }\n";
    let (status, said) = ask("sarif.c", text, &["--format", "sarif"]);
    assert_eq!(status, 1);
    for part in ["\"ruleId\":\"integrity\"", "\"version\":\"2.1.0\"", "\"violated\":1", "\"startLine\":2"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let (status, said) = ask("github.c", text, &["--format", "github"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("title=integrity::`node.next` may hold an invalid link at the end of the function"),
        "{said}"
    );
}

#[test]
fn tagged_integers_are_links_only_without_their_tag() {
    let with = |cast: &str, ty: &str| {
        format!(
            "struct n {{ {ty} v; struct n *next; }};\nvoid f(struct n *a)\n{{\n    if (a)\n        a->next = {cast};\n}}\n\
             struct n *g(struct n *a)\n{{\n    return a ? {cast} : 0;\n}}\n\
             long h(struct n *a)\n{{\n    return a && a->v ? ({cast})->v : 0;\n}}\n"
        )
    };
    for (name, cast, ty, safe) in [
        ("long.c", "(struct n *)a->v", "long", false),
        ("int.c", "(struct n *)(long)a->v", "int", false),
        ("tagged.c", "(struct n *)(a->v & ~1L)", "long", true),
        ("odd.c", "(struct n *)(a->v & ~4096L)", "long", false),
        ("narrow.c", "(struct n *)(long)(a->v & ~1)", "int", false),
    ] {
        let (status, said) = ask(name, &with(cast, ty), &[]);
        assert_eq!(status == 0, safe, "{name}:\n{said}");
    }
    // The stored value has to be a link as well.
    let (status, said) =
        ask("stored.c", &(with("(struct n *)(a->v & ~1L)", "long") + "void s(struct n *a) { a->v = 12; }\n"), &[]);
    assert_ne!(status, 0, "{said}");
}

#[test]
fn conditions_of_callers_are_not_violations() {
    let (status, said) = ask(
        "contracts.c",
        "typedef union { long l; void *p; } lock_t;\nstruct n { int v; struct n *next; };\n\
         struct s { lock_t lock; struct n *head; };\nextern void lock(lock_t *); extern void *malloc(unsigned long);\n\
         lock_t *fine_member(struct s *s) { return s ? &s->lock : 0; }\n\
         int fine_locked(struct s *s) { lock(&s->lock); return s->head ? s->head->v : 0; }\n\
         struct view { void *a, *b; }; struct real { struct n *a; void *b; };\nextern int use(struct real *);\n\
         int cast(struct view *v) { return use((struct real *)v); }\n\
         struct n *made_of_any(void *p) { return p; }\n\
         int sum(const int *a, int n) { int s = 0, i; for (i = 0; i < n; i++) s += a[i]; return s; }\n\
         unsigned long length(const char *s) { const char *p = s; while (*p) p++; return p - s; }\n\
         int *filled(int n) { int *a = malloc(n * sizeof *a), i; if (a) for (i = 0; i < n; i++) a[i] = i; return a; }\n\
         static int fine_pick(int i) { static const int k[4] = { 1, 2, 3, 4 }; return k[i]; }\n\
         int fine_picked(void) { return fine_pick(3); }\n\
         static int pick(int i) { static const int k[4] = { 1, 2, 3, 4 }; return k[i]; }\n\
         int picked(int n) { char room[n]; return pick(room[0]); }\n\
         int deep(struct n *a) { struct n *st[8]; int k = 0; while (a) { st[k++] = a; a = a->next; } return k; }\n\
         long unused(struct s *s, lock_t *l);\n",
        &[],
    );
    assert_eq!(status, 2, "{said}");
    for line in said.lines().take_while(|line| !line.is_empty()).skip(1) {
        let safe = line.split_whitespace().skip(1).take(2).all(|word| word == "safe");
        assert!(safe == line.starts_with("fine_") && !line.contains("violated"), "{line}\n{said}");
    }
    // An unconstrained index and an index with a wrong bound are violations.
    let text = "struct n { int v[4]; struct n *next; };\nint any(struct n *a, int i) { return a ? a->v[i] : 0; }\n\
                int far(struct n *a) { struct n *st[8]; int k = 0; while (a && k <= 8) { st[k++] = a; a = a->next; } return k; }\n";
    let (status, said) = ask("indices.c", text, &[]);
    assert_eq!((status, said.matches("violated  safe").count()), (1, 2), "{said}");
}

#[test]
fn iteration_counts_may_be_assumed() {
    let text = "struct n { int v; struct n *next; };\n\
                int deep(struct n *a) { struct n *st[8]; int k = 0; while (a) { st[k++] = a; a = a->next; } return k; }\n\
                int counted(struct n *a) { struct n *st[8]; int k = 0; while (a && k <= 8) { st[k++] = a; a = a->next; } return k; }\n";
    let (status, said) = ask("deep.c", text, &["--longest-path", "7"]);
    assert!(said.contains("deep      safe      safe"), "{said}");
    assert!(said.contains("which only the graph bounds is at most 7"), "{said}");
    // A wrong bound in the code is not replaced by an assumption.
    assert!(status == 1 && said.contains("counted   violated"), "{said}");
    let (_, said) = ask("deep.c", text, &["--longest-path", "8"]);
    assert!(said.contains("deep      unknown   safe"), "{said}");
}

#[test]
fn conditions_beyond_types_are_not_violations() {
    let (status, said) = ask(
        "unsaid.c",
        "typedef unsigned long size_t;\nstruct hook { struct hook *next, *prev; };\n\
         struct task { int number; struct hook ready; struct task *other; };\nstruct derived { struct task base; long more; };\n\
         #define task_of(h) ((struct task *)((char *)(h) - (size_t)&((struct task *)0)->ready))\n\
         extern int use(struct task *);\n\
         int first(struct hook *list) { return list && list->next ? task_of(list->next)->number : 0; }\n\
         int passed(struct hook *list) { return list && list->next ? use(task_of(list->next)) : 0; }\n\
         int all(struct hook *list)\n{\n    int sum = 0;\n    struct task *t;\n\
         \x20   for (t = task_of(list->next); &t->ready != list; t = task_of(t->ready.next))\n        sum += t->number;\n    return sum;\n}\n\
         long down(struct task *t) { struct derived *d = (struct derived *)t; return d ? d->more : 0; }\n\
         void any(void **p, struct task *t) { struct task *old = *p; t->other = 0; if (old) old->number = 1; *p = t; }\n\
         int twice(int **a, int **b) { **a = **b; return **a; }\n\
         unsigned length(const char *s) { return *s == 0 ? 0 : 1 + length(s + 1); }\n\
         char *put(char *to, const char *from, size_t n) { for (; n && (*to = *from); to++, from++) n--; return to; }\n\
         struct counted { int count; struct hook hook[1]; };\n\
         void hooks(struct counted *c) { int i; for (i = 0; i < c->count; i++) c->hook[i].next = 0; }\n\
         long before(struct task *t) { return t ? (t - 1)->number : 0; }\n",
        &[],
    );
    assert_eq!(status, 1, "{said}");
    for line in said.lines().take_while(|line| !line.is_empty()).skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words[1..3] != ["safe", "safe"], "{line}");
        assert_eq!(line.contains("violated"), words[0] == "before", "{line}\n{said}");
    }
    // Links are followed through the struct that contains them.
    let (status, said) = ask(
        "around.c",
        "typedef unsigned long size_t;\nstruct hook { struct hook *next, *prev; };\nstruct task { int number; struct hook ready; };\n\
         #define task_of(h) ((struct task *)((char *)(h) - (size_t)&((struct task *)0)->ready))\n\
         int count(struct hook *list)\n{\n    int n = 0;\n    struct task *t;\n\
         \x20   for (t = task_of(list->next); &t->ready != list; t = task_of(t->ready.next))\n        n++;\n    return n;\n}\n",
        &[],
    );
    assert_eq!(status, 0, "{said}");
}

#[test]
fn executions_call_function_pointers_and_pass_structs() {
    let (status, said) = ask(
        "callbacks.c",
        "typedef int (*cmp)(const void *, const void *);\nstruct n { int v; struct n *next; };\n\
         struct set { struct n *root; cmp compare; };\nstruct pair { struct n *a, *b; };\n\
         struct n *insert(struct n *list, struct n *one, cmp compare)\n{\n    struct n *p = list, *q = 0;\n\
         \x20   while (p && compare(p, one) < 0) { q = p; p = p->next; }\n    if (!one) return list;\n    one->next = p;\n\
         \x20   if (q) { q->next = one; return list; }\n    return (struct n *)&one->next;\n}\n\
         void member(struct set *s, struct n *one)\n{\n\
         \x20   if (s && one && s->root && s->compare(s->root, one) > 3) s->root->next = (struct n *)s;\n}\n\
         void passed(struct pair p) { if (p.a && p.b) p.a->next = (struct n *)&p.b->next; }\n\
         struct pair returned(struct n *a) { struct pair p; p.a = a; p.b = (struct n *)&a->next; return p; }\n",
        &[],
    );
    assert_eq!((status, said.matches("safe      violated").count()), (1, 4), "{said}");
    assert!(said.contains("compare = a function"), "{said}");
}

/// Programs with one mistake per function. Only the functions called `fine_…` are safe.
const MISTAKES: &[&str] = &[include_str!("integrity_mistakes.c"), include_str!("integrity_layout_mistakes.c")];

#[test]
fn faulty_functions_are_not_safe() {
    let both = |&text: &&'static str| [&[][..], &["--zero-allocation"]].map(|options| (text, options));
    for (text, options) in MISTAKES.iter().flat_map(both) {
        let (_, said) = ask("mistakes.c", text, options);
        for line in said.lines().take_while(|line| !line.is_empty()).skip(1) {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default();
            let safe = words.take(2).filter(|word| *word == "safe").count() == 2;
            let hidden = !options.is_empty() && name.contains("uninitialised") && !name.contains("always");
            assert!(safe == name.starts_with("fine_") || hidden, "{options:?}: {line}");
            assert!(!hidden || !line.contains("violated"), "{options:?}: {line}");
        }
    }
}
