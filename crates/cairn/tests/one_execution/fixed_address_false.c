// A number leads to no object, even if the interpreter has placed one there.
// FALSE(valid-deref)
static int variable;

int main(void)
{
    int *somewhere = (int *)65536;
    variable = 1;
    return *somewhere;
}
