// The sum of a bit-field is computed in int.
struct { unsigned high : 31; } s = { 2147483647 };

int main(void)
{
    int sum = s.high + 1; //~ overflow
    return sum == 0;
}
