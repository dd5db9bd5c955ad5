// Strings of different lengths, each in memory of its own that it fills.
//= memsafety: TRUE
//@ no_end = memsafety: FALSE(valid-deref)
//      The end of a string is overwritten.
//@ short_by_one = memsafety: FALSE(valid-deref)
//      There is no room for the end.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern unsigned long strlen(const char *);
extern void *memcpy(void *, const void *, unsigned long);
struct entry { char *text; struct entry *next; };
static const char *words[3] = { "one", "three", "" };
static char *copy(const char *text) {
    unsigned long size = strlen(text) + 1;
//@ short_by_one: unsigned long size = strlen(text);
    char *own = malloc(size);
    if (!own) abort();
    memcpy(own, text, size);
    return own;
}
int main(void) {
    struct entry *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct entry *entry = malloc(sizeof *entry);
        if (!entry) abort();
        entry->text = copy(words[__VERIFIER_nondet_uint() % 3]);
//@ no_end+ entry->text[strlen(entry->text)] = 'x';
        entry->next = list;
        list = entry;
    }
    unsigned long total = 0;
    for (struct entry *entry = list; entry; entry = entry->next) total += strlen(entry->text);
    while (list) {
        struct entry *entry = list;
        list = entry->next;
        free(entry->text);
        free(entry);
    }
    return total ? 0 : 1;
}
