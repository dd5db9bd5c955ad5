// Unsigned sums wrap.
int main(void)
{
    unsigned a = 4294967295u, b = 1;
    return a + b;
}
