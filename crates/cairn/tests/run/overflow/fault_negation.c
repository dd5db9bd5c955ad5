// The least int has no negation.
int main(void)
{
    int least = -2147483647 - 1;
    int other = -least; //~ overflow
    return other == 0;
}
