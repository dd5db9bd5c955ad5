// Arithmetic on the distance of two pointers is arithmetic on long.
int main(void)
{
    char a[8];
    long distance = &a[8] - &a[0];
    distance *= 4611686018427387904L; //~ overflow
    return distance == 1;
}
