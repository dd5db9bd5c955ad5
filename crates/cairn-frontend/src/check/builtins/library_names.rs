//! Prototypes of library functions, for `__builtin_` forms and calls to undeclared functions.
//!
//! gcc has these prototypes built in.

/// Returns the prototype of a library function as a string of type codes.
///
/// The first code is the result, and the others are the parameters. `.` stands for `...`. The codes:
///
/// - `v` void, `i` int, `u` unsigned, `l` long, `m` unsigned long, `x` long long, `y` unsigned long long
/// - `z` size_t, `t` ptrdiff_t, `w` wchar_t, `a` va_list
/// - `f` float, `d` double, `e` long double
/// - pointers to: `p` void, `P` const void, `s` char, `S` const char, `I` int, `D` double, `F` float, `E` long double
/// - complex: `1` float, `2` double, `3` long double, `4` long long, `5` unsigned long long
pub(crate) fn signature(name: &str) -> Option<&'static str> {
    let at = TABLE.binary_search_by_key(&name, |entry| entry.0).ok()?;
    Some(TABLE[at].1)
}

/// The prototypes, sorted by name.
#[rustfmt::skip]
const TABLE: &[(&str, &str)] = &[
    ("_Exit", "vi"), ("__divcdi3", "4xxxx"), ("__divdc3", "2dddd"), ("__divsc3", "1ffff"), ("__divxc3", "3eeee"), ("__muldc3", "2dddd"),
    ("__mulsc3", "1ffff"), ("__mulxc3", "3eeee"), ("__udivcdi3", "5yyyy"), ("_exit", "vi"), ("_setjmp", "ip"), ("abort", "v"), ("abs", "ii"), ("acos", "dd"),
    ("acosf", "ff"), ("acosh", "dd"), ("acoshf", "ff"), ("acoshl", "ee"), ("acosl", "ee"), ("aligned_alloc", "pzz"),
    ("asin", "dd"), ("asinf", "ff"), ("asinh", "dd"), ("asinhf", "ff"), ("asinhl", "ee"), ("asinl", "ee"),
    ("atan", "dd"), ("atan2", "ddd"), ("atan2f", "fff"), ("atan2l", "eee"), ("atanf", "ff"), ("atanh", "dd"),
    ("atanhf", "ff"), ("atanhl", "ee"), ("atanl", "ee"), ("atexit", "ip"), ("atof", "dS"), ("atoi", "iS"),
    ("atol", "lS"), ("atoll", "xS"), ("bcmp", "iPPz"), ("bcopy", "vPpz"), ("bsearch", "pPPzzp"), ("bzero", "vpz"),
    ("cabs", "d2"), ("cabsf", "f1"), ("cabsl", "e3"),
    ("calloc", "pzz"), ("cbrt", "dd"), ("cbrtf", "ff"), ("cbrtl", "ee"), ("ceil", "dd"), ("ceilf", "ff"),
    ("ceill", "ee"), ("cfree", "vp"), ("cimag", "d2"), ("cimagf", "f1"),
    ("cimagl", "e3"), ("clock", "m"), ("conj", "22"), ("conjf", "11"), ("conjl", "33"), ("copysign", "ddd"), ("copysignf", "fff"), ("copysignl", "eee"),
    ("cos", "dd"), ("cosf", "ff"), ("cosh", "dd"), ("coshf", "ff"), ("coshl", "ee"), ("cosl", "ee"),
    ("cproj", "22"), ("cprojf", "11"), ("cprojl", "33"), ("creal", "d2"), ("crealf", "f1"), ("creall", "e3"), ("drem", "ddd"),
    ("dremf", "fff"), ("dreml", "eee"), ("erf", "dd"), ("erfc", "dd"), ("erfcf", "ff"), ("erfcl", "ee"),
    ("erff", "ff"), ("erfl", "ee"), ("exit", "vi"), ("exp", "dd"), ("exp10", "dd"), ("exp10f", "ff"),
    ("exp10l", "ee"), ("exp2", "dd"), ("exp2f", "ff"), ("exp2l", "ee"), ("expf", "ff"), ("expl", "ee"),
    ("expm1", "dd"), ("expm1f", "ff"), ("expm1l", "ee"), ("fabs", "dd"), ("fabsf", "ff"), ("fabsl", "ee"),
    ("fclose", "ip"), ("fdim", "ddd"), ("fdimf", "fff"), ("fdiml", "eee"), ("feof", "ip"), ("ferror", "ip"),
    ("fflush", "ip"), ("ffs", "ii"), ("ffsl", "il"), ("ffsll", "ix"), ("fgetc", "ip"), ("fgets", "ssip"),
    ("floor", "dd"), ("floorf", "ff"), ("floorl", "ee"), ("fma", "dddd"), ("fmaf", "ffff"), ("fmal", "eeee"),
    ("fmax", "ddd"), ("fmaxf", "fff"), ("fmaxl", "eee"), ("fmin", "ddd"), ("fminf", "fff"), ("fminl", "eee"),
    ("fmod", "ddd"), ("fmodf", "fff"), ("fmodl", "eee"), ("fopen", "pSS"), ("fork", "i"), ("fprintf", "ipS."),
    ("fprintf_unlocked", "ipS."), ("fputc", "iip"), ("fputc_unlocked", "iip"), ("fputs", "iSp"),
    ("fputs_unlocked", "iSp"), ("fread", "zpzzp"), ("free", "vp"), ("frexp", "ddI"), ("frexpf", "ffI"),
    ("frexpl", "eeI"), ("fscanf", "ipS."), ("fwrite", "zPzzp"), ("fwrite_unlocked", "zPzzp"), ("gamma", "dd"),
    ("gammaf", "ff"), ("gammal", "ee"), ("getc", "ip"), ("getchar", "i"), ("getenv", "sS"), ("getpid", "i"),
    ("gets", "ss"), ("hypot", "ddd"), ("hypotf", "fff"), ("hypotl", "eee"), ("ilogb", "id"), ("ilogbf", "if"),
    ("ilogbl", "ie"), ("imaxabs", "xx"), ("index", "sSi"), ("isalnum", "ii"), ("isalpha", "ii"), ("isascii", "ii"),
    ("isblank", "ii"), ("iscntrl", "ii"), ("isdigit", "ii"), ("isgraph", "ii"), ("islower", "ii"), ("isprint", "ii"),
    ("ispunct", "ii"), ("isspace", "ii"), ("isupper", "ii"), ("isxdigit", "ii"), ("j0", "dd"), ("j0f", "ff"),
    ("j0l", "ee"), ("j1", "dd"), ("j1f", "ff"), ("j1l", "ee"), ("jn", "did"), ("jnf", "fif"), ("jnl", "eie"),
    ("labs", "ll"), ("ldexp", "ddi"), ("ldexpf", "ffi"), ("ldexpl", "eei"), ("lgamma", "dd"), ("lgammaf", "ff"),
    ("lgammal", "ee"), ("llabs", "xx"), ("llrint", "xd"), ("llrintf", "xf"), ("llrintl", "xe"), ("llround", "xd"),
    ("llroundf", "xf"), ("llroundl", "xe"), ("log", "dd"), ("log10", "dd"), ("log10f", "ff"), ("log10l", "ee"),
    ("log1p", "dd"), ("log1pf", "ff"), ("log1pl", "ee"), ("log2", "dd"), ("log2f", "ff"), ("log2l", "ee"),
    ("logb", "dd"), ("logbf", "ff"), ("logbl", "ee"), ("logf", "ff"), ("logl", "ee"), ("longjmp", "vpi"),
    ("lrint", "ld"), ("lrintf", "lf"), ("lrintl", "le"), ("lround", "ld"), ("lroundf", "lf"), ("lroundl", "le"),
    ("malloc", "pz"), ("memalign", "pzz"), ("memccpy", "ppPiz"), ("memchr", "pPiz"), ("memcmp", "iPPz"),
    ("memcpy", "ppPz"), ("memmem", "pPzPz"), ("memmove", "ppPz"), ("mempcpy", "ppPz"), ("memrchr", "pPiz"),
    ("memset", "ppiz"), ("modf", "ddD"), ("modff", "ffF"), ("modfl", "eeE"), ("nearbyint", "dd"),
    ("nearbyintf", "ff"), ("nearbyintl", "ee"), ("nextafter", "ddd"), ("nextafterf", "fff"), ("nextafterl", "eee"),
    ("nexttoward", "dde"), ("nexttowardf", "ffe"), ("nexttowardl", "eee"), ("perror", "vS"), ("pow", "ddd"),
    ("powf", "fff"), ("powi", "ddi"), ("powif", "ffi"), ("powil", "eei"), ("powl", "eee"), ("printf", "iS."),
    ("printf_unlocked", "iS."), ("putc", "iip"), ("putchar", "ii"), ("putchar_unlocked", "ii"), ("puts", "iS"),
    ("qsort", "vpzzp"), ("quick_exit", "vi"), ("rand", "i"), ("random", "l"), ("rawmemchr", "pPi"),
    ("realloc", "ppz"), ("reallocarray", "ppzz"), ("remainder", "ddd"), ("remainderf", "fff"), ("remainderl", "eee"),
    ("remove", "iS"), ("remquo", "dddI"), ("remquof", "fffI"), ("remquol", "eeeI"), ("rindex", "sSi"), ("rint", "dd"),
    ("rintf", "ff"), ("rintl", "ee"), ("round", "dd"), ("roundeven", "dd"), ("roundevenf", "ff"),
    ("roundevenl", "ee"), ("roundf", "ff"), ("roundl", "ee"), ("scalb", "ddd"), ("scalbf", "fff"), ("scalbl", "eee"),
    ("scalbln", "ddl"), ("scalblnf", "ffl"), ("scalblnl", "eel"), ("scalbn", "ddi"), ("scalbnf", "ffi"),
    ("scalbnl", "eei"), ("scanf", "iS."), ("setjmp", "ip"), ("significand", "dd"), ("significandf", "ff"),
    ("significandl", "ee"), ("sin", "dd"), ("sincos", "vdDD"), ("sincosf", "vfFF"), ("sincosl", "veEE"),
    ("sinf", "ff"), ("sinh", "dd"), ("sinhf", "ff"), ("sinhl", "ee"), ("sinl", "ee"), ("sleep", "ii"),
    ("snprintf", "iszS."), ("sprintf", "isS."), ("sqrt", "dd"), ("sqrtf", "ff"), ("sqrtl", "ee"), ("srand", "vu"),
    ("sscanf", "iSS."), ("stpcpy", "ssS"), ("stpncpy", "ssSz"), ("strcasecmp", "iSS"), ("strcasestr", "sSS"),
    ("strcat", "ssS"), ("strchr", "sSi"), ("strchrnul", "sSi"), ("strcmp", "iSS"), ("strcoll", "iSS"),
    ("strcpy", "ssS"), ("strcspn", "zSS"), ("strdup", "sS"), ("strerror", "si"), ("strlcat", "zsSz"),
    ("strlcpy", "zsSz"), ("strlen", "zS"), ("strncasecmp", "iSSz"), ("strncat", "ssSz"), ("strncmp", "iSSz"),
    ("strncpy", "ssSz"), ("strndup", "sSz"), ("strnlen", "zSz"), ("strpbrk", "sSS"), ("strrchr", "sSi"),
    ("strspn", "zSS"), ("strstr", "sSS"), ("strtod", "dSp"), ("strtof", "fSp"), ("strtoimax", "xSpi"),
    ("strtok", "ssS"), ("strtol", "lSpi"), ("strtold", "eSp"), ("strtoll", "xSpi"), ("strtoul", "mSpi"),
    ("strtoull", "ySpi"), ("strtoumax", "ySpi"), ("strxfrm", "zsSz"), ("system", "iS"), ("tan", "dd"), ("tanf", "ff"),
    ("tanh", "dd"), ("tanhf", "ff"), ("tanhl", "ee"), ("tanl", "ee"), ("tgamma", "dd"), ("tgammaf", "ff"),
    ("tgammal", "ee"), ("time", "lp"), ("toascii", "ii"), ("tolower", "ii"), ("toupper", "ii"), ("trunc", "dd"),
    ("truncf", "ff"), ("truncl", "ee"), ("ungetc", "iip"), ("valloc", "pz"), ("vfprintf", "ipSa"),
    ("vfscanf", "ipSa"), ("vprintf", "iSa"), ("vscanf", "iSa"), ("vsnprintf", "iszSa"), ("vsprintf", "isSa"),
    ("vsscanf", "iSSa"), ("y0", "dd"), ("y0f", "ff"), ("y0l", "ee"), ("y1", "dd"), ("y1f", "ff"), ("y1l", "ee"),
    ("yn", "did"), ("ynf", "fif"), ("ynl", "eie"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::TABLE.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(super::signature("memcpy"), Some("ppPz"));
        assert_eq!(super::signature("nonsense"), None);
    }
}
