// A right shift of a negative number is defined by the implementation.
int main(void)
{
    int a = -4;
    return (a >> 1) + 2;
}
