// A negative amount.
int main(void)
{
    long a = 5;
    int amount = -1;
    return a >> amount == 9; //~ overflow
}
