// A compound literal in the condition of a statement ends with the statement.
//= memsafety: TRUE
//@ of_if = memsafety: FALSE(valid-deref)
//@ of_switch = memsafety: FALSE(valid-deref)
//@ of_while = memsafety: FALSE(valid-deref)
//@ of_do = memsafety: FALSE(valid-deref)
int main(void) {
    int *p, k = 0, sum = 0;
    if ((p = (int[]){1, 2})[0])
        sum += p[1];
//@ of_if+ sum += p[1];
    switch ((p = (int[]){1, 2})[0]) {
    case 1:
        sum += p[1];
    }
//@ of_switch+ sum += p[1];
    while ((p = (int[]){1, 2})[0] && k < 1)
        sum += p[k++];
//@ of_while+ sum += p[1];
    do
        k++;
    while ((p = (int[]){1, 2})[0] && k < 3);
//@ of_do+ sum += p[1];
    return sum - sum;
}
