/* Arrays in nodes by indices that are variables: of links, of structs with links, of arrays; unions whose members share links. */
typedef unsigned long size_t;
extern void *malloc(size_t size);
extern void *memcpy(void *to, const void *from, size_t size);
extern void *memset(void *to, int byte, size_t size);
extern void free(void *memory);
#define NULL ((void *)0)

struct edge { struct place *to; int weight; };
struct place { int degree; struct edge out[3]; struct place *next; };

struct place *place_new(void)
{
    struct place *place = malloc(sizeof(struct place));
    int i;
    if (!place)
        return NULL;
    place->degree = 0;
    for (i = 0; i < 3; i++) {
        place->out[i].to = NULL;
        place->out[i].weight = 0;
    }
    place->next = NULL;
    return place;
}

struct place *place_to(struct place *place, int i)
{
    if (!place || i < 0 || i >= 3)
        return NULL;
    return place->out[i].to;
}

void place_link(struct place *place, int i, struct place *to)
{
    if (place && i >= 0 && i < 3) {
        place->out[i].to = to;
        place->out[i].weight = 1;
    }
}

/* A struct inside of the array is a node of its own type. */
struct edge *place_edge(struct place *place, int i)
{
    if (!place || i < 0 || i >= 3)
        return NULL;
    return &place->out[i];
}

int place_sum(struct place *place)
{
    int sum = 0;
    while (place) {
        struct edge *edge;
        for (edge = place->out; edge < place->out + 3; edge++)
            sum += edge->weight;
        place = place->next;
    }
    return sum;
}

/* More links than are written down one by one. */
struct trie { struct trie *child[26]; int words; struct trie *up; };

struct trie *trie_new(struct trie *up)
{
    struct trie *trie = malloc(sizeof(struct trie));
    int i;
    if (!trie)
        return NULL;
    for (i = 0; i < 26; i++)
        trie->child[i] = NULL;
    trie->words = 0;
    trie->up = up;
    return trie;
}

struct trie *trie_cleared(struct trie *up)
{
    struct trie *trie = malloc(sizeof(struct trie));
    if (!trie)
        return NULL;
    memset(trie, 0, sizeof(struct trie));
    trie->up = up;
    return trie;
}

struct trie *trie_by_pointer(void)
{
    struct trie *trie = malloc(sizeof(struct trie));
    struct trie **at;
    if (!trie)
        return NULL;
    for (at = trie->child; at < trie->child + 26; at++)
        *at = NULL;
    trie->words = 0;
    trie->up = NULL;
    return trie;
}

struct trie *trie_copy(struct trie *from)
{
    struct trie *trie = malloc(sizeof(struct trie));
    if (!trie || !from) {
        free(trie);
        return NULL;
    }
    memcpy(trie, from, sizeof(struct trie));
    return trie;
}

int trie_add(struct trie *trie, unsigned word)
{
    while (word) {
        unsigned letter = word & 31;
        if (!trie || letter >= 26)
            return 0;
        if (!trie->child[letter])
            trie->child[letter] = trie_new(trie);
        trie = trie->child[letter];
        word >>= 5;
    }
    if (trie)
        trie->words++;
    return 1;
}

struct trie *trie_hashed(struct trie *trie, unsigned hash)
{
    return trie ? trie->child[hash % 26] : NULL;
}

struct trie **trie_slot(struct trie *trie, unsigned i)
{
    return trie && i < 26 ? &trie->child[i] : NULL;
}

void trie_drop(struct trie *trie, unsigned i)
{
    if (trie && i < 26) {
        struct trie *old = trie->child[i];
        trie->child[i] = NULL;
        free(old);
    }
}

void trie_shift(struct trie *trie, int at)
{
    int i;
    if (trie && at >= 0)
        for (i = at; i < 25; i++)
            trie->child[i] = trie->child[i + 1];
}

/* One link for each byte. */
struct radix { struct radix *child[256]; const void *value; };

struct radix *radix_new(void)
{
    struct radix *radix = malloc(sizeof(struct radix));
    int i;
    if (!radix)
        return NULL;
    for (i = 0; i < 256; i++)
        radix->child[i] = NULL;
    radix->value = NULL;
    return radix;
}

struct radix *radix_next(struct radix *radix, char byte)
{
    return radix ? radix->child[(unsigned char)byte] : NULL;
}

/* Arrays of arrays. */
struct grid { struct grid *cell[2][3]; };

struct grid *grid_get(struct grid *grid, unsigned row, unsigned column)
{
    return grid && row < 2 && column < 3 ? grid->cell[row][column] : NULL;
}

void grid_set(struct grid *grid, unsigned row, unsigned column, struct grid *to)
{
    if (grid && row < 2 && column < 3)
        grid->cell[row][column] = to;
}

/* Members of a union that begin alike, or that are one array under two names. */
struct shape_head { int kind; struct shape *next; };
union shape_body { int kind; struct shape_head head; struct { int kind; struct shape *next; long radius; } circle; };
struct shape { union shape_body body; struct shape *other; };

struct shape *shape_next(struct shape *shape)
{
    if (!shape)
        return NULL;
    return shape->body.kind ? shape->body.head.next : shape->body.circle.next;
}

void shape_link(struct shape *shape, struct shape *next)
{
    if (shape)
        shape->body.circle.next = next;
}

struct quad { int leaf; union { struct quad *child[4]; struct { struct quad *north, *east, *south, *west; } at; } to; };

struct quad *quad_child(struct quad *quad, unsigned i)
{
    return quad && i < 4 ? quad->to.child[i] : NULL;
}

struct quad *quad_new(struct quad *north)
{
    struct quad *quad = malloc(sizeof(struct quad));
    if (!quad)
        return NULL;
    quad->leaf = !north;
    quad->to.at.north = north;
    quad->to.at.east = quad->to.at.south = NULL;
    quad->to.child[3] = NULL;
    return quad;
}

/* A link and the integer that its tag is looked at in. */
union marked { struct mark *link; unsigned long bits; };
struct mark { union marked next; long data; };

struct mark *mark_next(struct mark *mark)
{
    return mark ? (struct mark *)(mark->next.bits & ~1UL) : NULL;
}

void mark_set(struct mark *mark, struct mark *next)
{
    if (mark)
        mark->next.bits = (unsigned long)next | 1;
}
