// Nested functions that are called, and whose addresses are taken, from more than one level away.
#include <stdio.h>

static int apply(int (*function)(int), int value)
{
    return function(value);
}

static int outer(int start)
{
    int total = start;
    int history[4] = {0};
    auto int shared(int);
    int add(int by)
    {
        total += by;
        history[by & 3]++;
        return total;
    }
    int one(int depth)
    {
        int mine = depth * 10;
        int two(int more)
        {
            int own = more + 1;
            int three(int last)
            {
                own += last;
                mine += own;
                // Three levels up, a sibling of `one`, itself, and a function declared before its definition.
                add(last);
                if (last > 0)
                    three(last - 1);
                if (last == 1 && depth > 0)
                    one(depth - 1);
                return shared(mine) + apply(add, own) + own;
            }
            return more > 2 ? more : three(more + 2);
        }
        return two(depth) + two(1) + mine;
    }
    int shared(int value)
    {
        int inner(int x)
        {
            return x + total + add(1);
        }
        return inner(value) + history[1];
    }
    int result = one(2);
    printf("%d %d %d %d %d\n", total, history[0], history[1], history[2], history[3]);
    return result;
}

static int walk(int n)
{
    int count = 0;
    int visit(int k)
    {
        int step(int j)
        {
            int leaf(int i)
            {
                count += i;
                return i ? visit(i - 1) : count;
            }
            return j > 1 ? leaf(j / 2) : leaf(0);
        }
        return step(k);
    }
    return visit(n);
}

int main(void)
{
    printf("%d\n", outer(3));
    for (int i = 0; i < 20; i += 3)
        printf("%d\n", walk(i));
    return 0;
}
