// sizeof, _Alignof and offsetof over scalar, derived and aggregate types.
// lp64 only
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

struct s1 { char a; short b; char c; int d; char e; long f; };
struct s2 { char a; double b; char c; };
struct s3 { char a[3]; struct s1 n; char z; };
union u1 { char a[13]; int i; };
union u2 { char c; long double ld; };
struct s4 { char c; union u1 u; void (*fn)(int); };
struct s5 { char c; long double ld; char t; };
struct s6 { short a[5]; struct { char x; int y; } in[3]; };

#define SZ(t) printf("%-16s %zu %zu\n", #t, sizeof(t), _Alignof(t))

static int touched;
static int touch(void) { touched++; return 1; }

int main(void)
{
    SZ(char); SZ(_Bool); SZ(short); SZ(int); SZ(long); SZ(long long);
    SZ(float); SZ(double); SZ(long double); SZ(__int128);
    SZ(void *); SZ(int (*)(void)); SZ(wchar_t); SZ(size_t); SZ(ptrdiff_t); SZ(intmax_t);
    SZ(struct s1); SZ(struct s2); SZ(struct s3); SZ(struct s4); SZ(struct s5); SZ(struct s6);
    SZ(union u1); SZ(union u2); SZ(int[7]); SZ(char[3][5]); SZ(struct s1[4]);
    printf("%zu %zu %zu\n", offsetof(struct s1, b), offsetof(struct s1, d), offsetof(struct s1, f));
    printf("%zu %zu\n", offsetof(struct s3, n.d), offsetof(struct s3, z));
    printf("%zu %zu\n", offsetof(struct s6, in[2].y), offsetof(struct s6, a[3]));
    printf("%zu %zu\n", offsetof(struct s4, u), offsetof(struct s4, fn));
    int arr[10], m[3][4];
    printf("%zu %zu %zu %zu\n", sizeof arr, sizeof arr[0], sizeof m, sizeof m[0]);
    printf("%zu %zu\n", sizeof &arr, sizeof *&arr);
    printf("%zu %zu\n", sizeof(arr + 0), sizeof(char[3]));
    int i = 3;
    printf("%zu %d\n", sizeof i++, i);
    printf("%zu %d\n", sizeof touch(), touched);
    printf("%zu %zu\n", sizeof(struct { char c; int k; }), sizeof((struct s2 *)0)->b);
    printf("%zu %zu\n", sizeof(void), sizeof(main));
    printf("%zu %zu\n", __alignof__(double), __alignof__ arr);
    printf("%zu %zu\n", sizeof 'x' + 1, sizeof(1 ? (char)1 : (short)1));
    return 0;
}
