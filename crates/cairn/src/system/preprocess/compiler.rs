//! The compiler's command line. Only the user's own options reach it; a file can be named like an option and stays a file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::{COptions, DataModel};

/// Variables with which the environment could make a compiler write files, start other programs or change its options. Search paths
/// for headers (`CPATH`) stay: they do what `-I` does.
const REMOVED_VARIABLES: [&str; 9] = [
    "CCC_ADD_ARGS",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "DEPENDENCIES_OUTPUT",
    "GCC_COMPARE_DEBUG",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "QA_OVERRIDE_GCC3_OPTIONS",
    "SUNPRO_DEPENDENCIES",
];

/// A compiler that is installed.
pub(super) struct Compiler {
    program: PathBuf,
    /// The arguments that the user has given with the name of the compiler.
    arguments: Vec<OsString>,
}

impl Compiler {
    /// Chooses the compiler of `--cc`, of `$CC`, or `cc`. The error is a message about the file to preprocess.
    pub(super) fn choose(options: &COptions, file: &Path) -> Result<Self, String> {
        // gcc passes the name without its folder on to a program of its own, which takes it for a file of options.
        if file.file_name().is_some_and(|name| starts_with(name, b"@")) {
            return Err(format!(
                "cannot preprocess '{}': compilers take a name with `@` for a file of options",
                file.display()
            ));
        }
        // gcc passes macros on as words of their own, too.
        if let Some(name) = options.defines.iter().chain(&options.undefines).find(|name| starts_with(name, b"@")) {
            return Err(format!("not the name of a macro: '{}'", name.display()));
        }
        let words = match &options.cc {
            Some(cc) => cc.clone(),
            None => std::env::var_os("CC").filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".into()),
        };
        // A path with blanks is one word.
        let mut parts: Vec<OsString> = match words.to_str() {
            Some(text) if !Path::new(text).is_file() || !text.contains('/') => {
                text.split_whitespace().map(OsString::from).collect()
            }
            _ => vec![words.clone()],
        };
        let name = if parts.is_empty() { "cc".into() } else { parts.remove(0) };
        let search = std::env::var_os("PATH").unwrap_or_default();
        let program = find_program(&name, &search).ok_or_else(|| {
            format!(
                "cannot preprocess '{}': C compiler `{}` not found\nhelp: install a C compiler, name one with --cc or $CC, or pass \
                 a preprocessed file (.i)",
                file.display(),
                name.to_string_lossy()
            )
        })?;
        Ok(Self { program, arguments: parts })
    }

    /// Returns the name of the compiler for messages.
    pub(super) fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// Returns the command without further arguments.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env("LC_ALL", "C");
        for name in REMOVED_VARIABLES {
            command.env_remove(name);
        }
        command
    }

    /// Returns the command that preprocesses a file.
    pub(super) fn preprocess(&self, path: &Path, options: &COptions, extra: &[OsString]) -> Command {
        let mut command = self.command();
        command.args(["-E", "-x", "c"]);
        if options.data_model == DataModel::Ilp32 {
            command.arg("-m32");
        }
        if options.no_warnings {
            command.arg("-w");
        }
        if let Some(standard) = &options.standard {
            command.arg(joined("-std=", standard));
        }
        command.args(options.defines.iter().map(|define| joined("-D", define)));
        command.args(options.undefines.iter().map(|name| joined("-U", name)));
        command.args(options.include_dirs.iter().map(|dir| joined("-I", as_file(Path::new(dir)).as_os_str())));
        for file in &options.includes {
            command.arg("-include").arg(as_file(Path::new(file)));
        }
        command.args(&options.flags).args(extra);
        command.arg(if path == Path::new("-") { path.to_path_buf() } else { as_file(path) });
        command
    }
}

/// Returns a spelling of a path that no compiler takes for an option or for a file of options.
fn as_file(path: &Path) -> PathBuf {
    if starts_with(path.as_os_str(), b"-") || starts_with(path.as_os_str(), b"@") {
        Path::new(".").join(path)
    } else {
        path.to_path_buf()
    }
}

fn starts_with(text: &OsStr, prefix: &[u8]) -> bool {
    text.as_encoded_bytes().starts_with(prefix)
}

/// Returns the program with this name. Without a slash, it is looked for in the absolute folders of the search path: a relative one
/// would take a program from the folder that is analysed.
fn find_program(name: &OsStr, search: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Path::new(name).is_file().then(|| PathBuf::from(name));
    }
    std::env::split_paths(search)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut joined = OsString::from(option);
    joined.push(value);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_options() {
        let of = |path: &str| as_file(Path::new(path)).display().to_string();
        assert_eq!(of("-fplugin=evil.so"), "./-fplugin=evil.so");
        assert_eq!(of("@options"), "./@options");
        assert_eq!(of("a/@b.c"), "a/@b.c");
    }

    #[test]
    fn every_argument_is_an_option_of_the_user_or_a_file() {
        let compiler = Compiler { program: "/bin/cc".into(), arguments: Vec::new() };
        let mut options = COptions::plain(DataModel::Ilp32);
        options.defines.push("x=-fplugin=x".into());
        options.include_dirs.push("-B.".into());
        options.include_dirs.push("@x".into());
        options.includes.push("@y".into());
        options.standard = Some("c99 -fplugin=x".into());
        let command = compiler.preprocess(Path::new("-z.c"), &options, &[]);
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let expected = [
            "-E",
            "-x",
            "c",
            "-m32",
            "-w",
            "-std=c99 -fplugin=x",
            "-Dx=-fplugin=x",
            "-I./-B.",
            "-I./@x",
            "-include",
            "./@y",
            "./-z.c",
        ];
        assert_eq!(arguments, expected);
        assert!(command.get_envs().any(|(name, value)| name == "DEPENDENCIES_OUTPUT" && value.is_none()));
    }

    #[test]
    fn programs_come_from_absolute_folders() {
        assert!(find_program("sh".as_ref(), "/bin:/usr/bin".as_ref()).is_some());
        assert_eq!(find_program("Cargo.toml".as_ref(), ".::".as_ref()), None);
        assert_eq!(find_program("src".as_ref(), env!("CARGO_MANIFEST_DIR").as_ref()), None);
        assert_eq!(find_program("./no-such-program".as_ref(), "/bin".as_ref()), None);
    }
}
