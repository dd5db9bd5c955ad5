// Each stage of a proof follows other values, so that a gap that one stage excludes may be one of another stage.
//= deref: OPEN
int main(void) {
    int item;
    int *left[1] = {&item}, *right[1] = {0};
    for (int i = 0; i < 70000001; i++) {
        int *kept = left[0];
        left[0] = right[0];
        right[0] = kept;
    }
    *left[0] = 1;
    return 0;
}
