// Both operands are promoted, so that the quotient fits.
int main(void)
{
    short a = -32768, b = -1;
    return a / b != 32768;
}
