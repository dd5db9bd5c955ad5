// A number that holds the distance of two objects leads from one to the other, once it becomes a pointer again.
#include <stdint.h>

int main(void) {
  int a = 0, b = 0, c = 0;
  uintptr_t distance = (uintptr_t)&a - (uintptr_t)&b;
  *(int *)((uintptr_t)&b + distance) = 1;
  *(int *)((((uintptr_t)&c ^ (uintptr_t)&a) ^ (uintptr_t)&a)) = 2;
  int table[4] = {0, 1, 2, 3};
  return table[a] + table[c];
}
