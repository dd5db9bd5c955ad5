// The quotient of the least number and -1 does not fit.
int main(void)
{
    int a = -2147483647 - 1, b = -1;
    return a / b == 0; //~ overflow
}
