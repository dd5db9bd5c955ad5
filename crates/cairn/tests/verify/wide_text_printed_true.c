// Printing a wide string reads characters of four bytes up to its terminator.
//= memsafety: TRUE
//@ unterminated = memsafety: FALSE(valid-deref)
//      The bytes of the array contain zeros, but none of its characters is zero.
//@ too_long = memsafety: FALSE(valid-deref)
//      The text and its terminator need three characters.
typedef int wchar_t;
extern int wprintf(const wchar_t *format, ...);
extern int printf(const char *format, ...);
extern wchar_t *wcscpy(wchar_t *to, const wchar_t *from);
int main(void) {
    wchar_t text[2] = {'a', 0};
//@ unterminated: wchar_t text[2] = {'a', 'b'};
    printf("%ls\n", text);
    wcscpy(text, L"b");
//@ too_long: wcscpy(text, L"bc");
    wprintf(L"%ls %d\n", text, 1);
    return 0;
}
