// `strftime` looks only at the members that its format names.
#include <string.h>
#include <time.h>

int main(void) {
  struct tm when;
  char text[8];
  when.tm_year = 126;
  return strftime(text, sizeof text, "%Y", &when) != 4;
}
