// The least number beyond long.
int main(void)
{
    float f = 9223372036854775808.0f;
    long l = (long)f; //~ overflow
    return l == 0;
}
