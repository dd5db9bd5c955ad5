// Random numbers, the time and the process id are any values that the standard allows.
//= memsafety: TRUE
//@ seeded = memsafety: FALSE(valid-deref)
//      A seed does not make the sequence of random numbers known.
//@ late = memsafety: FALSE(valid-deref)
//      The time may be beyond every small bound.
//@ unavailable = memsafety: FALSE(valid-deref)
//      The time is -1 where it is not available.
//@ large_process = memsafety: FALSE(valid-deref)
//      A process id may be larger than the array.
extern int rand(void);
extern void srand(unsigned);
extern long random(void);
extern long time(long *);
extern int getpid(void);
extern int isatty(int);
int main(void) {
    int table[8] = {0};
    srand((unsigned)time(0));
    int index = rand() % 8;
//@ seeded: srand(1); int index = rand() == 1804289383 ? 0 : 8;
    long now;
    time(&now);
    int hour = now < 0 ? 0 : now % 8;
//@ late: int hour = now < 4000000000 ? 0 : 9;
//@ unavailable: int hour = now % 8;
    int own = getpid() > 0 ? 1 : 8;
//@ large_process: int own = getpid() < 40000 ? 1 : 8;
    return table[index] + table[hour] + table[own] + table[random() & 7] + table[isatty(1)];
}
