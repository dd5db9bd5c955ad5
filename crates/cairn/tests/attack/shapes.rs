//! Structures that are no plain lists: nested lists, trees, skip lists, tables, buffers. See [`super::structures`] for the
//! notation.

use super::structures::Structure;

/// A list whose nodes have lists of their own.
pub const NESTED: Structure = Structure {
    name: "nested",
    links: &["next"],
    types: "struct inner { struct inner *next; @FIELDS };\nstruct outer { struct outer *next; struct inner *list; };",
    state: "static struct outer *top;",
    functions: "
static struct inner *make(struct inner *next) {
    struct inner *x = malloc(sizeof *x);
    x->next = next;
    @INIT(x)
    return x;
}
static void drop(struct inner *x) {
    @FINI(x)
    free(x);
}
static void push_outer(void) {
    struct outer *o = malloc(sizeof *o);
    o->next = top;
    o->list = 0;
    top = o;
}
static void push(struct outer *o) {
    o->list = make(o->list);
}
static struct outer *find(struct outer *o) {
    while (o && nb())
        o = o->next;
    return o;
}
static void move(struct outer *from, struct outer *to) {
    struct inner *x = from->list;
    if (!x)
        return;
    from->list = x->next;
    x->next = to->list;
    to->list = x;
}
static void use(struct inner *x) {
    @TOUCH(x)
    ;
}
static void clear_inner(struct inner *p) {
    while (p) {
        struct inner *next = p->next;
        drop(p);
        p = next;
    }
}
static void pop_outer(void) {
    struct outer *o = top;
    if (!o)
        return;
    top = o->next;
    clear_inner(o->list);
    free(o);
}
static void visit(void) {
    struct outer *o = top;
    while (o) {
        struct inner *p = o->list;
        while (p) {
            use(p);
            p = p->next;
        }
        o = o->next;
    }
}
",
    build: &[
        "while (nb()) {\n    push_outer();\n    while (nb())\n        push(top);\n}",
        "while (nb()) {\n    push_outer();\n    if (nb())\n        push(top);\n}",
        "push_outer();\npush(top);\npush_outer();\npush(top);",
    ],
    operations: &[
        "struct outer *o = find(top);\nif (o)\n    push(o);",
        "struct outer *o = find(top);\nif (o && top)\n    move(top, o);",
        "pop_outer();",
        "visit();",
        "struct outer *o = find(top);\nif (o) {\n    clear_inner(o->list);\n    o->list = 0;\n}",
    ],
    end: &[
        "while (top)\n    pop_outer();",
        "struct outer *o = top;\nwhile (o) {\n    clear_inner(o->list);\n    struct outer *next = o->next;\n    free(o);\n    o = next;\n}\ntop = 0;",
    ],
};

/// A binary tree.
pub const TREE: Structure = Structure {
    name: "tree",
    links: &["left", "right"],
    types: "struct tree { struct tree *left, *right; @FIELDS };",
    state: "static struct tree *root;",
    functions: "
static struct tree *make(void) {
    struct tree *x = malloc(sizeof *x);
    x->left = 0;
    x->right = 0;
    @INIT(x)
    return x;
}
static void drop(struct tree *x) {
    @FINI(x)
    free(x);
}
static struct tree *grow(void) {
    if (nb())
        return 0;
    struct tree *x = make();
    x->left = grow();
    x->right = grow();
    return x;
}
static void insert(struct tree **at) {
    while (*at) {
        if (nb())
            at = &(*at)->left;
        else
            at = &(*at)->right;
    }
    *at = make();
}
static void remove_leaf(struct tree **at) {
    while (*at && ((*at)->left || (*at)->right)) {
        if ((*at)->left)
            at = &(*at)->left;
        else
            at = &(*at)->right;
    }
    if (*at) {
        drop(*at);
        *at = 0;
    }
}
static void mirror(struct tree *t) {
    if (!t)
        return;
    struct tree *left = t->left;
    t->left = t->right;
    t->right = left;
    mirror(t->left);
    mirror(t->right);
}
static void rotate(void) {
    struct tree *t = root;
    if (!t || !t->left)
        return;
    root = t->left;
    t->left = root->right;
    root->right = t;
}
static void use(struct tree *x) {
    @TOUCH(x)
    ;
}
static void visit(struct tree *t) {
    if (!t)
        return;
    visit(t->left);
    use(t);
    visit(t->right);
}
static struct tree *find(struct tree *t) {
    while (t && nb()) {
        if (nb())
            t = t->left;
        else
            t = t->right;
    }
    return t;
}
static void clear(struct tree *t) {
    if (!t)
        return;
    clear(t->left);
    clear(t->right);
    drop(t);
}
",
    build: &[
        "root = grow();",
        "while (nb())\n    insert(&root);",
        "root = make();\nroot->left = make();\nroot->right = make();",
    ],
    operations: &[
        "insert(&root);",
        "remove_leaf(&root);",
        "mirror(root);",
        "rotate();",
        "visit(root);",
        "struct tree *t = find(root);\nif (t)\n    use(t);",
        "struct tree *t = find(root);\nif (t && !t->left)\n    t->left = make();",
    ],
    end: &["clear(root);\nroot = 0;", "while (root)\n    remove_leaf(&root);"],
};

/// A binary tree whose nodes point to their parents.
pub const PARENTS: Structure = Structure {
    name: "parents",
    links: &["left", "right", "parent"],
    types: "struct tree { struct tree *left, *right, *parent; @FIELDS };",
    state: "static struct tree *root;",
    functions: "
static struct tree *make(struct tree *parent) {
    struct tree *x = malloc(sizeof *x);
    x->left = 0;
    x->right = 0;
    x->parent = parent;
    @INIT(x)
    return x;
}
static void drop(struct tree *x) {
    @FINI(x)
    free(x);
}
static struct tree *grow(struct tree *parent) {
    if (nb())
        return 0;
    struct tree *x = make(parent);
    x->left = grow(x);
    x->right = grow(x);
    return x;
}
static struct tree *down(struct tree *t) {
    while (t->left || t->right) {
        if (t->left && (!t->right || nb()))
            t = t->left;
        else
            t = t->right;
    }
    return t;
}
static void insert(void) {
    if (!root) {
        root = make(0);
        return;
    }
    struct tree *t = root;
    while (t->left && t->right) {
        if (nb())
            t = t->left;
        else
            t = t->right;
    }
    if (!t->left)
        t->left = make(t);
    else
        t->right = make(t);
}
static void use(struct tree *x) {
    @TOUCH(x)
    ;
}
static void up(struct tree *t) {
    while (t) {
        use(t);
        t = t->parent;
    }
}
static void remove_leaf(void) {
    if (!root)
        return;
    struct tree *t = down(root);
    if (!t->parent)
        root = 0;
    else if (t->parent->left == t)
        t->parent->left = 0;
    else
        t->parent->right = 0;
    drop(t);
}
static void clear(struct tree *t) {
    if (!t)
        return;
    clear(t->left);
    clear(t->right);
    drop(t);
}
",
    build: &["root = grow(0);", "while (nb())\n    insert();", "insert();\ninsert();\ninsert();"],
    operations: &[
        "insert();",
        "remove_leaf();",
        "if (root)\n    up(down(root));",
        "if (root && root->left && root->left->parent != root)\n    reach_error();",
    ],
    end: &["clear(root);\nroot = 0;", "while (root)\n    remove_leaf();"],
};

/// A list with a second level of links that skip nodes.
pub const SKIP: Structure = Structure {
    name: "skip",
    links: &["next", "far"],
    types: "struct node { struct node *next, *far; @FIELDS };",
    state: "static struct node *head, *tail;",
    functions: "
static struct node *make(void) {
    struct node *x = malloc(sizeof *x);
    x->next = 0;
    x->far = 0;
    @INIT(x)
    return x;
}
static void drop(struct node *x) {
    @FINI(x)
    free(x);
}
static void start(void) {
    head = make();
    tail = make();
    head->next = tail;
    head->far = tail;
}
static void insert(void) {
    struct node *upper = head;
    while (upper->far != tail && nb())
        upper = upper->far;
    struct node *p = upper;
    while (p->next != upper->far && nb())
        p = p->next;
    struct node *x = make();
    x->next = p->next;
    p->next = x;
    if (nb()) {
        x->far = upper->far;
        upper->far = x;
    }
}
static void use(struct node *x) {
    @TOUCH(x)
    ;
}
static void visit(void) {
    struct node *p = head;
    while (p) {
        use(p);
        p = p->far;
    }
}
static void clear(void) {
    struct node *p = head;
    while (p) {
        struct node *next = p->next;
        drop(p);
        p = next;
    }
    head = 0;
    tail = 0;
}
",
    build: &["start();\nwhile (nb())\n    insert();"],
    operations: &["insert();", "visit();", "if (head->far != tail)\n    use(head->far);"],
    end: &["clear();"],
};

/// A table of lists.
pub const TABLE: Structure = Structure {
    name: "table",
    links: &["next"],
    types: "struct entry { struct entry *next; unsigned key; @FIELDS };",
    state: "static struct entry *table[3];",
    functions: "
static unsigned slot(unsigned key) {
    return key % 3;
}
static void put(unsigned key) {
    struct entry *x = malloc(sizeof *x);
    x->key = key;
    @INIT(x)
    x->next = table[slot(key)];
    table[slot(key)] = x;
}
static void drop(struct entry *x) {
    @FINI(x)
    free(x);
}
static struct entry *find(unsigned key) {
    struct entry *p = table[slot(key)];
    while (p && p->key != key)
        p = p->next;
    return p;
}
static void take(unsigned key) {
    struct entry **at = &table[slot(key)];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    struct entry *x = *at;
    if (!x)
        return;
    *at = x->next;
    drop(x);
}
static void use(struct entry *x) {
    @TOUCH(x)
    ;
}
static void rehash(void) {
    struct entry *all = 0;
    for (int i = 0; i < 3; i++) {
        while (table[i]) {
            struct entry *x = table[i];
            table[i] = x->next;
            x->next = all;
            all = x;
        }
    }
    while (all) {
        struct entry *x = all;
        all = x->next;
        x->next = table[slot(x->key)];
        table[slot(x->key)] = x;
    }
}
static void clear(void) {
    for (int i = 0; i < 3; i++) {
        while (table[i]) {
            struct entry *x = table[i];
            table[i] = x->next;
            drop(x);
        }
    }
}
",
    build: &["while (nb())\n    put((unsigned)nd());", "put(1);\nput(2);\nwhile (nb())\n    put((unsigned)nd());"],
    operations: &[
        "put((unsigned)nd());",
        "take((unsigned)nd());",
        "struct entry *x = find((unsigned)nd());\nif (x)\n    use(x);",
        "rehash();",
    ],
    end: &["clear();"],
};

/// A vector that grows, whose elements own memory.
pub const VECTOR: Structure = Structure {
    name: "vector",
    links: &["extra"],
    types: "struct element { char *extra; @FIELDS };\nstruct vector { int length, room; struct element *at; };",
    state: "static struct vector v;",
    functions: "
static void fill(struct element *x) {
    x->extra = 0;
    @INIT(x)
}
static void drop(struct element *x) {
    free(x->extra);
    @FINI(x)
}
static void start(void) {
    v.length = 0;
    v.room = 2;
    v.at = malloc(2 * sizeof *v.at);
}
static void push(void) {
    if (v.length == v.room) {
        if (v.room >= 8)
            return;
        struct element *more = malloc(2 * v.room * sizeof *more);
        for (int i = 0; i < v.length; i++)
            more[i] = v.at[i];
        free(v.at);
        v.at = more;
        v.room = 2 * v.room;
    }
    fill(&v.at[v.length]);
    v.length++;
}
static void pop(void) {
    if (v.length == 0)
        return;
    v.length--;
    drop(&v.at[v.length]);
}
static void use(struct element *x) {
    if (!x->extra)
        x->extra = malloc(2);
    x->extra[1] = 1;
    @TOUCH(x)
}
static void clear(void) {
    for (int i = 0; i < v.length; i++)
        drop(&v.at[i]);
    free(v.at);
    v.at = 0;
    v.length = 0;
}
",
    build: &["start();\nwhile (nb())\n    push();", "start();\npush();\npush();\npush();"],
    operations: &[
        "push();",
        "pop();",
        "int i = nd();\nif (i >= 0 && i < v.length)\n    use(&v.at[i]);",
        "for (int i = 0; i < v.length; i++)\n    use(&v.at[i]);",
    ],
    end: &["clear();", "while (v.length > 0)\n    pop();\nfree(v.at);\nv.at = 0;"],
};

/// Buffers with their lengths, in a list.
pub const BUFFERS: Structure = Structure {
    name: "buffers",
    links: &["next", "bytes"],
    types: "struct chunk { int length; char *bytes; @FIELDS struct chunk *next; };",
    state: "static struct chunk *chunks;",
    functions: "
static void add(int length) {
    if (length < 1 || length > 4)
        length = 2;
    struct chunk *x = malloc(sizeof *x);
    x->length = length;
    x->bytes = malloc(length);
    @INIT(x)
    x->next = chunks;
    chunks = x;
}
static void drop(struct chunk *x) {
    free(x->bytes);
    @FINI(x)
    free(x);
}
static void wipe(struct chunk *x) {
    for (int i = 0; i < x->length; i++)
        x->bytes[i] = 0;
    @TOUCH(x)
}
static void resize(struct chunk *x, int length) {
    if (length < 1 || length > 4)
        return;
    free(x->bytes);
    x->bytes = malloc(length);
    x->length = length;
}
static void swap(struct chunk *a, struct chunk *b) {
    char *bytes = a->bytes;
    a->bytes = b->bytes;
    b->bytes = bytes;
    int length = a->length;
    a->length = b->length;
    b->length = length;
}
static struct chunk *find(struct chunk *p, int length) {
    while (p && p->length != length)
        p = p->next;
    return p;
}
static void clear(void) {
    while (chunks) {
        struct chunk *x = chunks;
        chunks = x->next;
        drop(x);
    }
}
",
    build: &["while (nb())\n    add(nd());", "add(1);\nadd(nd());"],
    operations: &[
        "if (chunks)\n    wipe(chunks);",
        "if (chunks)\n    resize(chunks, nd());",
        "if (chunks && chunks->next)\n    swap(chunks, chunks->next);",
        "struct chunk *p = chunks;\nwhile (p) {\n    wipe(p);\n    p = p->next;\n}",
        "struct chunk *p = find(chunks, 3);\nif (p)\n    p->bytes[2] = 1;",
    ],
    end: &["clear();"],
};
