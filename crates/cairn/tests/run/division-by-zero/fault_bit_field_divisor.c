// A two bit field wraps to zero and then divides.
struct timer { unsigned step : 2; unsigned rest : 6; };

int main(void) {
    struct timer t = { 1, 40 };
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += t.rest / t.step; //~ division-by-zero
        t.step++;
    }
    return sum == 0;
}
