// A hash function on unsigned numbers.
int main(void)
{
    unsigned long hash = 14695981039346656037UL;
    for (const char *p = "overflow"; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211UL;
    return hash == 0;
}
