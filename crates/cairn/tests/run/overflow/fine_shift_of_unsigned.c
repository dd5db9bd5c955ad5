// The same shift of an unsigned number is defined.
int main(void)
{
    unsigned one = 1;
    return one << 31 == 0;
}
