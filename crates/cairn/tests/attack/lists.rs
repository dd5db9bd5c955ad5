//! Structures that are lists. See [`super::structures`] for the notation.

use super::structures::Structure;

/// Singly linked, with a pointer to the first node.
pub const SINGLY: Structure = Structure {
    name: "singly",
    links: &["next"],
    types: "struct node { struct node *next; @FIELDS };",
    state: "static struct node *head, *other;",
    functions: "
static struct node *make(void) {
    struct node *x = malloc(sizeof *x);
    x->next = 0;
    @INIT(x)
    return x;
}
static void drop(struct node *x) {
    @FINI(x)
    free(x);
}
static void push(struct node **at) {
    struct node *x = make();
    x->next = *at;
    *at = x;
}
static void append(struct node **at) {
    while (*at)
        at = &(*at)->next;
    *at = make();
}
static void pop(struct node **at) {
    struct node *x = *at;
    if (!x)
        return;
    *at = x->next;
    drop(x);
}
static struct node *find(struct node *p) {
    while (p && nb())
        p = p->next;
    return p;
}
static void insert_after(struct node *p) {
    if (!p)
        return;
    struct node *x = make();
    x->next = p->next;
    p->next = x;
}
static void remove_after(struct node *p) {
    if (!p || !p->next)
        return;
    struct node *x = p->next;
    p->next = x->next;
    drop(x);
}
static struct node *reverse(struct node *p) {
    struct node *done = 0;
    while (p) {
        struct node *next = p->next;
        p->next = done;
        done = p;
        p = next;
    }
    return done;
}
static void splice(void) {
    struct node **at = &head;
    while (*at)
        at = &(*at)->next;
    *at = other;
    other = 0;
}
static void move(void) {
    struct node *x = head;
    if (!x)
        return;
    head = x->next;
    x->next = other;
    other = x;
}
static void filter(struct node **at) {
    while (*at) {
        struct node *x = *at;
        if (nb()) {
            *at = x->next;
            drop(x);
        } else {
            at = &x->next;
        }
    }
}
static void visit(struct node *p, void (*f)(struct node *)) {
    while (p) {
        f(p);
        p = p->next;
    }
}
static void use(struct node *x) {
    @TOUCH(x)
    ;
}
static void clear(struct node *p) {
    while (p) {
        struct node *next = p->next;
        drop(p);
        p = next;
    }
}
static void clear_rec(struct node *p) {
    if (!p)
        return;
    clear_rec(p->next);
    drop(p);
}
static int count(struct node *p) {
    return p ? 1 + count(p->next) : 0;
}
",
    build: &[
        "while (nb())\n    push(&head);",
        "push(&head);\nwhile (nb())\n    append(&head);",
        "if (nb()) {\n    push(&head);\n    push(&head);\n}",
    ],
    operations: &[
        "push(&other);",
        "pop(&head);",
        "insert_after(find(head));",
        "remove_after(find(head));",
        "head = reverse(head);",
        "splice();",
        "while (nb())\n    move();",
        "filter(&head);",
        "visit(head, use);",
        "struct node *kept = find(head);\nif (kept)\n    use(kept);",
        "if (count(head) < 0)\n    reach_error();",
    ],
    end: &[
        "clear(head);\nhead = 0;\nclear(other);\nother = 0;",
        "clear_rec(head);\nhead = 0;\nwhile (other)\n    pop(&other);",
        "splice();\nclear(head);\nhead = 0;",
    ],
};

/// Doubly linked, ended by null pointers.
pub const DOUBLY: Structure = Structure {
    name: "doubly",
    links: &["next", "prev"],
    types: "struct node { struct node *next, *prev; @FIELDS };",
    state: "static struct node *head, *tail;",
    functions: "
static struct node *make(void) {
    struct node *x = malloc(sizeof *x);
    x->next = 0;
    x->prev = 0;
    @INIT(x)
    return x;
}
static void drop(struct node *x) {
    @FINI(x)
    free(x);
}
static void push_front(void) {
    struct node *x = make();
    x->next = head;
    if (head)
        head->prev = x;
    else
        tail = x;
    head = x;
}
static void push_back(void) {
    struct node *x = make();
    x->prev = tail;
    if (tail)
        tail->next = x;
    else
        head = x;
    tail = x;
}
static void insert_after(struct node *p) {
    struct node *x = make();
    x->next = p->next;
    x->prev = p;
    if (p->next)
        p->next->prev = x;
    else
        tail = x;
    p->next = x;
}
static void unlink(struct node *x) {
    if (x->prev)
        x->prev->next = x->next;
    else
        head = x->next;
    if (x->next)
        x->next->prev = x->prev;
    else
        tail = x->prev;
    drop(x);
}
static struct node *find(struct node *p) {
    while (p && nb())
        p = p->next;
    return p;
}
static struct node *find_back(struct node *p) {
    while (p && nb())
        p = p->prev;
    return p;
}
static void reverse(void) {
    struct node *p = head;
    while (p) {
        struct node *next = p->next;
        p->next = p->prev;
        p->prev = next;
        p = next;
    }
    p = head;
    head = tail;
    tail = p;
}
static void use(struct node *x) {
    @TOUCH(x)
    ;
}
static void clear(void) {
    while (head) {
        struct node *next = head->next;
        drop(head);
        head = next;
    }
    tail = 0;
}
static void clear_back(void) {
    struct node *p = tail;
    while (p) {
        struct node *prev = p->prev;
        drop(p);
        p = prev;
    }
    head = tail = 0;
}
",
    build: &[
        "while (nb())\n    push_front();",
        "while (nb())\n    push_back();",
        "push_back();\npush_front();\nwhile (nb())\n    push_back();",
    ],
    operations: &[
        "struct node *p = find(head);\nif (p)\n    insert_after(p);",
        "struct node *p = find(head);\nif (p)\n    unlink(p);",
        "struct node *p = find_back(tail);\nif (p)\n    unlink(p);",
        "if (head)\n    unlink(head);",
        "if (tail)\n    unlink(tail);",
        "reverse();",
        "struct node *p = find_back(tail);\nif (p)\n    use(p);",
        "struct node *p = head;\nwhile (p) {\n    use(p);\n    p = p->next;\n}",
        "struct node *p = head;\nwhile (p) {\n    if (p->next && p->next->prev != p)\n        reach_error();\n    p = p->next;\n}",
    ],
    end: &["clear();", "clear_back();", "while (head)\n    unlink(head);", "while (tail)\n    unlink(tail);"],
};

/// A circle of nodes, with a pointer to the last one.
pub const CIRCULAR: Structure = Structure {
    name: "circular",
    links: &["next"],
    types: "struct node { struct node *next; @FIELDS };",
    state: "static struct node *last;",
    functions: "
static struct node *make(void) {
    struct node *x = malloc(sizeof *x);
    x->next = x;
    @INIT(x)
    return x;
}
static void drop(struct node *x) {
    @FINI(x)
    free(x);
}
static void push(void) {
    struct node *x = make();
    if (last) {
        x->next = last->next;
        last->next = x;
    } else {
        last = x;
    }
}
static void pop(void) {
    if (!last)
        return;
    struct node *x = last->next;
    if (x == last)
        last = 0;
    else
        last->next = x->next;
    drop(x);
}
static void rotate(void) {
    if (last)
        last = last->next;
}
static void use(struct node *x) {
    @TOUCH(x)
    ;
}
static void visit(void) {
    if (!last)
        return;
    struct node *p = last->next;
    while (p != last) {
        use(p);
        p = p->next;
    }
    use(last);
}
static void clear(void) {
    if (!last)
        return;
    struct node *p = last->next;
    while (p != last) {
        struct node *next = p->next;
        drop(p);
        p = next;
    }
    drop(last);
    last = 0;
}
",
    build: &["while (nb())\n    push();", "push();\npush();\nwhile (nb())\n    push();"],
    operations: &["pop();", "while (nb())\n    rotate();", "rotate();\npush();", "visit();", "rotate();\npop();"],
    end: &["clear();", "while (last)\n    pop();"],
};

/// A circle of links inside items, with a head that is no item.
pub const INTRUSIVE: Structure = Structure {
    name: "intrusive",
    links: &["next", "prev"],
    types: "struct link { struct link *next, *prev; };\nstruct item { @FIELDS struct link link; };",
    state: "static struct link head, other;",
    functions: "
static struct item *of(struct link *l) {
    return (struct item *)((char *)l - __builtin_offsetof(struct item, link));
}
static struct item *make(void) {
    struct item *x = malloc(sizeof *x);
    @INIT(x)
    return x;
}
static void drop(struct item *x) {
    @FINI(x)
    free(x);
}
static void start(struct link *h) {
    h->next = h;
    h->prev = h;
}
static void insert(struct link *x, struct link *h) {
    x->next = h->next;
    x->prev = h;
    h->next->prev = x;
    h->next = x;
}
static void insert_last(struct link *x, struct link *h) {
    x->next = h;
    x->prev = h->prev;
    h->prev->next = x;
    h->prev = x;
}
static void take(struct link *x) {
    x->next->prev = x->prev;
    x->prev->next = x->next;
}
static void move(void) {
    struct link *l = head.next;
    if (l == &head)
        return;
    take(l);
    insert_last(l, &other);
}
static void splice(void) {
    if (other.next == &other)
        return;
    other.next->prev = &head;
    other.prev->next = head.next;
    head.next->prev = other.prev;
    head.next = other.next;
    start(&other);
}
static void use(struct item *x) {
    @TOUCH(x)
    ;
}
static void visit(struct link *h) {
    for (struct link *l = h->next; l != h; l = l->next)
        use(of(l));
}
static void filter(struct link *h) {
    struct link *l = h->next;
    while (l != h) {
        struct link *next = l->next;
        if (nb()) {
            take(l);
            drop(of(l));
        }
        l = next;
    }
}
static void clear(struct link *h) {
    while (h->next != h) {
        struct item *x = of(h->next);
        take(&x->link);
        drop(x);
    }
}
",
    build: &[
        "start(&head);\nstart(&other);\nwhile (nb())\n    insert(&make()->link, &head);",
        "start(&head);\nstart(&other);\nwhile (nb())\n    insert_last(&make()->link, &head);",
    ],
    operations: &[
        "move();",
        "move();\nsplice();",
        "visit(&head);",
        "filter(&head);",
        "while (nb())\n    move();",
        "insert(&make()->link, &other);",
    ],
    end: &["clear(&head);\nclear(&other);", "splice();\nclear(&head);"],
};

/// A queue with pointers to its first and its last node.
pub const QUEUE: Structure = Structure {
    name: "queue",
    links: &["next"],
    types: "struct node { struct node *next; @FIELDS };\nstruct queue { struct node *first, *last; int length; };",
    state: "static struct queue *q;",
    functions: "
static void put(struct queue *q) {
    struct node *x = malloc(sizeof *x);
    @INIT(x)
    x->next = 0;
    if (q->last)
        q->last->next = x;
    else
        q->first = x;
    q->last = x;
    q->length++;
}
static void drop(struct node *x) {
    @FINI(x)
    free(x);
}
static void get(struct queue *q) {
    struct node *x = q->first;
    if (!x)
        return;
    q->first = x->next;
    if (!q->first)
        q->last = 0;
    q->length--;
    drop(x);
}
static void use(struct node *x) {
    @TOUCH(x)
    ;
}
static void fail(struct queue *q) {
    while (q->first)
        get(q);
    free(q);
    @END
    exit(1);
}
",
    build: &["q = malloc(sizeof *q);\nq->first = 0;\nq->last = 0;\nq->length = 0;\nwhile (nb())\n    put(q);"],
    operations: &[
        "get(q);",
        "while (q->first && nb())\n    get(q);",
        "if (q->last)\n    use(q->last);",
        "if (nb())\n    fail(q);",
        "put(q);\nget(q);",
        "if (q->length == 0 && q->first)\n    reach_error();",
    ],
    end: &["while (q->first)\n    get(q);\nfree(q);\nq = 0;", "while (q->length > 0)\n    get(q);\nfree(q);\nq = 0;"],
};
