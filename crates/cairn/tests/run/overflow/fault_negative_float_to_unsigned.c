// -1 is no unsigned number.
int main(void)
{
    float f = -1.0f;
    unsigned u = f; //~ overflow
    return u == 0;
}
