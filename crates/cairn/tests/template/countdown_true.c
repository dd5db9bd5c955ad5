// Candles that burn down together: the last one in the row is always the shortest, so whoever looks for one that is
// burnt down finds it.
//= unreach: TRUE
//: points-to,intervals,nullness,relative,neighbours
//@ gap = unreach: OPEN
//      Candles that burn down together, but the third one is made a step longer than the row: a round comes in which none is burnt down, and null is dereferenced, which nobody asks about.
extern void *malloc(unsigned long);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
struct candle { int colour; int length; struct candle *next; };
static struct candle *burn(struct candle **row) {
    struct candle *at = *row, *before = 0, *out = 0;
    while (at) {
        if (at->length == 1) {
            out = at;
            if (before) before->next = at->next;
            else *row = at->next;
        } else {
            at->length--;
        }
        before = at;
        at = at->next;
    }
    return out;
}
int main(void) {
    struct candle *row = 0;
    int longest = 1, colours = 0;
//@ gap: int longest = 1, made = 0;
    while (__VERIFIER_nondet_int()) {
        if (longest < 300 && __VERIFIER_nondet_int()) {
            struct candle *new = malloc(sizeof *new);
            new->colour = 5;
//@ gap+ if (++made == 3) longest++;
            new->length = longest++;
            new->next = row;
            row = new;
        } else if (longest > 1) {
            struct candle *out = burn(&row);
            longest--;
            if (out->colour != 5) reach_error();
        }
    }
}
