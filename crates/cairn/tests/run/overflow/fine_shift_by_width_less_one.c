// The greatest amount.
int main(void)
{
    long a = 1;
    unsigned char amount = 62;
    return (a << amount) >> 63;
}
