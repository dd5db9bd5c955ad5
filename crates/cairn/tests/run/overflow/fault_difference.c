// The difference is below the least long.
int main(void)
{
    long a = -9223372036854775807L;
    a -= 2; //~ overflow
    return a == 0;
}
