// A skip list of two levels between two nodes that stay: filled anywhere, walked, a lower node taken out, freed along the lower links.
//= memsafety: TRUE
//@ lower_cut_off = memsafety: FALSE(valid-memtrack)
//      A node that goes to the upper level cuts off what followed it on the lower one.
//@ upper_taken_out = memsafety: FALSE(valid-deref)
//      What follows an upper node on the lower level is taken out even where it belongs to the upper level, too.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct item { struct item *down_next; long data; struct item *up_next; };
struct list { struct item *head, *tail; };
static void insert(struct list *list) {
    struct item *up = list->head;
    while (up->up_next != list->tail && __VERIFIER_nondet_int()) up = up->up_next;
    struct item *down = up;
    while (down->down_next != up->up_next && __VERIFIER_nondet_int()) down = down->down_next;
    struct item *new = malloc(sizeof *new);
    new->data = 7;
    new->down_next = down->down_next;
    down->down_next = new;
    if (__VERIFIER_nondet_int()) {
        new->up_next = up->up_next;
//@ lower_cut_off+ new->down_next = up->up_next;
        up->up_next = new;
    }
}
int main(void) {
    struct list *list = malloc(sizeof *list);
    list->head = malloc(sizeof(struct item));
    list->tail = malloc(sizeof(struct item));
    list->head->data = list->tail->data = 0;
    list->head->up_next = list->head->down_next = list->tail;
    list->tail->up_next = list->tail->down_next = 0;
    while (__VERIFIER_nondet_int()) insert(list);
    struct item *up = list->head;
    while (up->up_next != list->tail && __VERIFIER_nondet_int()) up = up->up_next;
    if (up->down_next != up->up_next) {
//@ upper_taken_out: if (up->down_next != list->tail) {
        struct item *out = up->down_next;
        up->down_next = out->down_next;
        free(out);
    }
//@ upper_taken_out+ for (up = list->head; up != list->tail; up = up->up_next) up->data++;
    while (list->head) {
        struct item *next = list->head->down_next;
        free(list->head);
        list->head = next;
    }
    free(list);
    return 0;
}
