// The distance of an object from a number can be zero, also after the object has gone.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char text[40];
  long local, number;
  {
    int y = 0;
    sprintf(text, "%ld", (long)&y);
    number = strtol(text, 0, 10);
    local = (long)&y - number;
  }
  int found = local == 0;
  char *p = malloc(4);
  if (!p)
    return 1;
  sprintf(text, "%ld", (long)p);
  number = strtol(text, 0, 10);
  long heap = (long)p - number;
  free(p);
  found += heap == 0;
  if (heap == 0)
    found++;
  return found;
}
