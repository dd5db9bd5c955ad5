// The sum of two large numbers exceeds the greatest int.
int main(void)
{
    int a = 2147483647, b = 1;
    int c = a + b; //~ overflow
    return c == 0;
}
