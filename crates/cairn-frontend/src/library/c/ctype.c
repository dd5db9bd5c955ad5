/* ctype.h in the "C" locale: the functions, and the tables that the macros of glibc's header read. */

/* The classes of the bytes -128 to 255 (negative for signed char), in glibc's bit order on a little-endian machine:
   upper 0x100, lower 0x200, alpha 0x400, digit 0x800, xdigit 0x1000, space 0x2000, print 0x4000, graph 0x8000, blank
   0x1, cntrl 0x2, punct 0x4, alnum 0x8. */
static const unsigned short classes[384] = {
    [128] = 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002,
    [136] = 0x0002, 0x2003, 0x2002, 0x2002, 0x2002, 0x2002, 0x0002, 0x0002,
    [144] = 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002,
    [152] = 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002,
    [160] = 0x6001, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    [168] = 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    [176] = 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808,
    [184] = 0xd808, 0xd808, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    [192] = 0xc004, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xc508,
    [200] = 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508,
    [208] = 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508,
    [216] = 0xc508, 0xc508, 0xc508, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    [224] = 0xc004, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xc608,
    [232] = 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608,
    [240] = 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608,
    [248] = 0xc608, 0xc608, 0xc608, 0xc004, 0xc004, 0xc004, 0xc004, 0x0002,
};

static const int lower_case[384] = {
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    64, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
    112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 91, 92, 93, 94, 95,
    96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
    112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};

static const int upper_case[384] = {
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
    80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
    96, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
    80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 123, 124, 125, 126, 127,
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};

static const unsigned short *const class_table = classes + 128;
static const int *const lower_table = lower_case + 128;
static const int *const upper_table = upper_case + 128;

/* __ctype_b_loc: no checks. The access to the table checks the caller's index. */
const unsigned short **__ctype_b_loc(void)
{
    return (const unsigned short **)&class_table;
}

/* __ctype_tolower_loc: like __ctype_b_loc. */
const int **__ctype_tolower_loc(void)
{
    return (const int **)&lower_table;
}

/* __ctype_toupper_loc: like __ctype_b_loc. */
const int **__ctype_toupper_loc(void)
{
    return (const int **)&upper_table;
}

/* isalpha: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isalpha(int c)
{
    return class_table[c] & 0x400;
}

/* isdigit: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isdigit(int c)
{
    return class_table[c] & 0x800;
}

/* isalnum: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isalnum(int c)
{
    return class_table[c] & 0x8;
}

/* isspace: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isspace(int c)
{
    return class_table[c] & 0x2000;
}

/* isupper: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isupper(int c)
{
    return class_table[c] & 0x100;
}

/* islower: requires a byte or EOF; any other argument is an out-of-bounds access. */
int islower(int c)
{
    return class_table[c] & 0x200;
}

/* ispunct: requires a byte or EOF; any other argument is an out-of-bounds access. */
int ispunct(int c)
{
    return class_table[c] & 0x4;
}

/* isprint: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isprint(int c)
{
    return class_table[c] & 0x4000;
}

/* isgraph: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isgraph(int c)
{
    return class_table[c] & 0x8000;
}

/* iscntrl: requires a byte or EOF; any other argument is an out-of-bounds access. */
int iscntrl(int c)
{
    return class_table[c] & 0x2;
}

/* isxdigit: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isxdigit(int c)
{
    return class_table[c] & 0x1000;
}

/* isblank: requires a byte or EOF; any other argument is an out-of-bounds access. */
int isblank(int c)
{
    return class_table[c] & 0x1;
}

/* isascii: no checks. */
int isascii(int c)
{
    return (c & ~0x7f) == 0;
}

/* toascii: no checks. */
int toascii(int c)
{
    return c & 0x7f;
}

/* tolower: no checks. Returns other values than bytes unchanged. */
int tolower(int c)
{
    return c >= -128 && c < 256 ? lower_table[c] : c;
}

/* toupper: no checks. Returns other values than bytes unchanged. */
int toupper(int c)
{
    return c >= -128 && c < 256 ? upper_table[c] : c;
}
