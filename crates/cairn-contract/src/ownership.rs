//! Who owns memory that crosses the border to functions without a body.
//!
//! The C library's functions are known. For other functions, the types and the usual naming conventions decide: `config_new` returns
//! memory that its caller owns, `config_set (config, …)` works on its first argument without keeping it, and everything else may keep
//! or free what it gets without `const`.

use cairn_ir::ctype::{FunctionType, Quals, Type, TypeId};
use cairn_ir::{Program, layout};

/// What an unknown function may do with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Permission {
    /// Only read it: a number, or a pointer to constant data.
    Read,
    /// Write to its object, of which this many bytes are known to be meant, but not keep it.
    Write(Option<u64>),
    /// Write to its object, and keep or free it, unless the function fails.
    Take(Option<u64>),
    /// Write to its object, and keep or free it in any case.
    Consume(Option<u64>),
}

/// The result of a function that returns memory or a resource which its caller owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Made {
    /// Null on failure: the caller has to check.
    OrNull,
    /// Perhaps null on failure; an unchecked result is not a fault.
    PerhapsNull,
}

/// The result of a function that has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// Null or false.
    Zero,
    /// A negative number.
    Negative,
}

/// Functions of the C library that open a stream or a directory.
const OPENING: &[&str] = &["fdopen", "fdopendir", "fopen", "fopen64", "opendir", "popen", "tmpfile", "tmpfile64"];

/// Returns whether a function of the C library returns a new stream.
pub(crate) fn opens_stream(name: &str) -> bool {
    OPENING.contains(&name) && !name.contains("dir")
}

/// Functions of the C library without a model that only use what they get. Those on threads end in anything but `create`.
const BORROWING: &[&str] = &[
    "dirfd",
    "fcntl",
    "fgetpos",
    "flock",
    "fsetpos",
    "fstat",
    "ftruncate",
    "getaddrinfo",
    "gettimeofday",
    "ioctl",
    "poll",
    "readdir",
    "readdir64",
    "readdir_r",
    "recv",
    "recvfrom",
    "rewinddir",
    "seekdir",
    "select",
    "send",
    "sendto",
    "setvbuf",
    "sigaction",
    "telldir",
];

/// Functions of the C library whose models belong to a machine without files. Library code has to work on any machine.
const OF_FILES: &[&str] = &[
    "access", "chdir", "chmod", "chown", "close", "closedir", "creat", "fclose", "fdopen", "fopen", "fopen64", "fstat",
    "fstat64", "fsync", "lseek", "lseek64", "lstat", "lstat64", "mkdir", "open", "open64", "opendir", "read",
    "readdir", "readlink", "realpath", "remove", "rename", "rmdir", "stat", "stat64", "tmpfile", "truncate", "unlink",
    "utime", "utimes", "write",
];

/// Returns whether the model of a function describes a machine without files.
pub(crate) fn is_of_files(name: &str) -> bool {
    OF_FILES.contains(&name)
}

/// The last word of a function that returns new memory.
const MAKING: &[&str] = &["alloc", "alloc0", "clone", "create", "dup", "new"];

/// The ends of names of allocators.
const ALLOCATING: &[&str] = &["calloc", "malloc", "memdup", "strdup", "strndup", "zalloc"];

/// Words of functions that end the life of their argument or take it over.
const ENDING: &[&str] = &[
    "close", "consume", "delete", "destroy", "dispose", "drop", "fini", "free", "join", "own", "release", "steal",
    "take", "transfer", "unref",
];

/// Words of functions that keep their argument.
const KEEPING: &[&str] =
    &["activate", "attach", "install", "publish", "register", "schedule", "spawn", "start", "submit"];

/// Words of functions that report an error and end the program.
const FATAL: &[&str] = &["abort", "bail", "croak", "die", "exit", "fatal", "panic"];

/// Returns whether a function without a body ends the program: by its name, or `error` with a status other than 0.
pub(crate) fn is_fatal(name: &str, first: Option<u128>) -> bool {
    if ["error", "error_at_line"].contains(&name) {
        return first.is_some_and(|status| status != 0);
    }
    words(name).iter().any(|word| FATAL.contains(&word.as_str()))
}

/// Returns the words of a name, in lower case: `p11_dict_new` and `dictNew` both end in `new`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if let (Some(last), true) = (words.last_mut(), c != '_') {
            last.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a function without a body returns memory that its caller owns.
pub(crate) fn made(program: &Program, name: &str, function: &FunctionType) -> Option<Made> {
    let Type::Pointer(to) = program.types.get(function.ret.ty) else { return None };
    if to.quals.has(Quals::CONST) || matches!(program.types.get(to.ty), Type::Function(_)) {
        return None;
    }
    if OPENING.contains(&name) {
        return Some(Made::OrNull);
    }
    let words = words(name);
    let last = words.last()?.as_str();
    // A function that returns what it gets, such as `list_new (list)`, may return the same object.
    let passes_on = function.params.contains(&function.ret.ty) && !last.ends_with("dup") && last != "clone";
    let makes = MAKING.contains(&last) || ALLOCATING.iter().any(|end| last.ends_with(end));
    (makes && !passes_on).then_some(Made::PerhapsNull)
}

/// Returns what a function without a body may do with an argument.
pub(crate) fn permission(program: &Program, name: &str, function: &FunctionType, parameter: usize) -> Permission {
    let Some(&ty) = function.params.get(parameter) else {
        return if formats(program, function) { Permission::Write(None) } else { Permission::Consume(None) };
    };
    let Type::Pointer(to) = program.types.get(ty) else { return Permission::Consume(None) };
    if to.quals.has(Quals::CONST) {
        return Permission::Read;
    }
    let is_bytes = is_char(to.ty) || to.ty == TypeId::VOID;
    let is_sized = !is_bytes && !matches!(program.types.get(to.ty), Type::Function(_));
    let size = if is_sized { layout::size_of(&program.types, program.target, to.ty) } else { None };
    if BORROWING.contains(&name) || (name.starts_with("pthread_") && !name.ends_with("create")) {
        return Permission::Write(size);
    }
    let words = words(name);
    // `device_put (device)` drops a reference, and `map_put (map, key)` keeps it.
    let drops = function.params.len() == 1 && words.last().is_some_and(|word| word == "put");
    // A stream is closed even if `fclose` reports that its data could not be written.
    let ends = |word: &str| ENDING.contains(&word) || word.ends_with("free") || word.ends_with("close");
    if drops || name == "closedir" || words.iter().any(|word| ends(word)) {
        return Permission::Consume(size);
    }
    if words.iter().any(|word| KEEPING.contains(&word.as_str())) {
        return Permission::Take(size);
    }
    // A buffer with its length, or an object with a function of its module.
    let next_is_length = function.params.get(parameter + 1).is_some_and(|&ty| is_length(program, ty));
    let is_method =
        parameter == 0 && ty != function.ret.ty && is_of_module(program, to.ty, &words, function.params.len());
    if (is_bytes && next_is_length) || is_method { Permission::Write(size) } else { Permission::Take(size) }
}

/// Returns whether a function with these words in its name belongs to the module of a struct.
///
/// The first word must be that of the struct's tag. A function of one argument, which can hardly do anything else than change or keep it,
/// needs the whole tag.
fn is_of_module(program: &Program, ty: TypeId, function: &[String], parameters: usize) -> bool {
    let Type::Record(record) = program.types.get(ty) else { return false };
    let Some(tag) = &program.types.record(*record).tag else { return false };
    let mut tag = words(tag);
    while tag.len() > 1 && tag.last().is_some_and(|word| word.len() == 1) {
        tag.pop();
    }
    let needed = if parameters > 1 { 1 } else { tag.len() };
    needed > 0 && function.len() > needed && tag.iter().zip(function).take(needed).all(|(a, b)| a == b)
}

/// Returns whether a parameter may be the length of a buffer: a number, or a pointer to a number that the function updates.
fn is_length(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Int(_) => true,
        Type::Pointer(to) => !is_char(to.ty) && matches!(program.types.get(to.ty), Type::Int(_)),
        _ => false,
    }
}

/// Returns whether a pointer of this type into the middle of an object may keep the object, as the link of a list does.
///
/// A struct with a pointer to its own type is a link. Nothing is known about bytes and incomplete types.
pub(crate) fn may_link(program: &Program, function: &FunctionType, parameter: usize) -> bool {
    let Some(&ty) = function.params.get(parameter) else { return true };
    let Type::Pointer(to) = program.types.get(ty) else { return true };
    match program.types.get(to.ty) {
        Type::Record(id) => {
            let record = program.types.record(*id);
            let is_link = |ty: TypeId| matches!(program.types.get(ty), Type::Pointer(link) if link.ty == to.ty);
            !record.complete || record.fields.iter().any(|field| is_link(field.ty.ty))
        }
        Type::Int(_) => is_char(to.ty),
        _ => true,
    }
}

/// Returns the way in which a function reports that it has failed, by the type of its result.
pub(crate) fn failure(program: &Program, function: &FunctionType) -> Option<Failure> {
    match program.types.get(function.ret.ty) {
        Type::Pointer(_) => Some(Failure::Zero),
        Type::Int(_) if function.ret.ty == TypeId::BOOL => Some(Failure::Zero),
        Type::Int(_) if [TypeId::INT, TypeId::LONG].contains(&function.ret.ty) => Some(Failure::Negative),
        _ => None,
    }
}

fn is_char(ty: TypeId) -> bool {
    [TypeId::CHAR, TypeId::SCHAR, TypeId::UCHAR].contains(&ty)
}

/// Returns whether a variadic function formats its arguments like `printf`: the last named one is a constant string.
fn formats(program: &Program, function: &FunctionType) -> bool {
    let last = function.params.last().map(|&ty| program.types.get(ty));
    matches!(last, Some(Type::Pointer(to)) if to.quals.has(Quals::CONST) && is_char(to.ty))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_have_words() {
        assert_eq!(words("p11_dict_new"), ["p11", "dict", "new"]);
        assert_eq!(words("dictNew"), ["dict", "new"]);
        assert_eq!(words("xmalloc"), ["xmalloc"]);
        assert_eq!(words("_cJSON_New_Item"), ["c", "json", "new", "item"]);
    }
}
