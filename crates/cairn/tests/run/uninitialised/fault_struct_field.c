// A struct field that was not set is tested in a called function.
struct opts { int verbose; int depth; };

static int run(const struct opts *o) {
    return o->depth > 3 ? 2 : 1; //~ uninitialised
}

int main(void) {
    struct opts o;
    o.verbose = 1;
    return run(&o) > 2;
}
