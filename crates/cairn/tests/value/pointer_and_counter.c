// A pointer moves with a counter, except in one iteration.
extern int __VERIFIER_nondet_int(void);

struct pair { int key; int value; };

int main(void) {
    struct pair table[8] = {{0}};
    struct pair *at = table;
    int count = 0;
    for (int i = 0; i < 12; i++) {
        if (count >= 8)
            break;
        at->key = i;
        at->value = count;
        at++;
        count++;
    }
    struct pair *other = table;
    int steps = 0;
    while (steps < 8) {
        other->key = steps;
        other++;
        if (__VERIFIER_nondet_int() & 1)
            steps++;
    }
    return table[0].key;
}
