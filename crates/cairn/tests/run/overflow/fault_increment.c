// An index that counts past the greatest int.
int main(void)
{
    int i = 2147483640;
    for (;;) {
        if (i++ == 0) //~ overflow
            return 0;
    }
}
