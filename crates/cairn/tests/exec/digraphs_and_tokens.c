// Digraphs, line splices, comments and maximal munch in unusual layouts.
%:include <stdio.h>
%:define JOIN(a, b) a%:%:b

static int tot\
al = 3;

int main(void)
<%
    int a<:3:> = <% 1, 2, 3 %>;
    printf("%d\n", a<:1:> + JOIN(tot, al));
    int x = 5, y = 2;
    int z = x+++y;
    printf("%d %d\n", z, x);
    z = x---y;
    printf("%d %d\n", z, x);
    z = x- -y;
    printf("%d\n", z);
    z = x-/* a comment */-y;
    printf("%d\n", z);
    int *p = &y;
    z = x / *p /* divide by pointee */;
    printf("%d\n", z);
    printf("%d\n", x //* not a block comment
           + 1);
    printf("%s\n", "/* kept */ // kept");
    z = x<<1>>1;
    z<<=2;
    z>>=1;
    printf("%d %d\n", z, x<y?1:-1);
    printf("%d\n", sizeof(int)*3 == 12);
    z = - - -x;
    printf("%d %d %d\n", z, !!x, ~~x);
    z = x>0?y>0?1:2:3;
    printf("%d\n", z);
    /\
* spliced comment *\
/
    printf("%d\n", 0x1e +1);
    printf("%d %g\n", a[0]+.5 > 1, 1.+.25);
    { ; ; {} }
    ;
    return 0;
%>
