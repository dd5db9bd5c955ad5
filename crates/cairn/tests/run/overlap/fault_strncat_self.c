// The terminator that `strncat` overwrites is also the end of its source.
#include <string.h>

int main(void) {
  char text[16] = "abc";
  strncat(text, text, 8); //~ overlap
  return text[3];
}
