/* Mistakes of all kinds, one per function; those whose name begins with `fine_` are none. A name with `uninitialised` says that
   memory which is zero hides it, unless it says `always`. */
typedef unsigned long size_t;
extern void *malloc(size_t); extern void *realloc(void *, size_t); extern void free(void *); extern void abort(void) __attribute__((noreturn));
extern void *memcpy(void *, const void *, size_t); extern void *memset(void *, int, size_t); extern void *memmove(void *, const void *, size_t);
extern char *strcpy(char *, const char *); extern size_t strlen(const char *); extern int sprintf(char *, const char *, ...); extern char *strncpy(char *, const char *, size_t);
struct n { char name[8]; long v; struct n *next; struct n *kid[4]; };
struct m { struct m *up; long w; };
struct d { struct n base; struct d *other; };
union u { struct n *a; struct m *b; long l; };
struct h { union u u; struct h *next; };
struct fl { struct fl *next; int len; struct n *tail[]; };
struct n *glob[3]; struct n gnode;
void copied_string(struct n *a, const char *s) { if (a) strcpy(a->name, s); }
void printed_string(struct n *a) { if (a) sprintf(a->name, "%d", 123456789); }
long union_read(struct h *h) { return h ? h->u.a->v : 0; }
void union_misused(struct h *h, struct m *m) { if (h) { h->u.b = m; h->u.a->next = 0; } }
void fine_union_view(struct h *h, struct m *m) { if (h) { h->u.b = m; h->u.a->v = 1; } }
void unsigned_below(struct n *a, unsigned i) { if (a && i < 4) a->kid[i - 1] = 0; }
void narrow_index(struct n *a, int i) { char c = (char)i; if (a && i >= 0 && i < 4) a->kid[c + 1] = 0; }
void cut_pointer(struct n *a) { if (a) a->next = (struct n *)(long)(int)(long)a; }
void kept_local(struct n **pp) { struct n l; l.next = 0; int i; for (i = 0; i < 4; i++) l.kid[i] = 0; if (pp) *pp = &l; }
void filled_with_ones(struct n *a) { if (a) memset(a, 1, sizeof *a); }
void copied_any_size(struct n *a, struct n *b, size_t k) { if (a && b) memcpy(a, b, k); }
void fine_pointer_as_data(struct n *a) { struct n **p = a ? &a->next : 0; if (p) p[-1] = a; }
void behind_the_array(struct n *a) { struct n **p = a ? &a->kid[3] : 0; if (p) p[1] = a; }
struct d *wrong_type(struct n *a) { return (struct d *)a; }
void any_element(struct n *a, long k) { struct n *p = a + k; if (a) p->v = 0; }
struct n *behind_the_block(void) { struct n *a = malloc(2 * sizeof(struct n)); if (!a) abort(); memset(a, 0, 2 * sizeof(struct n)); return a + 2; }
struct n *uninitialised_second(void) { struct n *a = malloc(2 * sizeof(struct n)); if (!a) abort(); memset(a, 0, sizeof(struct n)); a->next = a + 1; return a; }
void global_off_by_one(int i, struct n *a) { if (i <= 3 && i >= 0) glob[i] = a; }
void flexible_member(struct n *a, struct fl *f, int i) { if (f && i < f->len) f->tail[i] = a; }
void local_array_off_by_one(struct n *a) { struct n *arr[4]; int i; for (i = 0; i <= 4; i++) arr[i] = a; if (a) a->next = arr[0]; }
void uninitialised_element(struct n *a) { struct n *arr[4]; arr[0] = a; if (a) a->next = arr[1]; }
struct m *wrong_inner_type(struct n *a) { return a ? (struct m *)&a->next : 0; }
void neighbour_of_data(struct n *a) { if (a) { long *p = &a->v; p[1] = 5; } }
void byte_of_link(struct n *a) { if (a) { char *p = (char *)&a->next; p[0] = 5; } }
void half_of_link(struct n *a) { if (a) { int *p = (int *)&a->next; *p = 5; } }
void link_as_data(struct n *a) { if (a) { *(long *)&a->next = a->v; } }
struct pr { struct n *x, *y; };
struct pr uninitialised_in_result_always(struct n *a) { struct pr p; p.x = a; return p; }
static long fine_use(struct pr p) { return p.y ? p.y->v : 0; }
long uninitialised_in_argument_always(struct n *a) { struct pr p; p.x = a; return fine_use(p); }
void moved_data_over_link(struct n *a, struct n *b) { if (a && b) { memmove(&a->next, &b->v, 16); } }
struct n *shrunk(struct n *a) { struct n *q = realloc(a, 8); return q; }
void one_case(struct n *a, int k) { if (a) switch (k) { case 0: a->next = a; break; case 1: a->next = (struct n *)&a->v; break; default: a->next = 0; } }
void stepped_in_loop(struct n *a) { struct n *p = a; while (p) { p = p->next; if (p && p->v == 7) { p++; } if (p) p->v = 0; } }
void global_to_inside(struct n *a) { gnode.next = a ? (struct n *)&a->kid[0] : 0; }
void small_index(struct n *a, unsigned char i) { if (a && i <= 4) a->kid[i] = a; }
void second_index(struct n *a, int i, int j) { if (a && i >= 0 && j < 4 && i <= j) { a->kid[i] = a; a->kid[j + 1] = a; } }
void uninitialised_behind_pointer(struct n **list) { struct n *fresh = malloc(sizeof *fresh); if (!fresh) return; fresh->next = *list; *list = fresh; }
void local_in_node(struct n *a) { struct n local; if (!a) return; local = *a; local.next = &local; a->next = local.next; }
void float_over_link(struct n *a, float f) { if (a) { float *p = (float *)&a->next; *p = f; } }
struct n *any_size(int k) { struct n *a = malloc(k); if (!a) abort(); a->next = 0; a->kid[0] = a->kid[1] = a->kid[2] = a->kid[3] = 0; return a; }
size_t string_without_end(struct n *a) { return a ? strlen(a->name) : 0; }
void copied_too_much(struct n *a, const char *s) { if (a) strncpy(a->name, s, 16); }

struct box { struct m inner[3]; struct box *next; };
struct m *inner_off_by_one(struct box *b, int i) { return b && i >= 0 && i <= 3 ? &b->inner[i] : 0; }
struct m *fine_inner(struct box *b) { return b ? &b->inner[2] : 0; }
struct m *between_inner(struct box *b) { return b ? (struct m *)&b->inner[1].w : 0; }
struct box *outer_of_inner(struct m *m) { return m ? (struct box *)((char *)m - sizeof(struct m)) : 0; }
void called_back(struct m *a, void (*f)(struct m *)) { if (a && f) f((struct m *)&a->w); }
void fine_called_back(struct m *a, void (*f)(struct m *)) { if (a && f) f(a->up); }
void called_back_with_broken_graph(struct m *a, void (*f)(void)) { if (a && f) { a->up = (struct m *)8; f(); a->up = 0; } }
void jumped(struct m *a, int k) { again: if (!a) return; if (k-- > 0) { a = a->up; goto again; } a->up = (struct m *)&a->w; }
struct m *static_local(struct m *a) { static struct m *kept; struct m *was = kept; kept = a ? (struct m *)&a->w : 0; return was; }
void swapped_arguments(struct m *a, struct n *b) { if (a && b) { struct m **to = &a->up; *to = (struct m *)b; } }
void broken_before_recursion(struct m *a, int k) { if (!a || k <= 0) return; struct m *was = a->up; a->up = (struct m *)1; broken_before_recursion(was, k - 1); a->up = was; }
long fine_recursion(struct m *a, int k) { return !a || k <= 0 ? 0 : a->w + fine_recursion(a->up, k - 1); }
void nested_loops(struct n *a) { int i, j; if (!a) return; for (i = 0; i < 4; i++) for (j = i; j <= 4; j++) a->kid[j] = a; }
void counted_down(struct n *a) { int i; if (!a) return; for (i = 4; i >= 0; i--) a->kid[i] = 0; }
void fine_counted_down(struct n *a) { int i; if (!a) return; for (i = 3; i >= 0; i--) a->kid[i] = 0; }
struct m *half_made_uninitialised(int k) { struct m *m = malloc(sizeof *m); if (!m) abort(); if (k) m->up = 0; return m; }
struct m *made_in_loop_uninitialised(int k) { struct m *list = 0; while (k-- > 0) { struct m *m = malloc(sizeof *m); if (!m) abort(); if (k != 3) m->up = list; list = m; } return list; }
struct m *fine_made_in_loop(int k) { struct m *list = 0; while (k-- > 0) { struct m *m = malloc(sizeof *m); if (!m) abort(); m->up = list; list = m; } return list; }
void linked_before_made_uninitialised(struct m *a) { struct m *m = malloc(sizeof *m); if (!m || !a) return; a->up = m; }
struct m *one_of_two(struct m *a, struct n *b, int k) { return k ? a : (struct m *)b; }
void wrong_after_loop(struct m *a) { struct m *p = a; while (p && p->w) p = p->up; if (p) p[1].w = 0; }
void constant_cast(const struct m *a) { if (a) ((struct m *)a)->up = (struct m *)"text"; }
void function_as_node(struct m *a) { if (a) a->up = (struct m *)&function_as_node; }
void global_as_node(struct m *a) { if (a) a->up = (struct m *)&glob[0]; }
void fine_global_node(struct n *a) { if (a) a->next = &gnode; }
void difference(struct m *a, struct m *b) { if (a && b) a->up = b + (a - b) / 2; }
void negated(struct m *a) { if (a) a->up = (struct m *)~(unsigned long)a->up; }
void shifted(struct m *a) { if (a) a->up = (struct m *)((unsigned long)a->up << 1); }
void exclusive(struct m *a, struct m *b) { if (a && b) a->up = (struct m *)((unsigned long)a ^ (unsigned long)b); }

/* Local arrays that are filled one by one. */
struct k { long key; struct k *l, *r; };
void path_too_long(struct k *t) { struct k *p[6]; int n = 0; while (t && n <= 6) { p[n++] = t; t = t->l; } while (n > 0) p[--n]->key = 0; }
void path_one_behind(struct k *t) { struct k *p[6]; int n = 0; while (t && n < 6) { p[n++] = t; t = t->l; } while (n >= 0) p[n--]->key = 0; }
void path_not_filled(struct k *t) { struct k *p[6]; int n = 0; while (t && n < 5) { p[n++] = t; t = t->l; } if (p[n]) p[n]->l = t; }
void path_without_bottom(struct k *t) { struct k *p[6], *q; int n = 0; p[n++] = t; while (t && n < 6) { p[n++] = t; t = t->l; } while ((q = p[--n])) q->key = 0; }
void path_with_hole(struct k *t) { struct k *p[6]; int n = 0, h; while (t && n < 3) { p[n++] = t; t = t->l; } h = n; while (t && n < 5) { p[++n] = t; t = t->r; } while (n > 0) { n--; if (p[n]) p[n]->key = h; } }
void path_overwritten(struct k *t) { struct k *p[6]; int n = 0; while (t && n < 6) { p[n++] = t; t = t->l; } p[2] = (struct k *)8; while (n > 0) p[--n]->key = 0; }
void path_of_wrong_links(struct k *t) { struct k *p[6]; int n = 0; while (t && n < 6) { p[n++] = (struct k *)&t->r; t = t->l; } while (n > 0) p[--n]->key = 0; }
void path_behind_pointer(struct k *t) { struct k *p[6], **q = p; while (t && q < p + 6) { *q++ = t; t = t->l; } (*q)->key = 0; }
extern void fill(struct k **);
void path_handed_on(struct k *t) { struct k *p[6]; p[1] = t; fill(&p[1]); if (p[0]) p[0]->key = 0; }
long fine_path(struct k *t) { struct k *p[6]; long s = 0; int n = 0; while (t && n < 6) { p[n++] = t; t = t->l; } while (n > 0) s += p[--n]->key; return s; }
void path_mixed_up(struct k *t) { struct k *p[6], *q[6]; int n = 0; while (t && n < 6) { p[n] = t; q[n] = 0; n++; t = t->l; } while (n > 0) { n--; t = p[n] ? p[n] : q[n + 1]; t->key = 0; } }
void path_by_other_index(struct k *t, int m) { struct k *p[6]; int n = 0; while (t && n < 6) { p[n++] = t; t = t->l; } if (m >= 0 && m < 6) p[m]->key = 0; }
/* Local nodes that stay. */
struct k *local_node_linked_for_ever(struct k *t) { struct k h; h.l = h.r = 0; if (t) t->l = &h; return t; }
void local_node_in_a_loop(struct k *t) { struct k h; h.l = h.r = 0; while (t) { struct k *n = t->l; if (t->key == 3) t->r = &h; t = n; } }
struct k *fine_local_node(struct k *t) { struct k h; h.l = h.r = t; if (!t) return 0; t->l = &h; t->l->key = 1; t->l = 0; return h.l; }
struct hook { struct hook *next, *prev; }; struct job { long v; struct hook h; }; struct hook *hooked; extern void call_back(void); extern void change_hook(struct hook *); extern struct hook next_hook(struct hook *);
void kept_part(struct hook *list, int n) { struct job j; struct hook *p = list; j.h.next = j.h.prev = 0; while (n--) if (n & 1) p = &j.h; if (p) hooked = p; }
void kept_part_of_local(int n) { struct job j; struct hook *p = &j.h; j.h.next = j.h.prev = 0; while (n--) if (p->next) p = p->next; hooked = p; }
void changed_by_a_call(struct hook *list, int n) { struct job j; struct hook *p = list; j.h.next = j.h.prev = list; while (n--) if (n & 1) p = &j.h; if (p && list) { hooked = p; call_back(); if (!j.h.next) list->next = (struct hook *)&list->prev; hooked = 0; } }
void anchor_changed(struct hook *l, int k) { struct hook a; a.next = a.prev = l; if (!l) return; while (k--) change_hook(&a); if (!a.next) l->next = (struct hook *)&l->prev; }
void anchor_cleared(struct hook *l, int k) { struct hook a, **pp = &a.next; a.next = a.prev = l; if (!l) return; while (k--) { if (k & 1) pp = &l->next; *pp = 0; } if (!a.next) l->next = (struct hook *)&l->prev; }
void anchor_assigned(struct hook *l, int k) { struct hook a; a.next = a.prev = l; if (!l) return; while (k--) a = next_hook(l); if (!a.next) l->next = (struct hook *)&l->prev; }
void anchor_copied(struct hook *l, int k) { struct hook a; a.next = a.prev = l; if (!l) return; while (k--) a = *l; if (!a.next) l->next = (struct hook *)&l->prev; }
void anchor_linked(struct hook *l, int k) { struct hook a; a.next = a.prev = l; if (!l) return; l->next = &a; while (k--) call_back(); if (!a.next) l->prev = (struct hook *)&l->prev; l->next = 0; }
void fine_anchor(struct hook *l, int k) { struct hook a; a.next = a.prev = l; if (!l) return; while (k--) call_back(); if (!a.next) l->next = (struct hook *)&l->prev; }
void ahead_of_null(struct hook *l) { struct hook *a = l, *b = l->next; while (b) { b = b->next; a = a->next; } if (!a->next) l->next = (struct hook *)&l->prev; }
void ahead_across_a_call(struct hook *l) { struct hook *a = l, *b = l->next; if (!b) return; while (b->next) { call_back(); b = b->next; a = a->next; } if (!a || !a->next) l->next = (struct hook *)&l->prev; }
void ahead_no_more(struct hook *l) { struct hook *a = l, *b = l->next; if (!b) return; while (b->next) { b = b->next; a->next = b->next; a = a->next; } if (!a->next) l->next = (struct hook *)&l->prev; }
void fine_ahead(struct hook *l) { struct hook *a = l, *b = l->next; if (!b) return; while (b->next) { b = b->next; a = a->next; } if (!a || !a->next) l->next = (struct hook *)&l->prev; }
