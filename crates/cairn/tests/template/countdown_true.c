// All candles of a list burn down together. The last one is always the shortest, so a round that must remove a
// burnt-down candle finds one.
//= unreach: TRUE
//: points-to,intervals,nullness,relative,neighbours
//@ gap = unreach: OPEN
//      The third candle is one step too long. In some round none has burnt down, and the program dereferences null, which is not a requested check.
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
