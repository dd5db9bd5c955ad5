// Edges are added to the vertices of a graph when all of these are there; each knows its vertex.
//= memsafety: TRUE
//@ one = memsafety: FALSE(valid-memtrack)
//      Only the first edge of a vertex is freed.
//@ after = memsafety: FALSE(valid-deref)
//      An edge is asked for its vertex when that is gone.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct edge { int weight; struct vertex *from; struct edge *next; };
struct vertex { struct edge *edges; struct vertex *next; };
int main(void) {
    struct vertex *graph = 0;
    while (__VERIFIER_nondet_int()) {
        struct vertex *vertex = malloc(sizeof *vertex);
        if (!vertex) abort();
        vertex->edges = 0;
        vertex->next = graph;
        graph = vertex;
    }
    for (struct vertex *vertex = graph; vertex; vertex = vertex->next)
        while (__VERIFIER_nondet_int()) {
            struct edge *edge = malloc(sizeof *edge);
            if (!edge) abort();
            edge->from = vertex;
            edge->next = vertex->edges;
            vertex->edges = edge;
        }
    while (graph) {
        struct vertex *vertex = graph;
        graph = vertex->next;
        struct edge *edge = vertex->edges;
//@ after+ free(vertex);
        while (edge) {
//@ one: if (edge) {
            struct edge *next = edge->next;
            edge->from->edges = next;
            free(edge);
            edge = next;
        }
        free(vertex);
//@ after: ;
    }
    return 0;
}
