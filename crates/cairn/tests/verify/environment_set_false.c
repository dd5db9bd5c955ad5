// A variable of the environment may be set.
//= unreach: FALSE(unreach-call)
extern char *getenv(const char *);
extern void reach_error(void);

int main(void) {
    if (getenv("CAIRN")) {
        reach_error();
    }
    return 0;
}
