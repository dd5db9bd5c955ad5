// A left shift moves a bit into the sign.
int main(void)
{
    int one = 1;
    int mask = one << 31; //~ overflow
    return mask == 0;
}
