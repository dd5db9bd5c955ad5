// The number exceeds the greatest int.
int main(void)
{
    double d = 2147483648.0;
    int i = d; //~ overflow
    return i == 0;
}
