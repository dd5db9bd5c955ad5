/* Mistakes with arrays, nested structs and unions, one per function; those whose name begins with `fine_` are none. A name with
   `uninitialised` says that memory which is zero hides it. */
typedef unsigned long size_t;
extern void *malloc(size_t); extern void *calloc(size_t, size_t); extern void *realloc(void *, size_t); extern void free(void *);
extern void *memcpy(void *, const void *, size_t); extern void *memset(void *, int, size_t); extern void abort(void) __attribute__((noreturn));

/* tagged union: kind selects */
struct expr { int kind; union { long number; struct { struct expr *left, *right; } binary; struct expr *inner; } u; };
struct expr *fine_number(long n) { struct expr *e = malloc(sizeof *e); if (!e) abort(); e->kind=0; e->u.number=n; return e; }
struct expr *fine_binary(struct expr *l, struct expr *r) { struct expr *e = malloc(sizeof *e); if (!e) abort(); e->kind=1; e->u.binary.left=l; e->u.binary.right=r; return e; }
long fine_kind(struct expr *e) { return e? e->kind:0; }
long undecided_eval(struct expr *e) { if (!e) return 0; switch (e->kind) { case 0: return e->u.number; case 1: return undecided_eval(e->u.binary.left)+undecided_eval(e->u.binary.right); default: return undecided_eval(e->u.inner);} }
/* anonymous union, all links agree */
struct n { union { struct n *next; struct n *down; }; union { int i; float f; } v; };
struct n *fine_follow(struct n *a) { return a ? a->next : 0; }
struct n *fine_make(struct n *a) { struct n *x = malloc(sizeof *x); if (x) { x->down = a; x->v.f = 1.0f; } return x; }
void set_interior(struct n *a) { if (a) a->down = (struct n*)&a->v; }
void set_via_data(struct n *a, long x) { if (a) *(long*)&a->next = x; }
/* union of node types in a struct: union of structs with common first member */
struct common { int type; struct w *link; };
union any { int type; struct common c; struct { int type; struct w *link; long more; } d; };
struct w { union any a; struct w *next; };
struct w *fine_link(struct w *x) { return x ? x->a.c.link : 0; }
struct w *fine_link2(struct w *x) { return x ? x->a.d.link : 0; }
void fine_set(struct w *x, struct w *y) { if (x) x->a.c.link = y; }
void fine_setsame(struct w *x) { if (x) x->a.d.link = (struct w *)&x->a; }
void setbad2(struct w *x) { if (x) x->a.d.link = (struct w *)&x->next; }
/* union with array of links */
struct k { int leaf; union { struct k *child[4]; struct { struct k *a,*b,*c,*d; } named; } u; };
struct k *fine_k(struct k *x, int i) { if (!x || i<0 || i>3) return 0; return x->u.child[i]; }
struct k *fine_b(struct k *x) { return x? x->u.named.b : 0; }
void fine_kset(struct k *x, struct k *y) { if (x) { x->u.named.c = y; x->u.child[3] = y; } }
void kset(struct k *x, struct k *y) { if (x) x->u.child[4] = y; }
void kseti(struct k *x, struct k *y, int i) { if (x && i<=4 && i>=0) x->u.child[i] = y; }
/* union of link and integer with low bit */
union tagged { struct t *link; unsigned long bits; };
struct t { union tagged p; long d; };
struct t *fine_untag(struct t *x) { return x ? (struct t *)(x->p.bits & ~1UL) : 0; }
struct edge { struct vertex *to; int weight; };
struct vertex { int deg; struct edge out[3]; struct vertex *next; };
struct vertex *fine_to(struct vertex *v, int i) { if (!v || i<0 || i>=3) return 0; return v->out[i].to; }
void fine_set_edge(struct vertex *v, int i, struct vertex *w) { if (v && i>=0 && i<3) { v->out[i].to = w; v->out[i].weight=1; } }
void set(struct vertex *v, int i, struct vertex *w) { if (v && i>=0 && i<=3) { v->out[i].to = w; } }
void setw(struct vertex *v, int i) { if (v && i>=0 && i<=3) { v->out[i].weight = 7; } }
void setneg(struct vertex *v, int i) { if (v && i<3) { v->out[i].weight = 7; } }
struct vertex *fine_place(void) { struct vertex *v = malloc(sizeof *v); int i; if (!v) return 0; v->deg=0; for (i=0;i<3;i++) { v->out[i].to=0; v->out[i].weight=0; } v->next=0; return v; }
struct vertex *uninitialised_place(void) { struct vertex *v = malloc(sizeof *v); int i; if (!v) return 0; v->deg=0; for (i=0;i<2;i++) { v->out[i].to=0; v->out[i].weight=0; } v->next=0; return v; }
struct edge *fine_edge(struct vertex *v, int i) { if (!v || i<0 || i>=3) return 0; return &v->out[i]; }
struct edge *edge(struct vertex *v, int i) { if (!v || i<0 || i>3) return 0; return &v->out[i]; }
int fine_walk(struct vertex *v) { int s=0; while (v) { struct edge *e; for (e=v->out; e<v->out+3; e++) s+=e->weight; v=v->next; } return s; }
int walk(struct vertex *v) { int s=0; while (v) { struct edge *e; for (e=v->out; e<=v->out+3; e++) s+=e->weight; v=v->next; } return s; }
int fine_walki(struct vertex *v) { int s=0; while (v) { int i; for (i=0;i<3;i++) if (v->out[i].to) s+=v->out[i].weight; v=v->next; } return s; }
int walki(struct vertex *v) { int s=0; while (v) { int i; for (i=0;i<=3;i++) s+=v->out[i].weight; v=v->next; } return s; }
struct outer { int a; struct mid { char c; struct in { struct outer *o; short s; } in; } mid; struct mid pair[2]; };
struct outer *fine_o(struct outer *o) { return o? o->mid.in.o : 0; }
struct outer *fine_o2(struct outer *o, int i) { return o && (unsigned)i<2 ? o->pair[i].in.o : 0; }
struct outer *o2(struct outer *o, int i) { return o && (unsigned)i<3 ? o->pair[i].in.o : 0; }
void fine_oset(struct outer *o) { if (o) { o->pair[0].in.o=o; o->pair[1]=o->pair[0]; o->mid=o->pair[1]; } }
void oset(struct outer *o) { if (o) { o->pair[0].in.o=(struct outer*)&o->mid; o->pair[1]=o->pair[0]; } }
void fine_copy(struct outer *o, struct outer *p) { if (o && p) memcpy(o,p,sizeof *o); }
void copy(struct outer *o, struct outer *p) { if (o && p) memcpy(o,p,sizeof *o+1); }
void fine_copypart(struct outer *o, struct outer *p) { if (o && p) memcpy(&o->mid,&p->pair[1],sizeof o->mid); }
void copyshift(struct outer *o, struct outer *p) { if (o && p) memcpy((char*)&o->mid+8,(char*)&p->pair[1],sizeof o->mid-8); }
void copysmall(struct outer *o, struct outer *p) { if (o && p) memcpy(o,p,20); }
struct outer *uninitialised_copyshort(struct outer *p) { struct outer *o=malloc(sizeof *o); if (o && p) memcpy(o,p,sizeof *o - 16); return o; }
struct outer *uninitialised_copyptr(struct outer *p) { struct outer *o=malloc(sizeof *o); if (o && p) memcpy(o,p,sizeof o); return o; }
void clear(struct outer *o) { if (o) memset(o,0,sizeof *o+8); }
void clearones(struct outer *o) { if (o) memset(o,1,sizeof *o); }
void fine_clear(struct outer *o) { if (o) memset(o,0,sizeof *o); }
struct outer *shrunk(struct outer*o) { return realloc(o, sizeof *o - 8); }
struct outer *shrunk_to_pointer(struct outer*o) { return realloc(o, sizeof o); }
#define N 12
struct b { int used; struct b *kid[N]; struct b *up; };
struct b *fine_new(void) { struct b *x=malloc(sizeof *x); int i; if (!x) return 0; x->used=0; for (i=0;i<N;i++) x->kid[i]=0; x->up=0; return x; }
struct b *uninitialised_new1(void) { struct b *x=malloc(sizeof *x); int i; if (!x) return 0; x->used=0; for (i=1;i<N;i++) x->kid[i]=0; x->up=0; return x; }
struct b *uninitialised_new2(void) { struct b *x=malloc(sizeof *x); int i; if (!x) return 0; x->used=0; for (i=0;i<N-1;i++) x->kid[i]=0; x->up=0; return x; }
struct b *new3(void) { struct b *x=malloc(sizeof *x); int i; if (!x) return 0; x->used=0; for (i=0;i<=N+1;i++) x->kid[i]=0; x->up=0; return x; }
struct b *fine_newdown(void) { struct b *x=malloc(sizeof *x); int i; if (!x) return 0; x->used=0; for (i=N-1;i>=0;i--) x->kid[i]=0; x->up=0; return x; }
struct b *fine_newwhile(void) { struct b *x=malloc(sizeof *x); int i=N; if (!x) return 0; x->used=0; while (i--) x->kid[i]=0; x->up=0; return x; }
struct b *fine_newptr(void) { struct b *x=malloc(sizeof *x); struct b **p; if (!x) return 0; x->used=0; for (p=x->kid;p<x->kid+N;p++) *p=0; x->up=0; return x; }
struct b *uninitialised_newptr(void) { struct b *x=malloc(sizeof *x); struct b **p; if (!x) return 0; x->used=0; for (p=x->kid+1;p<x->kid+N;p++) *p=0; x->up=0; return x; }
struct b *newptr(void) { struct b *x=malloc(sizeof *x); struct b **p; if (!x) return 0; x->used=0; for (p=x->kid;p<=x->kid+N+1;p++) *p=0; return x; }
struct b *fine_zero(void) { struct b *x=malloc(sizeof *x); if (x) memset(x,0,sizeof *x); return x; }
struct b *uninitialised_zero(void) { struct b *x=malloc(sizeof *x); if (x) memset(x->kid,0,sizeof x->kid); return x; }
struct b *uninitialised_zeroptr(void) { struct b *x=malloc(sizeof *x); if (x) memset(x,0,sizeof x); return x; }
struct b *small_calloc(void) { struct b *x=calloc(1, sizeof x); return x; }
void freed(struct b*x,struct b*y,int i) { if (x && i>=0 && i<N) { x->kid[i]=y; free(y);} }
void freed2(struct b*x,int i) { if (x && i>=0 && i<N) { free(x->kid[i]);} }
void fine_freed(struct b*x,int i) { if (x && i>=0 && i<N) { struct b*y=x->kid[i]; x->kid[i]=0; free(y);} }
struct b *freed3(struct b*x,int i) { if (x && i>=0 && i<N) { struct b*y=x->kid[i]; x->kid[i]=0; free(y); return y;} return 0; }
void fine_shift(struct b*x,int at) { int i; if (x && at>=0) for (i=at;i<N-1;i++) x->kid[i]=x->kid[i+1]; }
void shift(struct b*x,int at) { int i; if (x && at>=0) for (i=at;i<N+1;i++) x->kid[i]=x->kid[i+1]; }
void fine_shiftup(struct b*x,int at) { int i; if (x && at>=0) for (i=N-1;i>at;i--) x->kid[i]=x->kid[i-1]; }
void shiftup(struct b*x,int at) { int i; if (x && at>=-2) for (i=N-1;i>at;i--) x->kid[i]=x->kid[i-1]; }
struct b *fine_child(struct b*x,unsigned i) { return x && i<N? x->kid[i]:0; }
struct b *child(struct b*x,unsigned i) { return x && i<=N+1? x->kid[i]:0; }
struct b *fine_mask(struct b*x,unsigned i) { return x? x->kid[i&7]:0; }
struct b *mask(struct b*x,unsigned i) { return x? x->kid[i&15]:0; }
struct b *fine_mod(struct b*x,unsigned i) { return x? x->kid[i%N]:0; }
struct b *mod(struct b*x,int i) { return x? x->kid[i%N]:0; }
struct b *mod2(struct b*x,unsigned i) { return x? x->kid[i%(N+2)]:0; }
struct b **slot(struct b*x) { return x? &x->kid[N+1]:0; }
struct b **fine_slot(struct b*x,int i) { return x && i>=0 && i<N? &x->kid[i]:0; }
void fine_through(struct b**p, struct b*q) { if (p) *p=q; }
void through(struct b**p, struct b*q) { if (p) *p=(struct b*)&q->up; }
/* 2D */
struct g { struct g *c[2][3]; };
struct g *fine_2d(struct g*x,int i,int j) { return x && (unsigned)i<2 && (unsigned)j<3? x->c[i][j]:0; }
struct g *d2(struct g*x,int i,int j) { return x && (unsigned)i<2 && (unsigned)j<=3? x->c[i][j]:0; }
struct g *d2b(struct g*x,int i,int j) { return x && (unsigned)i<=2 && (unsigned)j<3? x->c[i][j]:0; }
/* flexible array */
struct f { int n; struct f *kid[]; };
struct f *flexnew(int n) { struct f *x=malloc(sizeof *x + n*sizeof(struct f*)); int i; if (!x) return 0; for (i=0;i<n;i++) x->kid[i]=0; x->n=n; return x; }
struct f *flexget(struct f*x,int i) { return i<x->n? x->kid[i]:0; }
/* Links to single cells. */
struct job { struct job *next; struct job **back; int kind; };
struct queue { struct job *first; struct job **last; };
void fine_append(struct queue *q, struct job *j) { if (!q || !j) return; j->next = 0; j->back = q->last; *q->last = j; q->last = &j->next; }
struct queue *uninitialised_last(void) { struct queue *q = malloc(sizeof *q); if (q) q->first = 0; return q; }
struct queue *last_in_local(void) { struct queue local, *q = malloc(sizeof *q); if (q) { q->first = 0; q->last = &local.first; } return q; }
void back_into_data(struct job *j) { if (j) j->back = (struct job **)&j->kind; }
void back_behind(struct job *j) { if (j) j->back = &j->next + 3; }
void stored_inside(struct job *j) { if (j) *j->back = (struct job *)&j->back; }
struct two { int pad; struct job *a, *b; };
void back_into_local(struct job *j) { struct two local; local.a = local.b = 0; if (j) j->back = &local.b; }
/* Tags. */
struct red { unsigned long parent; struct red *left; };
struct red *fine_parent(struct red *n) { return n ? (struct red *)(n->parent & ~3UL) : 0; }
void tag_too_large(struct red *n, unsigned c) { if (n) n->parent = (n->parent & ~3UL) | (c & 7); }
void tag_of_any_size(struct red *n, unsigned long c) { if (n) n->parent = (n->parent & ~3UL) | c; }
void tag_over_tag(struct red *n, unsigned c) { if (n) n->parent = (n->parent & ~1UL) + (c & 3); }
void tag_not_taken_off(struct red *n) { if (n && n->parent) ((struct red *)n->parent)->left = 0; }
void tag_of_inside(struct red *n, unsigned c) { if (n) n->parent = (unsigned long)&n->left | (c & 1); }
struct red *uninitialised_parent(void) { struct red *n = malloc(sizeof *n); if (n) n->left = 0; return n; }
