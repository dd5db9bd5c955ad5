// Constants of every floating format are computed with exactly.
//= memsafety: TRUE
int main(void) {
    long double third = 1.0L / 3, sum = third + third + third;
    float tenth = 0.1f;
    double d = tenth * 10.0;
    int *p = 0, x = 3;
    if (sum == 1.0L && d > 1.0 && (int)(sum * 7) == 7 && (long)(float)16777217 == 16777216)
        p = &x;
    return *p - 3;
}
