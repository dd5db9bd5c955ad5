// The end of one array may be the start of another one.
// UNKNOWN
int main(void)
{
    int one[2] = {0}, other[2] = {0};
    return one[one + 2 == other ? 2 : 0] + other[0];
}
