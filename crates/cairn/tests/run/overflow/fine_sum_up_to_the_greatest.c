// The results are the greatest and the least int.
int main(void)
{
    int a = 2147483646, b = -2147483647;
    a = a + 1;
    b = b - 1;
    return a + b + 1;
}
