// The amount of a shift is less than the width, also for unsigned numbers.
int main(void)
{
    unsigned a = 1;
    int amount = 32;
    return a << amount == 3; //~ overflow
}
