//! Models of the C library, written in C. A model is linked when the program uses a name that it defines.
//!
//! The files need no preprocessing and compile under every data model. Each function carries a line that says which checks
//! it makes. What they can't say in C they ask of the IR's intrinsics, as functions named `__cairn_…`.

/// One file of models.
#[derive(Debug)]
pub struct Model {
    /// `<cairn/string.c>`.
    pub name: &'static str,
    /// C text that needs no preprocessing, see [`Model::text`].
    source: &'static str,
    /// The external names it defines, sorted.
    pub defines: &'static [&'static str],
}

/// The real types: their names, what the names of their functions end with, gcc's letter for them.
const REALS: [(&str, &str, &str); 3] = [("float", "f", "s"), ("double", "", "d"), ("long double", "l", "x")];

impl Model {
    /// C text that needs no preprocessing. What stands between `/* REAL: types */` and `/* REAL: end */` in the file is there once
    /// for each of the types, which `REAL` stands for; `SUFFIX` and `MODE` are parts of names that go with it.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.source.len());
        let mut rest = self.source;
        while let Some((before, generic)) = rest.split_once("/* REAL: ")
            && let Some((types, generic)) = generic.split_once(" */")
            && let Some((body, after)) = generic.split_once("/* REAL: end */")
        {
            text.push_str(before);
            for (name, suffix, mode) in REALS {
                if types.split(", ").any(|ty| ty == name) {
                    text.push_str(&body.replace("REAL", name).replace("SUFFIX", suffix).replace("MODE", mode));
                }
            }
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

/// The next model that defines one of the names and is not in `added` (which it is put into).
pub fn missing_model(undefined: &[String], added: &mut Vec<&'static str>) -> Option<&'static Model> {
    let model = MODELS.iter().find(|model| {
        !added.contains(&model.name) && undefined.iter().any(|name| model.defines.binary_search(&name.as_str()).is_ok())
    })?;
    added.push(model.name);
    Some(model)
}

macro_rules! models {
    ($($file:literal $(= $($part:literal)+)?: [$($name:literal),* $(,)?],)*) => {
        /// Every model.
        pub static MODELS: &[Model] = &[$(Model {
            name: concat!("<cairn/", $file, ">"),
            source: models!(@source $file $($($part)+)?),
            defines: &[$($name),*],
        },)*];
    };
    (@source $file:literal) => { include_str!($file) };
    // A model of several files is one unit, made of them in this order.
    (@source $file:literal $($part:literal)+) => { concat!($(include_str!($part), "\n"),+) };
}

models! {
    "string.c": [
        "__mempcpy", "__strdup", "__strndup", "__strtok_r", "bcmp", "bcopy", "bzero", "explicit_bzero", "ffs",
        "ffsl", "ffsll", "index", "memccpy", "memchr", "memmem", "mempcpy", "memrchr", "rawmemchr", "rindex",
        "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr", "strchrnul", "strcmp", "strcoll",
        "strcpy", "strcspn", "strdup", "strlcat", "strlcpy", "strncasecmp", "strncat", "strncmp", "strncpy",
        "strndup", "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtok", "strtok_r", "strxfrm",
    ],
    "ctype.c": [
        "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "isalnum", "isalpha", "isascii", "isblank",
        "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit",
        "toascii", "tolower", "toupper",
    ],
    "stdio.c" = "stdio/stream.c" "stdio/print.c" "stdio/output.c" "stdio/input.c" "stdio/state.c" "stdio/files.c"
        "stdio/memory.c": [
        "_IO_getc", "_IO_putc", "asprintf", "clearerr", "dprintf", "fclose", "fdopen", "feof", "feof_unlocked",
        "ferror", "ferror_unlocked", "fflush", "fflush_unlocked", "fgetc", "fgetc_unlocked", "fgets",
        "fgets_unlocked", "fileno", "flockfile", "fmemopen", "fopen", "fopen64", "fprintf", "fputc", "fputc_unlocked",
        "fputs", "fputs_unlocked", "fread", "fread_unlocked", "freopen", "fseek", "fseeko", "ftell", "ftello",
        "funlockfile", "fwrite", "fwrite_unlocked", "getc", "getc_unlocked", "getchar", "getchar_unlocked",
        "getdelim", "getline", "gets", "open_memstream", "printf", "putc", "putc_unlocked", "putchar",
        "putchar_unlocked", "puts", "remove", "rename", "rewind", "setbuf", "setbuffer", "setlinebuf", "setvbuf",
        "snprintf", "sprintf", "stderr", "stdin", "stdout", "tmpfile", "ungetc", "unlink", "vasprintf", "vdprintf",
        "vfprintf", "vprintf", "vsnprintf", "vsprintf",
    ],
    "scan.c": [
        "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf", "__isoc23_vfscanf", "__isoc23_vscanf",
        "__isoc23_vsscanf", "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__isoc99_vfscanf",
        "__isoc99_vscanf", "__isoc99_vsscanf", "fscanf", "scanf", "sscanf", "vfscanf", "vscanf", "vsscanf",
    ],
    "stdlib.c": [
        "abs", "bsearch", "cfree", "div", "getenv", "imaxabs", "imaxdiv", "labs", "ldiv", "lfind", "llabs", "lldiv",
        "malloc_usable_size", "memalign", "posix_memalign", "qsort", "qsort_r", "reallocarray", "secure_getenv",
        "valloc",
    ],
    "number.c": [
        "__isoc23_strtoimax", "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull",
        "__isoc23_strtoumax", "__strtol_internal", "atof", "atoi", "atol", "atoll", "strtod", "strtof", "strtoimax",
        "strtol", "strtold", "strtoll", "strtoq", "strtoul", "strtoull", "strtoumax", "strtouq",
    ],
    "exit.c": [
        "_Exit", "_exit", "at_quick_exit", "atexit", "exit", "on_exit", "quick_exit",
    ],
    "random.c": [
        "drand48", "lrand48", "mrand48", "rand", "rand_r", "random", "srand", "srand48", "srandom",
    ],
    "errno.c": [
        "__errno_location", "__xpg_strerror_r", "perror", "strerror", "strerror_r",
    ],
    "math.c": [
        "__finite", "__finitef", "__finitel", "__fpclassify", "__fpclassifyf", "__fpclassifyl", "__isinf",
        "__isinff", "__isinfl", "__isnan", "__isnanf", "__isnanl", "__signbit", "__signbitf", "__signbitl",
        "finite", "finitef", "finitel", "frexp", "frexpf", "frexpl", "ilogb", "ilogbf", "ilogbl", "isinf", "isinff",
        "isinfl", "isnan", "isnanf", "isnanl", "ldexp", "ldexpf", "ldexpl", "llrint", "llrintf", "llrintl",
        "llround", "llroundf", "llroundl", "logb", "logbf", "logbl", "lrint", "lrintf", "lrintl", "lround",
        "lroundf", "lroundl", "modf", "modff", "modfl", "nan", "nanf", "nanl", "nearbyint", "nearbyintf",
        "nearbyintl", "nextafter", "nextafterf", "scalbln", "scalblnf", "scalblnl", "scalbn", "scalbnf", "scalbnl",
    ],
    "complex.c": [
        "__divcdi3", "__divdc3", "__divsc3", "__divxc3", "__muldc3", "__mulsc3", "__mulxc3", "__udivcdi3", "cabs", "cabsf", "cabsl", "cimag",
        "cimagf", "cimagl", "conj", "conjf", "conjl", "cproj", "cprojf", "cprojl", "creal", "crealf", "creall",
    ],
    "time.c": [
        "clock", "clock_gettime", "difftime", "gettimeofday", "gmtime", "gmtime_r", "localtime", "localtime_r",
        "mktime", "nanosleep", "sleep", "time", "timegm", "timespec_get", "usleep",
    ],
    "system.c": [
        "access", "close", "geteuid", "getpagesize", "getpid", "getppid", "getuid", "isatty", "open", "read",
        "sched_yield", "sigaction", "sigaddset", "sigdelset", "sigemptyset", "sigfillset",
        "sigismember", "signal", "write",
    ],
    "locale.c": [
        "localeconv", "setlocale",
    ],
    "folder.c": [
        "chdir", "chmod", "chown", "creat", "fsync", "lseek", "lseek64", "lstat", "lstat64", "mkdir", "open64",
        "opendir", "readlink", "realpath", "rmdir", "stat", "stat64", "truncate", "utime", "utimes",
    ],
    "strftime.c": [
        "asctime", "asctime_r", "ctime", "ctime_r", "strftime",
    ],
    "getopt.c": [
        "getopt", "getopt_long", "optarg", "opterr", "optind", "optopt",
    ],
    "wchar.c": [
        "wcscat", "wcschr", "wcscmp", "wcscpy", "wcslen", "wcsncmp", "wcsncpy", "wmemcmp", "wmemcpy", "wmemmove",
        "wmemset",
    ],
    "fortify.c": [
        "__asprintf_chk", "__dprintf_chk", "__fgets_chk", "__fprintf_chk", "__fread_chk", "__gets_chk",
        "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk", "__printf_chk", "__snprintf_chk",
        "__sprintf_chk", "__stpcpy_chk", "__stpncpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk",
        "__strncpy_chk", "__vasprintf_chk", "__vdprintf_chk", "__vfprintf_chk", "__vprintf_chk", "__vsnprintf_chk",
        "__vsprintf_chk",
    ],
}

#[cfg(test)]
mod tests {
    use cairn_ir::layout::Target;

    use super::*;
    use crate::{Input, compile};

    /// The external names that a model defines, read off its text: definitions start in the first column, and a function's
    /// brace stands alone on the next line.
    fn defined_names(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        let mut names = Vec::new();
        for (i, line) in lines.iter().enumerate() {
            let starts = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts || ["static ", "typedef ", "extern ", "struct ", "enum "].iter().any(|k| line.starts_with(k)) {
                // A function that returns a struct or enum is a definition all the same.
                if !(line.starts_with("struct ") && line.ends_with(')')) {
                    continue;
                }
            }
            let head = if lines.get(i + 1) == Some(&"{") {
                let end = line.find('(').expect("a function has parameters");
                // The function returned by `signal` puts the name inside a declarator.
                match line[end..].strip_prefix("(*") {
                    Some(inner) => &inner[..inner.find('(').expect("a function has parameters")],
                    None => &line[..end],
                }
            } else if line.ends_with(';') && !line.contains('(') {
                line.split(" =").next().expect("split yields at least one part").trim_end_matches(';')
            } else {
                continue;
            };
            names.push(head.rsplit([' ', '*']).next().expect("split yields at least one part"));
        }
        names.sort_unstable();
        names
    }

    #[test]
    fn listed_names_are_the_defined_ones() {
        for model in MODELS {
            let text = model.text();
            assert_eq!(defined_names(&text), model.defines, "{}", model.name);
        }
    }

    #[test]
    fn no_name_is_defined_twice() {
        let mut all: Vec<&str> = MODELS.iter().flat_map(|m| m.defines).copied().collect();
        all.sort_unstable();
        for pair in all.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn every_function_says_which_checks_it_makes() {
        for model in MODELS {
            let text = model.text();
            for name in model.defines {
                let comment = format!("/* {name}");
                let object = format!("*{name} = ");
                assert!(
                    text.contains(&format!("{comment}:"))
                        || text.contains(&format!("{comment} ("))
                        || text.contains(&object),
                    "{name} in {} has no line about its checks",
                    model.name
                );
            }
        }
    }

    #[test]
    fn a_model_is_given_once_and_only_when_needed() {
        let mut added = Vec::new();
        let wanted = ["strcpy".to_owned(), "no_such_function".to_owned()];
        assert_eq!(missing_model(&wanted, &mut added).map(|m| m.name), Some("<cairn/string.c>"));
        assert!(missing_model(&wanted, &mut added).is_none());
    }

    #[test]
    fn every_model_compiles_without_a_word_under_both_data_models() {
        for model in MODELS {
            for target in [Target::Ilp32, Target::Lp64] {
                let input = Input { name: model.name.to_owned(), text: model.text() };
                let compilation = compile(vec![input], target);
                let places: Vec<String> = compilation
                    .diagnostics
                    .iter()
                    .map(|d| format!("line {}: {}", compilation.sources.locate(d.span.start).line, d.message))
                    .collect();
                assert!(places.is_empty(), "{} under {target:?}: {places:#?}", model.name);
            }
        }
    }
}
