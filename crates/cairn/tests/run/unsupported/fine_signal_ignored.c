// Handlers that nothing calls.
#include <signal.h>

static void note(int number) {
    (void)number;
}

int main(void) {
    signal(SIGINT, note);
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
