// A string literal may be the end of another one.
// UNKNOWN
int main(void)
{
    const char *one = "a text" + 2, *other = "text";
    int array[2] = {0};
    return array[one == other ? 2 : 0];
}
