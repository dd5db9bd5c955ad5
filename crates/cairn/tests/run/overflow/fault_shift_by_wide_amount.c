// The amount is not converted to the type of the left operand.
int main(void)
{
    unsigned a = 1;
    long long amount = 1LL << 32;
    a <<= amount; //~ overflow
    return a == 3;
}
