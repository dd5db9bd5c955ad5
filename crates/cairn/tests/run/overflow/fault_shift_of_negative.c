// A left shift of a negative number is undefined.
int main(void)
{
    int a = -1;
    return a << 1 == 0; //~ overflow
}
