// `++` and `+=` on char and short compute in int, and the conversion back is defined by the implementation.
int main(void)
{
    signed char c = 127;
    short s = 32767;
    c++;
    s += 1;
    return c != -128 || s != -32768;
}
