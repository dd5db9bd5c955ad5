//! The C library: models written in C, and the binding of library names to the IR's intrinsics.
//!
//! A model is linked if the program uses a name that it defines. Most files are named after the header whose functions they
//! define: those of ISO C are in `c/`, `stdio/` and `scan/`, the others in `posix/`. The files need no preprocessing and compile
//! under every data model. A comment before each function lists its checks, as requirements on its arguments. Operations that C
//! cannot express are calls to the IR's intrinsics, as functions named `__cairn_…`.
//!
//! Functions that depend on the world outside of the program have two faces ([`Face`]). The *exact* face is executed by `cairn run`. The
//! *world* face, in `world/`, returns any value that the standard allows. It is plain C over inputs (`__cairn_any_…`) and assumptions,
//! so that a harness can contain it.
//!
//! `names.rs` is the table of names that stand for an intrinsic, and `bind.rs` rewrites their calls. A definition by the user
//! wins over both, except for the error functions that a property names.

mod bind;
pub mod described;
mod names;
pub mod start;

use cairn_ir::program::SVCOMP_ERROR_FUNCTIONS;

pub(crate) use self::bind::run as bind;
pub(crate) use self::names::returns_again;

/// The behaviours of `realloc(p, 0)` that are considered. C11 permits both, and C23 makes the call undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReallocZero {
    /// The call frees the object and returns null, or returns a new object of no bytes.
    Any,
    /// The call frees the object and returns null, as in glibc.
    Glibc,
}

/// The treatment of functions of the C library that no model can express: threads, processes, signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unmodelled {
    /// A call is unsupported.
    #[default]
    Unsupported,
    /// In code without a `main`, they are functions without a body like those of other files.
    UnknownInLibraries,
    /// They are functions without a body.
    Unknown,
}

/// Which behaviour of the world a program meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// The behaviour of one machine: glibc's random numbers, an empty environment, no files.
    Exact,
    /// Every behaviour that the standard allows. Each choice is an input.
    World,
}

/// Returns whether the C library has a function of this name, which a compiled program can therefore call.
pub(crate) fn is_of_c(name: &str) -> bool {
    !name.starts_with("__VERIFIER_") && !SVCOMP_ERROR_FUNCTIONS.contains(&name) && is_library_function(name)
}

/// Returns whether a function of the C library with this name has a meaning or a model.
pub fn is_modelled(name: &str) -> bool {
    has_model(name) || is_library_function(name)
}

/// Returns whether a model defines the name.
pub(crate) fn has_model(name: &str) -> bool {
    MODELS.iter().any(|model| model.defines.binary_search(&name).is_ok())
}

/// Returns whether a function of this name has a meaning where nobody defines it.
pub(crate) fn is_library_function(name: &str) -> bool {
    names::binding(name).is_some()
}

/// One model file.
#[derive(Debug)]
pub struct Model {
    /// The file name, such as `<cairn/string.c>`.
    pub name: &'static str,
    /// The text with generic parts, which [`Model::text`] expands.
    source: &'static str,
    /// The text of the world face, if it differs.
    world: Option<&'static str>,
    /// The external names that the file defines, sorted.
    pub defines: &'static [&'static str],
}

/// The real types: their name, the suffix of their functions' names, and gcc's letter for them.
const REALS: [(&str, &str, &str); 3] = [("float", "f", "s"), ("double", "", "d"), ("long double", "l", "x")];

impl Model {
    /// Whether the world face differs from the exact one.
    pub fn has_world_face(&self) -> bool {
        self.world.is_some()
    }

    /// Returns the C text of the model, which needs no preprocessing.
    ///
    /// The text between `/* REAL: types */` and `/* REAL: end */` is instantiated for each of the types. In it, `REAL`
    /// stands for the type, and `SUFFIX` and `MODE` for the corresponding parts of names.
    pub fn text(&self, face: Face) -> String {
        let source = if face == Face::World { self.world.unwrap_or(self.source) } else { self.source };
        let mut text = String::with_capacity(source.len());
        let mut rest = source;
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

/// The functions of the C library whose result must fit its type, which the caller has to ensure.
pub(crate) const REQUIRE_DEFINED_RESULTS: &[&str] =
    &["abs", "labs", "llabs", "imaxabs", "div", "ldiv", "lldiv", "imaxdiv"];

/// Returns the next model that defines one of the names and is not in `added`, and adds it there.
pub fn missing_model(undefined: &[String], added: &mut Vec<&'static str>) -> Option<&'static Model> {
    let model = MODELS.iter().find(|model| {
        !added.contains(&model.name) && undefined.iter().any(|name| model.defines.binary_search(&name.as_str()).is_ok())
    })?;
    added.push(model.name);
    Some(model)
}

macro_rules! models {
    ($($file:literal = $($part:literal)+ $(| $($world:literal)+)?: [$($name:literal),* $(,)?],)*) => {
        /// All models.
        pub static MODELS: &[Model] = &[$(Model {
            name: concat!("<cairn/", $file, ">"),
            source: models!(@source $($part)+),
            world: models!(@world $($($world)+)?),
            defines: &[$($name),*],
        },)*];
    };
    (@source $part:literal) => { include_str!($part) };
    (@world) => { None };
    (@world $($part:literal)+) => { Some(concat!($(include_str!($part), "\n"),+)) };
    // A model of several files is their concatenation in this order.
    (@source $($part:literal)+) => { concat!($(include_str!($part), "\n"),+) };
}

models! {
    "string.c" = "c/string.c": [
        "__mempcpy", "__strdup", "__strndup", "__strtok_r", "bcmp", "bcopy", "bzero", "explicit_bzero", "ffs",
        "ffsl", "ffsll", "index", "memccpy", "memchr", "memmem", "mempcpy", "memrchr", "rawmemchr", "rindex",
        "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr", "strchrnul", "strcmp", "strcoll",
        "strcpy", "strcspn", "strdup", "strlcat", "strlcpy", "strncasecmp", "strncat", "strncmp", "strncpy",
        "strndup", "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtok", "strtok_r", "strxfrm",
    ],
    "ctype.c" = "c/ctype.c": [
        "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "isalnum", "isalpha", "isascii", "isblank",
        "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit",
        "toascii", "tolower", "toupper",
    ],
    "stdio.c" = "stdio/stream.c" "stdio/print.c" "stdio/output.c" "stdio/input.c" "stdio/state.c" "stdio/files.c"
        "stdio/memory.c" "stdio/wide.c"
        | "stdio/stream.c" "stdio/print.c" "stdio/output.c" "stdio/input.c" "stdio/state.c" "world/files.c"
        "stdio/memory.c" "stdio/wide.c": [
        "_IO_getc", "_IO_putc", "__cairn_close_descriptor", "__cairn_is_open", "__cairn_reads_memory", "asprintf",
        "clearerr", "dprintf",
        "fclose", "fdopen", "feof", "feof_unlocked", "ferror", "ferror_unlocked", "fflush", "fflush_unlocked",
        "fgetc", "fgetc_unlocked", "fgetpos", "fgets", "fgets_unlocked", "fgetwc", "fgetws", "fileno", "flockfile", "fmemopen",
        "fopen", "fopen64", "fprintf", "fputc", "fputc_unlocked", "fputs", "fputs_unlocked", "fputwc", "fputws",
        "fread", "fread_unlocked", "freopen", "fseek", "fseeko", "fsetpos", "ftell", "ftello", "funlockfile", "fwprintf",
        "fwrite", "fwrite_unlocked", "getc", "getc_unlocked", "getchar", "getchar_unlocked", "getdelim", "getline",
        "gets", "getwc", "getwchar", "open_memstream", "pclose", "popen", "printf", "putc", "putc_unlocked", "putchar",
        "putchar_unlocked", "puts", "putwc", "putwchar", "remove", "rename", "rewind", "setbuf", "setbuffer",
        "setlinebuf", "setvbuf", "snprintf", "sprintf", "stderr", "stdin", "stdout", "swprintf", "tmpfile", "ungetc",
        "unlink", "vasprintf", "vdprintf", "vfprintf", "vfwprintf", "vprintf", "vsnprintf", "vsprintf", "vswprintf",
        "vwprintf", "wprintf",
    ],
    "scan.c" = "scan/scan.c" "scan/exact.c" | "scan/scan.c" "world/scan.c": [
        "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf", "__isoc23_vfscanf", "__isoc23_vscanf",
        "__isoc23_vsscanf", "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__isoc99_vfscanf",
        "__isoc99_vscanf", "__isoc99_vsscanf", "fscanf", "scanf", "sscanf", "vfscanf", "vscanf", "vsscanf",
    ],
    "stdlib.c" = "c/stdlib.c": [
        "abs", "aligned_alloc", "bsearch", "cfree", "div", "imaxabs", "imaxdiv", "labs", "ldiv", "lfind", "llabs",
        "lldiv", "malloc_usable_size", "memalign", "posix_memalign", "qsort", "qsort_r", "reallocarray", "valloc",
    ],
    "environment.c" = "posix/environment.c" | "world/environment.c": [
        "getcwd", "getenv", "secure_getenv",
    ],
    "number.c" = "c/number.c": [
        "__isoc23_strtoimax", "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull",
        "__isoc23_strtoumax", "__strtol_internal", "atof", "atoi", "atol", "atoll", "strtod", "strtof", "strtoimax",
        "strtol", "strtold", "strtoll", "strtoq", "strtoul", "strtoull", "strtoumax", "strtouq",
    ],
    "exit.c" = "c/exit.c": [
        "_Exit", "_exit", "at_quick_exit", "atexit", "exit", "on_exit", "quick_exit",
    ],
    "random.c" = "c/random.c" | "world/random.c": [
        "drand48", "lrand48", "mrand48", "rand", "rand_r", "random", "srand", "srand48", "srandom",
    ],
    "errno.c" = "c/errno.c": [
        "__errno_location", "__xpg_strerror_r", "perror", "strerror", "strerror_r",
    ],
    "math.c" = "c/math.c": [
        "__finite", "__finitef", "__finitel", "__fpclassify", "__fpclassifyf", "__fpclassifyl", "__isinf",
        "__isinff", "__isinfl", "__isnan", "__isnanf", "__isnanl", "__signbit", "__signbitf", "__signbitl",
        "finite", "finitef", "finitel", "frexp", "frexpf", "frexpl", "ilogb", "ilogbf", "ilogbl", "isinf", "isinff",
        "isinfl", "isnan", "isnanf", "isnanl", "ldexp", "ldexpf", "ldexpl", "llrint", "llrintf", "llrintl",
        "llround", "llroundf", "llroundl", "logb", "logbf", "logbl", "lrint", "lrintf", "lrintl", "lround",
        "lroundf", "lroundl", "modf", "modff", "modfl", "nan", "nanf", "nanl", "nearbyint", "nearbyintf",
        "nearbyintl", "nextafter", "nextafterf", "scalbln", "scalblnf", "scalblnl", "scalbn", "scalbnf", "scalbnl",
    ],
    "complex.c" = "c/complex.c": [
        "__divcdi3", "__divdc3", "__divsc3", "__divxc3", "__muldc3", "__mulsc3", "__mulxc3", "__udivcdi3", "cabs", "cabsf", "cabsl", "cimag",
        "cimagf", "cimagl", "conj", "conjf", "conjl", "cproj", "cprojf", "cprojl", "creal", "crealf", "creall",
    ],
    "clock.c" = "posix/clock.c" | "world/clock.c": [
        "clock", "clock_gettime", "gettimeofday", "nanosleep", "sleep", "time", "timespec_get", "usleep",
    ],
    "time.c" = "c/time.c": [
        "difftime", "gmtime", "gmtime_r", "localtime", "localtime_r", "mktime", "timegm",
    ],
    "system.c" = "posix/system.c" | "world/system.c": [
        "access", "close", "open", "read", "sched_yield", "sigaction", "sigaddset", "sigdelset", "sigemptyset",
        "sigfillset", "sigismember", "signal", "write",
    ],
    "child.c" = "posix/child.c" | "world/child.c": [
        "alarm", "execl", "execlp", "execv", "execve", "execvp", "fork", "kill", "killpg", "pause", "raise",
        "sigprocmask", "sigsuspend", "system", "vfork", "wait", "waitpid",
    ],
    "process.c" = "posix/process.c" | "world/process.c": [
        "__cairn_forget_process", "getegid", "geteuid", "getgid", "getpagesize", "getpgrp", "getpid", "getppid",
        "getuid", "isatty",
    ],
    "mapping.c" = "posix/mapping.c": [
        "mmap", "mmap64", "munmap",
    ],
    "locale.c" = "c/locale.c": [
        "localeconv", "setlocale",
    ],
    "folder.c" = "posix/folder.c" | "world/folder.c": [
        "chdir", "chmod", "chown", "closedir", "creat", "fstat", "fstat64", "fsync", "lseek", "lseek64", "lstat",
        "lstat64", "mkdir", "open64", "opendir", "readdir", "readlink", "realpath", "rmdir", "stat", "stat64",
        "truncate", "utime", "utimes",
    ],
    "strftime.c" = "c/strftime.c": [
        "asctime", "asctime_r", "ctime", "ctime_r", "strftime",
    ],
    "getopt.c" = "posix/getopt.c": [
        "getopt", "getopt_long", "optarg", "opterr", "optind", "optopt",
    ],
    "wchar.c" = "c/wchar.c": [
        "wcscat", "wcschr", "wcscmp", "wcscpy", "wcscspn", "wcsdup", "wcslen", "wcsncat", "wcsncmp", "wcsncpy",
        "wcsnlen", "wcspbrk", "wcsrchr", "wcsspn", "wcsstr", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset",
    ],
    "fortify.c" = "posix/fortify.c": [
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

    /// Returns the external names that a model defines, found by its layout.
    ///
    /// Definitions start in the first column, and the opening brace of a function is alone on the next line.
    fn defined_names(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        let mut names = Vec::new();
        for (i, line) in lines.iter().enumerate() {
            let starts = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts || ["static ", "typedef ", "extern ", "struct ", "enum "].iter().any(|k| line.starts_with(k)) {
                // A function that returns a struct is a definition nevertheless.
                if !(line.starts_with("struct ") && line.ends_with(')')) {
                    continue;
                }
            }
            let head = if lines.get(i + 1) == Some(&"{") {
                let end = line.find('(').expect("a function has parameters");
                // In `signal`, which returns a function pointer, the name is inside the declarator.
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

    fn both_faces() -> impl Iterator<Item = (&'static Model, Face)> {
        MODELS.iter().flat_map(|model| [(model, Face::Exact), (model, Face::World)])
    }

    #[test]
    fn listed_names_match_the_definitions() {
        for (model, face) in both_faces() {
            let text = model.text(face);
            assert_eq!(defined_names(&text), model.defines, "{} {face:?}", model.name);
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
    fn every_function_documents_its_checks() {
        for (model, face) in both_faces() {
            let text = model.text(face);
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
    fn models_are_added_once_and_on_demand() {
        let mut added = Vec::new();
        let wanted = ["strcpy".to_owned(), "no_such_function".to_owned()];
        assert_eq!(missing_model(&wanted, &mut added).map(|m| m.name), Some("<cairn/string.c>"));
        assert!(missing_model(&wanted, &mut added).is_none());
    }

    #[test]
    fn models_compile_without_diagnostics() {
        for (model, face) in both_faces() {
            for target in [Target::Ilp32, Target::Lp64] {
                let input = Input { name: model.name.to_owned(), text: model.text(face) };
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
