// Only the whole part has to fit.
int main(void)
{
    double d = 2147483647.75, e = -2147483648.5;
    float f = -0.75f;
    int a = d, b = e;
    unsigned c = f;
    return a + b + 1 + c;
}
