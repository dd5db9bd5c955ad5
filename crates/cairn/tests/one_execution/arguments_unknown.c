// The number of arguments decides.
// UNKNOWN
int main(int count, char **arguments)
{
    int array[2] = {0};
    return array[count == 1 ? 0 : 2];
}
