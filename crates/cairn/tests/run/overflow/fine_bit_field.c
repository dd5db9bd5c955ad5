// A bit-field that is too small for the result is assigned the low bits.
struct { int low : 4; unsigned bits : 3; } s = { 7, 7 };

int main(void)
{
    s.low++;
    s.bits += 1;
    s.low *= 3;
    return s.bits;
}
