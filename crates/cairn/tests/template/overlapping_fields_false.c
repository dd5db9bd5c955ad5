// A byte of an integer is overwritten through a union member.
//= unreach: FALSE(unreach-call)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
union both { int whole; unsigned char parts[4]; };
int main(void) {
    union both *b = malloc(sizeof *b);
    b->whole = 0;
    b->parts[1] = 1;
    if (b->whole == 256) reach_error();
}
