// `--` below the least long.
static long counter = -9223372036854775807L - 1;

int main(void)
{
    --counter; //~ overflow
    return 0;
}
