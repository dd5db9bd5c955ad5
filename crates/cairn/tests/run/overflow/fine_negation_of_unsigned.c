// The negation of an unsigned number wraps.
int main(void)
{
    unsigned a = 2147483648u;
    return -a == 0;
}
