// A variable of an active function holds the stream when the program exits.
#include <stdio.h>
#include <stdlib.h>

static void finish(void)
{
    FILE *file = fopen("/dev/null", "w");
    if (file)
        fputs("done", file);
    exit(0);
}

int main(void)
{
    finish();
}
