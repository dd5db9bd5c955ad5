// The environment may hold the name or not; the model's one answer proves nothing.
//= unreach: UNKNOWN
extern char *getenv(const char *);
extern void reach_error(void);

int main(void) {
    if (getenv("CAIRN")) {
        reach_error();
    }
    return 0;
}
