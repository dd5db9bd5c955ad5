//! `cairn check --engine integrity` on functions that free nodes: those that use one again are not safe in M.

mod support;

use std::fs;

use support::{cairn_check, finish, scratch};

/// Functions whose names start with `bad_` use or free a node after it was freed.
const FUNCTIONS: &str = "\
extern void free(void *);
struct node { struct node *next; int v; };
struct pair { struct node *head; };
static void del(struct node *n) { free(n); }
static void del_twice_removed(struct node *n, int c) { if (c) { struct node *copy = n; del(copy); } }
void fine_release(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
struct node *fine_drop(struct node *l) { if (!l) return 0; struct node *n = l->next; del(l); return n; }
int fine_next(struct node *p) { if (!p) return 0; struct node *n = p->next; free(p); return n ? n->v : 0; }
int fine_either(struct node *p, int c) { if (!p) return 0; if (c) free(p); if (!c) return p->v; return 0; }
int fine_again(struct node *p, int n) { while (n-- > 0 && p) { struct node *next = p->next; del(p); p = next; } return p ? p->v : 0; }
int bad_loop(struct node *p, int n) { free(p); int s = 0; while (n-- > 0) s += p->v; return s; }
int bad_callee(struct node *p) { if (!p) return 0; del(p); return p->v; }
int bad_deep(struct node *p, int c) { if (!p) return 0; del_twice_removed(p, c); return p->v; }
int bad_alias(struct node *p, struct node *q) { if (!p) return 0; if (p == q) { free(p); return q->v; } return 0; }
int bad_link(struct pair *x) { if (!x || !x->head) return 0; free(x->head); return x->head->v; }
void bad_twice(struct node *p) { free(p); free(p); }
void bad_twice_in_callee(struct node *p) { del(p); free(p); }
void bad_passed(struct node *p) { free(p); fine_release(p); }
int bad_slot(struct node *p, int n) { struct node *q = p; struct node **h = &q; free(p); int s = 0; while (n-- > 0) s += (*h)->v; return s; }
void bad_release(struct node *l) { while (l) { free(l); l = l->next; } }
int bad_released(struct node *l) { if (!l) return 0; fine_release(l); return l->v; }
int bad_walk(struct node *l) { int s = 0; struct node *p = l; while (p) { if (p->v) del(p); s += p->v; p = p->next; } return s; }
int bad_later(struct node *p, int n) { struct node *q = p; while (n-- > 0) { if (n == 3 && p) { free(p); p = 0; } } return q ? q->v : 0; }
";

#[test]
fn functions_that_use_freed_nodes_are_not_safe() {
    let file = scratch("integrity-freed").join("freed.c");
    fs::write(&file, FUNCTIONS).expect("the target folder is writable");
    let said = finish(cairn_check().args(["--engine", "integrity"]).arg(&file));
    let rows: Vec<&str> = said.stdout.lines().take_while(|line| !line.is_empty()).skip(1).collect();
    assert_eq!(rows.len(), 20, "{}", said.stdout);
    for row in rows {
        let mut words = row.split_whitespace();
        let (name, memory) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        assert_ne!(memory, "violated", "{row}");
        assert_eq!(memory == "safe", !name.starts_with("bad_"), "{row}\n{}", said.stdout);
    }
}

/// Functions on arrays of nodes, whose lengths no type declares.
const ARRAYS: &str = "\
struct obj { int k; };
struct stack { struct obj *begin, *end, *top; };
struct array { struct obj *items; int count; };
struct few { struct obj items[4]; int n; };
int push(struct stack *s, int k) { if (s->top == s->end) return -1; s->top->k = k; s->top++; return 0; }
int pop(struct stack *s) { --s->top; return s->top->k; }
int get(struct array *v, int i) { if (i < 0 || i >= v->count) return 0; return v->items[i].k; }
int sum(struct array *v) { int s = 0; for (int i = 0; i < v->count; i++) s += v->items[i].k; return s; }
struct obj *last(struct few *a) { return &a->items[a->n - 1]; }
int last_key(struct few *a) { return a->items[a->n - 1].k; }
";

#[test]
fn lengths_that_no_type_declares_are_not_violations() {
    let file = scratch("integrity-lengths").join("arrays.c");
    fs::write(&file, ARRAYS).expect("the target folder is writable");
    let said = finish(cairn_check().args(["--engine", "integrity"]).arg(&file));
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(!said.stdout.contains("violated"), "{}", said.stdout);
}
