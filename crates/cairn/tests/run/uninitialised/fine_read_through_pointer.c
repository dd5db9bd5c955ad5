// An element of an array is copied through a pointer: its value is unspecified, but nothing depends on it.
int sink, zero;

int main(void) {
    int a[5];
    a[4] = 1;
    sink = a[zero];
    int self = self;
    return 0;
}
