// `++` sets a truth value, and sums of truth values are ints.
int main(void)
{
    _Bool b = 1;
    b++;
    b += b;
    return b + b - 2;
}
