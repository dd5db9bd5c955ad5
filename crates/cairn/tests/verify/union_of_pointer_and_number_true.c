// A node has a text of its own or a number in the same place.
//= memsafety: TRUE
//@ always = memsafety: FALSE(valid-free)
//      A number is freed.
//@ never = memsafety: FALSE(valid-memtrack)
//      Texts become numbers, and are lost.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
enum kind { NUMBER, TEXT };
struct value { enum kind kind; union { int number; char *text; } is; struct value *next; };
int main(void) {
    struct value *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct value *value = malloc(sizeof *value);
        if (!value) abort();
        if (__VERIFIER_nondet_int()) {
            value->kind = NUMBER;
            value->is.number = 1;
        } else {
            value->kind = TEXT;
            value->is.text = malloc(6);
            if (!value->is.text) abort();
        }
        value->next = list;
        list = value;
    }
    for (struct value *value = list; value; value = value->next)
        switch (value->kind) {
        case NUMBER: value->is.number = 0; break;
        case TEXT: value->is.text[5] = 0; break;
//@ never: case TEXT: value->kind = NUMBER; break;
        }
    while (list) {
        struct value *value = list;
        list = value->next;
        if (value->kind == TEXT) free(value->is.text);
//@ always: free(value->is.text);
        free(value);
    }
    return 0;
}
