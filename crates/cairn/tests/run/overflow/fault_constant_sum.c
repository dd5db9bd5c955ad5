// A sum of constants is executed like any other.
int main(void)
{
    int c = 2147483647 + 1; //~ overflow
    return c == 0;
}
