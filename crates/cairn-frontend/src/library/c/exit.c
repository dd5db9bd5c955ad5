/* Program termination: exit and its handlers. */

void __cairn_exit(int status);

struct handler {
    void (*plain)(void);
    void (*with_status)(int, void *);
    void *context;
};

static struct handler handlers[1024];
static int handler_count;
static void (*quick_handlers[1024])(void);
static int quick_handler_count;

static int add(struct handler handler)
{
    if (handler_count == sizeof handlers / sizeof handlers[0])
        return -1;
    handlers[handler_count++] = handler;
    return 0;
}

/* atexit: no checks until the handler is called. */
int atexit(void (*handler)(void))
{
    return add((struct handler){ .plain = handler });
}

/* on_exit: no checks until the handler is called. */
int on_exit(void (*handler)(int, void *), void *context)
{
    return add((struct handler){ .with_status = handler, .context = context });
}

/* exit: requires valid handlers. They run in reverse order, including those that a handler adds. */
void exit(int status)
{
    while (handler_count) {
        struct handler handler = handlers[--handler_count];
        if (handler.plain)
            handler.plain();
        else
            handler.with_status(status, handler.context);
    }
    __cairn_exit(status);
}

/* _exit: no checks. Runs no handlers. */
void _exit(int status)
{
    __cairn_exit(status);
}

/* _Exit: like _exit. */
void _Exit(int status)
{
    __cairn_exit(status);
}

/* at_quick_exit: no checks until the handler is called. */
int at_quick_exit(void (*handler)(void))
{
    if (quick_handler_count == sizeof quick_handlers / sizeof quick_handlers[0])
        return -1;
    quick_handlers[quick_handler_count++] = handler;
    return 0;
}

/* quick_exit: requires valid handlers. */
void quick_exit(int status)
{
    while (quick_handler_count)
        quick_handlers[--quick_handler_count]();
    __cairn_exit(status);
}
