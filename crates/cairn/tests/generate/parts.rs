//! The building blocks of generated programs: C with holes.
//!
//! `$K` is the number of the part, `$N` a small number, `$B` the same number or, in a risky program, one next to it, `$T` and `$U` are
//! integer types. Every `$E` is an integer expression over inputs, every `$G` an input, every `$F` an input that covers all values of
//! most types, and every `$Q` a condition that some input meets. `[[fine||faulty]]` is a position for a fault. A program with a planted
//! fault has the faulty side at exactly one position. Text before the first line `---` goes to the top of the file.

/// All parts.
pub const PARTS: &[&str] = &[
    // An array of nondeterministic length.
    "static void part$K(void) {
        $T n = $G; if (n < 1 || n > $N) return;
        $U *a = malloc((unsigned long)n * sizeof *a);
        for (int i = 0; i [[<||<=]] n; i++) a[i] = ($U)$F;
        long at = (long)$F;
        if (at >= 0 && at < n [[&&||||]] $G) a[at]++;
        long sum = 0;
        for ($U *p = a; p != a + n; p++) sum += *p;
        if (sum == 1) a[[[n - 1||n]]] = 0;
        [[free(a);||if (!($Q)) free(a);]]
    }",
    // A list that loses and gets nodes.
    "struct node$K { $T value; struct node$K *next; };
    ---
    static void part$K(void) {
        struct node$K *list = 0;
        for (int i = 0; i < $N && $G; i++) {
            struct node$K *node = malloc(sizeof *node);
            node->value = ($T)$F; node->next = list; list = node;
        }
        for (struct node$K **link = &list; *link; ) {
            struct node$K *node = *link;
            if (node->value == 3) { *link = node->next; [[free(node);||if (!($Q)) free(node);]] }
            else link = &node->next;
        }
        [[||if ($Q) { if (list->value) list->value = 0; }]]
        while (list) {
            struct node$K *next = list->next;
            free(list);
            [[||if (($Q) && next) next->next->value = 1;]]
            list = [[next||($Q) && next ? next->next : next]];
        }
        [[||if ($Q) free(list = malloc(1)), free(list);]]
    }",
    // A list with links in both directions, cyclic.
    "struct ring$K { struct ring$K *next, *before; $T value; };
    ---
    static void part$K(void) {
        struct ring$K *head = calloc(1, sizeof *head);
        head->next = head->before = head;
        int n = 0;
        while (n < $N && $G) {
            struct ring$K *one = malloc(sizeof *one);
            one->value = ($T)n++;
            one->before = head->before; one->next = head;
            head->before->next = one; head->before = one;
        }
        if (head->next != head && $G) {
            struct ring$K *gone = head->next;
            gone->before->next = gone->next; gone->next->before = gone->before;
            [[||if ($Q) free(gone->before == head ? gone : 0);]]
            free(gone);
            [[||if (($Q) && gone->value) return;]]
        }
        struct ring$K *at = head->next;
        while (at != head) { struct ring$K *next = at->next; [[free(at);||if (!($Q)) free(at);]] at = next; }
        free(head);
    }",
    // Bit-fields as indices.
    "struct bits$K { unsigned a : 3; int b : 4; unsigned char c; short d : 9; struct { unsigned e : 2; } in; };
    ---
    static void part$K(void) {
        struct bits$K *s = malloc(sizeof *s);
        s->a = ($E); s->b = ($E); s->c = $F; s->d = ($E); s->in.e = $F;
        $T table[8 + $N - $B] = { 1 };
        table[s->a & (8 + $N - $B > 7 ? 7 : 3)] = 2;
        int *room = malloc(16 * sizeof *room);
        room[s->b + 8] = 1;
        room[s->in.e * 4 + [[3||5]]] = s->d;
        s->a = s->a + 1; s->d--;
        if (s->a == 0 && s->c > 250) room[s->a] = s->c;
        [[||if ($Q) room[s->c & 16] = 0;]]
        free(room);
        free(s);
    }",
    // One memory, several views.
    "union view$K { int whole; unsigned char bytes[4]; struct { short low, high; } half; void *pointer; };
    ---
    static void part$K(void) {
        union view$K v = { 0 };
        v.whole = (int)$F;
        char *room = malloc(32);
        room[v.bytes[1] & 31] = 1;
        v.half.high = 0;
        unsigned at = v.whole;
        if (at < 32 [[||+ (($Q) != 0)]]) room[at] = 2;
        v.pointer = room;
        union view$K w = v;
        ((char *)w.pointer)[[[31||31 + (($Q) != 0)]]] = 3;
        w.bytes[0] = 0;
        free(v.pointer);
        [[||if ($Q) free(v.pointer);]]
    }",
    // Growing with realloc.
    "static void part$K(void) {
        int size = 1, used = 0;
        $T *a = malloc(size * sizeof *a);
        while (used < $N && $G) {
            if (used == size) { size = size + $N / 2 + 1; a = realloc(a, size * sizeof *a); }
            a[used++] = ($T)($E);
        }
        [[||if ($Q) { $T *old = a; a = realloc(a, (size + 50) * sizeof *a); old[0] = 1; }]]
        for (int i = used - 1; i >= [[0||-1]]; i--) a[i] = 0;
        if (used > $N) a[$N + 100] = 0;
        [[free(a);||a = realloc(a, 100); if (!($Q)) free(a);]]
    }",
    // Copies of nondeterministic length.
    "static void part$K(void) {
        unsigned char n = (unsigned char)$F; if (n > 2 * $N) n = 2 * $N;
        char *from = calloc(2 * $N + 1, 1), *to = malloc(2 * $B + [[1||0]]);
        memset(to, (int)($E), $N);
        memcpy(to, from, n [[||+ 2 * (($Q) != 0)]]);
        memmove(from + 1, from, n);
        if (memcmp(from, to, $N) == 0) to[n] = 1;
        [[||if ($Q) memset(to + n, 0, 2 * $N + 2 - n);]]
        free(from);
        free([[to||($Q) ? from : to]]);
    }",
    // Addresses as integers.
    "static void part$K(void) {
        $T *a = malloc(8 * sizeof *a);
        unsigned long tagged = (unsigned long)a; if ($G) tagged |= 1;
        unsigned tag = tagged & 7;
        $T *b = ($T *)(tagged & ~7ul);
        b[tag] = 1;
        char *bytes = (char *)b;
        unsigned i = (unsigned)$F % [[8||9]];
        *($T *)(bytes + i * sizeof($T)) = 2;
        b += i;
        [[||if ($Q) b[8 - i] = 0;]]
        if (b - a != i) a[100] = 0;
        if ((unsigned long)b < (unsigned long)a) a[100] = 0;
        if (b >= a && b < a + 8) *b = 3;
        void *kept; memcpy(&kept, &a, sizeof a);
        if (kept != a) a[101] = 1;
        free([[kept||($Q) ? (void *)tagged : (void *)((char *)kept + 8)]]);
    }",
    // Structs by value, with pointers in them.
    "struct pair$K { $T first; int *second; char room[5]; };
    static struct pair$K make$K($T first) {
        struct pair$K p = { first, malloc(sizeof(int) * $N), { 0 } };
        p.second[0] = first; return p;
    }
    static int use$K(struct pair$K p, int i) { p.room[i] = 1; return p.second[0] + p.room[i]; }
    ---
    static void part$K(void) {
        struct pair$K p = make$K(($T)($E)), copies[2], *q = malloc(sizeof *q);
        int i = $F; if (i < 0 || i > [[4||30]]) i = 0;
        copies[i & 1] = p; *q = copies[i & 1];
        use$K(*q, i); use$K(copies[i & 1], 4);
        q->second[[[$B - 1||$N]]] = 0;
        [[||if ($Q) free(copies[i & 1].second);]]
        [[free(q->second);||if (!($Q)) free(q->second);]]
        [[||if ($Q) use$K(p, 0);]]
        free(q);
    }",
    // Recursion over a tree.
    "struct tree$K { struct tree$K *left, *right; $T value; };
    static struct tree$K *grow$K(int depth) {
        if (depth == 0 || !$G) return 0;
        struct tree$K *t = malloc(sizeof *t);
        t->left = grow$K(depth - 1); t->right = [[grow$K(depth - 1)||($Q) ? t->left : grow$K(depth - 1)]];
        t->value = 1; return t;
    }
    static int sum$K(struct tree$K *t) { return [[t == 0||t == 0 && $G]] ? 0 : t->value + sum$K(t->left) + sum$K(t->right); }
    static void fell$K(struct tree$K *t) {
        if (!t) return;
        fell$K(t->left); [[fell$K(t->right)||if (!($Q)) fell$K(t->right)]]; free(t);
    }
    ---
    static void part$K(void) { struct tree$K *t = grow$K(2); int n = sum$K(t); fell$K(t); if (n > 3) { t = malloc(1); fell$K(0); free(t); } }",
    // Pointers to functions.
    "static int one$K(int *p) { return *p; }
    static int two$K(int *p) { *p += 1; return 2; }
    static int three$K(int *p) { [[||if ($Q) free(p);]] return p != 0; }
    static int (*const table$K[3])(int *) = { one$K, two$K, three$K };
    ---
    static void part$K(void) {
        int *p = malloc(sizeof *p); *p = $G;
        unsigned i = (unsigned)$F % [[3||4]];
        int (*f)(int *) = $G ? table$K[i] : [[one$K||($Q) ? 0 : one$K]];
        int r = f(p);
        if (f == two$K && r != 2) p[9] = 0;
        if ((f == one$K) + (f == two$K) + (f == three$K) != 1) p[9] = 0;
        [[||if ((f == two$K) && ($Q)) p = 0;]]
        [[*p = r||*(r || !($Q) ? p : p + 1) = r]];
        free(p);
    }",
    // A switch in a loop, with a way out.
    "static void part$K(void) {
        int state = 0, steps = 0; char *a = 0, *b = 0;
      again:
        if (steps++ > $N) goto out;
        switch (state) {
        case 0: a = malloc($N); state = $G & 3; goto again;
        case 1: if (!b) b = malloc($N); b[0] = a[0] = 1; state = 2; goto again;
        case 2: if ($G) { free(a); a = 0; state = 3; } else state = 1; goto again;
        case 3: if (a) a[$B - 1] = 2; [[||if ($Q) a[0] = 1;]] break;
        default: a[1000] = 1;
        }
      out:
        [[free(b);||if (b && !($Q)) free(b);]]
        [[free(a);||if (a) free(a); if (b && ($Q)) free(b);]]
    }",
    // Arrays of nondeterministic size on the stack.
    "static void part$K(void) {
        unsigned n = $G; if (n < 1 || n > $N) n = $N;
        $T vla[n];
        $U *more = __builtin_alloca(n * sizeof *more);
        for (unsigned i = 0; i < n; i++) { vla[i] = 1; more[i] = ($U)$F; }
        unsigned char at = more[n - 1];
        if (at < [[n||$N]] [[||+ 1]]) vla[at] = 2;
        if (sizeof vla / sizeof *vla != n) vla[n] = 1;
        more[[[n - 1||n - (!($Q))]]] = 0;
        [[||if ($Q) free(more);]]
    }",
    // Addresses that leave their block.
    "static int *kept$K;
    static void keep$K(int *p) { kept$K = p; }
    ---
    static void part$K(void) {
        int outer = 0, *p = &outer;
        for (int i = 0; i < $N; i++) {
            int inner = i; keep$K(&inner);
            *kept$K += (int)$G & 1;
            if (inner > i + 1) *(int *)0 = 1;
            p = [[&outer||($Q) ? &inner : &outer]];
        }
        *p = 1;
        [[keep$K(p)||if ($Q) *kept$K = 2; else keep$K(p)]];
        *kept$K = 3;
        { short q[2] = { 0 }; p = (int *)(void *)q; *p = 4; if (q[0] != 4) q[2] = 1; }
        [[p = &outer||p = ($Q) ? p : &outer]];
        *p = 5;
        kept$K = 0;
    }",
    // Strings.
    "static void part$K(void) {
        char text[$N + 1], *copy;
        for (int i = 0; i < $N; i++) text[i] = (char)$G;
        text[$N] = [[0||(char)$G]];
        unsigned long n = strlen(text);
        if (n > $N) text[$N + 1] = 0;
        copy = malloc(n + [[1||0]]);
        strcpy(copy, text);
        copy[n / 2] = 'x';
        if (strcmp(copy, text) != 0 && n) copy[n - 1] = [[0||copy[n + 1]]];
        [[||if ($Q) copy = strchr(copy, 0) + 1;]]
        free(copy);
    }",
    // A store of pointers in a global.
    "static struct { $T key; char *value; } store$K[$N]; static int used$K;
    static void put$K($T key) {
        if (used$K == [[$N||$N + 1]]) return;
        store$K[used$K].key = key; store$K[used$K++].value = malloc($N);
    }
    static char *get$K($T key) { for (int i = 0; i < used$K; i++) if (store$K[i].key == key) return store$K[i].value; return 0; }
    ---
    static void part$K(void) {
        used$K = 0;
        for (int i = 0; i <= $N; i++) put$K(($T)i);
        $T key = ($T)$F;
        char *v = get$K(key);
        [[if (v)||if (v || ($Q))]] v[$B - 1] = 1;
        [[||if (v && ($Q)) free(v);]]
        [[||if (v && ($Q)) { store$K[0].value = store$K[used$K - 1].value; }]]
        while (used$K > 0) { free(store$K[--used$K].value); store$K[used$K].value = 0; }
    }",
    // Indices from arithmetic of every width.
    "static $T grid$K[$N][4];
    ---
    static void part$K(void) {
        $T i = ($T)($E); $U j = ($U)$F; long long w = __VERIFIER_nondet_long();
        if (i >= 0 && i < $B) grid$K[i][j & 3] = 1;
        int m = (int)(w % $N);
        if (m [[>= 0||> -2]]) grid$K[m][(unsigned long long)w >> 62] = 2;
        unsigned short s = (unsigned short)(j + 1);
        (&grid$K[0][0])[s % (4 * $N [[||+ 1]])] = 3;
        signed char c = (signed char)$F;
        if (c < 0) c = ~c;
        if (c / 32 < $N) grid$K[c / 32 [[||+ (c == 40 ? $N : 0)]]][c & 3] = 4;
        int neg = -(int)(unsigned char)j;
        if (neg > [[-$N||-$N - 1]]) grid$K[-neg][0] = 5;
        _Bool b = $F; grid$K[$N - 1][b + [[2||3]] - (4 * $N < 8)] = 6;
    }",
    // Variable arguments.
    "static int total$K(int n, ...) {
        __builtin_va_list args; __builtin_va_start(args, n);
        int sum = 0;
        while (n-- > 0) { int *p = __builtin_va_arg(args, int *); sum += *p; }
        __builtin_va_end(args); return sum;
    }
    ---
    static void part$K(void) {
        int a = $F & 3, b = 1, *c = malloc(sizeof *c), *none = 0; *c = 2;
        int sum = total$K([[2||2 + (($Q) != 0)]], &a, c);
        int room[6]; room[sum] = 0;
        sum = total$K(1 + (sum > 3), &b, [[c||($Q) ? none : c]]);
        [[||if ($Q) { free(c); total$K(1, c); }]]
        free(c);
    }",
    // Order, equality and distance of pointers.
    "static void part$K(void) {
        int a[$N], b[$N], *end = a + $N, *p;
        for (p = a; p < [[end||end + 1]]; p++) *p = 0;
        p = $G ? a : b;
        int *q = $G ? p + $N - 1 : &a[0];
        if (p == q) *p = 1;
        if (q == a && p == b) *q = 2;
        if (p == a && q >= p) p[q - p] = 3;
        if (p == a) end[-1] = 4; else end = [[b + $N - 1||b + $N]];
        if (p == b) *end = 5;
        char **heap = malloc(2 * sizeof *heap);
        heap[0] = malloc(1); heap[1] = heap[0];
        if (heap[0] == heap[1]) heap[0] = 0;
        [[free(heap[1]);||if (heap[0] || !($Q)) free(heap[1]);]]
        free([[heap||heap + (($Q) != 0)]]);
    }",
    // Zeroed memory, doubly indirect, swapped.
    "struct box$K { struct box$K *inner; $T count; char flag; };
    static void swap$K(struct box$K **a, struct box$K **b) { struct box$K *t = *a; *a = *b; *b = t; }
    ---
    static void part$K(void) {
        struct box$K *x = calloc(2, sizeof *x), *y = calloc(1, sizeof *y);
        if (x[1].inner != 0 || y->count) x[7].flag = 1;
        y->inner = &x[1]; x->count = ($T)$F;
        if ($G) swap$K(&x, &y);
        struct box$K *in = x->inner ? x->inner : y->inner;
        in->flag = 2;
        if (x->inner) swap$K(&x, &y);
        x[1].flag += x[1].inner == 0;
        if (x[1].flag != 3) x[2].flag = 0;
        [[||x[($Q) ? 2 : 1].flag = 0;]]
        y->inner = 0;
        free(y);
        [[||if ($Q) y->inner = x;]]
        [[free(x);||if (($Q) && x->count == 5) x = 0; free(x);]]
    }",
    // Events without end, in few states.
    "static void part$K(void) {
        int open = 0; $T mode = 0; char *a = 0, *b = 0;
        while ($G) {
            switch ((unsigned)$F % 6) {
            case 0: if (!open) { a = malloc($N); a[0] = 1; open = 1; } break;
            case 1: if (open && mode == 2) a[[[$B - 1||$N]]] = 2; break;
            case 2: mode = open ? 2 : 0; break;
            case 3: if (open && !b) { b = a; a = [[malloc($N)||($Q) ? 0 : malloc($N)]]; a[0] = 0; } break;
            case 4: free(b); [[b = 0;||if (!($Q)) b = 0;]] break;
            default: if (mode == 2 && open) { mode = 1; [[||if (b && ($Q)) free(a);]] }
            }
            if (mode == 1) { free(a); a = 0; open = 0; mode = 0; }
        }
        [[free(b);||if (open) free(b);]]
        free(a);
    }",
    // Indices that are looked up, exchanged and followed.
    "static void part$K(void) {
        unsigned char next[4] = { 1, 2, 3, 0 }, at = (unsigned char)$F & 3, other = (unsigned char)$F & 3;
        int room[4 + $N] = { 0 };
        unsigned char t = next[at]; next[at] = next[other]; next[other] = t;
        for (int i = 0; i < 3; i++) { at = next[at]; room[at] += i; }
        if (room[0] + room[1] + room[2] + room[3] != 3) room[1000] = 1;
        room[next[other] [[||+ (($Q) ? 2 + $N : 0)]]] = 7;
        next[at] = (unsigned char)(3 + $B - $N);
        [[||if ($Q) next[other] = 3 + $N + 1;]]
        room[next[next[at] & 3] & 15 & (next[other] > 3 + $N ? 15 : 3)] = 8;
    }",
    // A table of lists.
    "struct entry$K { struct entry$K *next; unsigned key; };
    static struct entry$K *table$K[3];
    static unsigned slot$K(unsigned key) { return key % [[3||4]]; }
    ---
    static void part$K(void) {
        for (int i = 0; i < 3; i++) table$K[i] = 0;
        for (int i = 0; i < 2 && $G; i++) {
            struct entry$K *e = malloc(sizeof *e);
            e->key = (unsigned)$F; e->next = table$K[slot$K(e->key)];
            table$K[slot$K(e->key)] = [[e||($Q) && e->next ? e->next : e]];
        }
        unsigned key = (unsigned)$F;
        for (struct entry$K *e = table$K[slot$K(key)]; e; e = e->next) if (e->key == key) { e->key = ~key; break; }
        [[||if ($Q) table$K[slot$K(key)] = 0;]]
        for (int i = 0; i < 3; i++)
            while (table$K[i]) {
                struct entry$K *gone = table$K[i];
                table$K[i] = gone->next; free(gone);
                [[||if (($Q) && gone->next) table$K[i] = 0;]]
            }
    }",
    // A jump out of calls.
    "int _setjmp(long *); void longjmp(long *, int);
    static long frame$K[64]; static char *held$K;
    static void deep$K(int n) { if (n == 0 || $G) longjmp(frame$K, 1 + n); held$K[n & 1] = 1; deep$K(n - 1); }
    ---
    static void part$K(void) {
        held$K = malloc(2);
        char *volatile mine = malloc($N);
        int n = _setjmp(frame$K);
        if (n == 0) deep$K(2);
        [[||if (n == 2 && ($Q)) mine = 0;]]
        if (n > 3) held$K[n] = 0;
        mine[[[$B - 1||n == 1 ? $N : 0]]] = 1;
        free(mine);
        [[free(held$K);||if (n != 3) free(held$K);]]
        held$K = 0;
    }",
    // Structs with links, copied as bytes.
    "struct link$K { $T value; struct link$K *next; struct { short tag; struct link$K *self; } in; };
    ---
    static void part$K(void) {
        struct link$K a = { 0 }, *b = malloc(sizeof *b), copies[2];
        a.next = b; a.in.self = &a; b->next = &a; b->in.self = b; b->value = ($T)$F; b->in.tag = (short)$F;
        memcpy(&copies[0], b, sizeof *b);
        memmove(&copies[1], copies, sizeof *copies);
        if (copies[1].in.self != b || copies[1].next->next != b) copies[5].value = 1;
        if (copies[0].in.tag != b->in.tag) copies[5].value = 1;
        memset(&copies[0].next, 0, sizeof copies[0].next);
        [[||if ($Q) copies[1].next = copies[0].next;]]
        copies[1].next->value = 2;
        if (a.value != 2) b[1].value = 0;
        struct link$K *c = [[copies[1].in.self||($Q) ? &copies[0] : b]];
        free(c);
        [[||if ($Q) b->value = 1;]]
    }",
    // Numbers with a fraction.
    "extern double __VERIFIER_nondet_double(void);
    ---
    static void part$K(void) {
        double d = __VERIFIER_nondet_double(), half = 0.5; float f = 1.25f;
        int a[4] = { 0 }, i = (int)(f * 2 + half);
        a[i [[||+ 1]]] = 1;
        if (d > 3.0 && d < 2.0) a[100] = 1;
        if (d == d && !(d <= 1e300) && !(d > 1e300)) a[101] = 1;
        [[||if (half + f > 1.5) a[4] = 2;]]
        a[(half < f) + 2 * (half == 0.5)] = 2;
        char *p = malloc(2); p[d > 0.0] = 1; free(p);
    }",
];
