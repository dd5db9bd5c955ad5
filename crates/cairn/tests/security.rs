//! Nothing in the analysed files makes cairn execute programs, write files or quote files outside of them. See `docs/security.md`.

mod support;

use std::path::{Path, PathBuf};

use support::{cairn, finish, scratch};

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("the target folder is writable");
    file
}

/// Returns the names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("the folder is readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A program that needs the compiler's preprocessor.
const WITH_INCLUSION: &str = "#include <limits.h>\nint main(void) { return CHAR_BIT - 8; }\n";

#[test]
fn names_of_files_are_no_options_of_the_compiler() {
    let folder = scratch("security-names");
    // As an option or a file of options, each of these would make the compiler write `written`.
    write(&folder, "@a.c", WITH_INCLUSION);
    write(&folder, "a.c", "-o written\n");
    write(&folder, "-owritten.c", WITH_INCLUSION);
    write(&folder, "@b.h", "int b;\n");
    write(&folder, "b.h", "-o written\n");
    write(&folder, "c.c", WITH_INCLUSION);
    let here = folder.join("@a.c").display().to_string();
    let before = names(&folder);
    for (arguments, status) in [
        (vec!["@a.c"], 3),
        (vec!["./@a.c"], 3),
        (vec![&here], 3),
        (vec!["./-owritten.c"], 0),
        (vec!["-include", "@b.h", "c.c"], 0),
        (vec!["-I", "@b.h", "-include", "@b.h", "c.c"], 0),
        (vec!["-D", "@b.h", "c.c"], 3),
        (vec!["-U", "@b.h", "c.c"], 3),
    ] {
        let said = finish(cairn().arg("check").args(&arguments).current_dir(&folder));
        assert_eq!(said.status, status, "{arguments:?}: {}", said.stderr);
        assert_eq!(said.stderr.starts_with("error: "), status == 3, "{}", said.stderr);
        assert_eq!(names(&folder), before, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn no_compiler_is_taken_from_the_analysed_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scratch("security-compiler");
    let compiler = write(&folder, "cc", "#!/bin/sh\ntouch executed\nexit 1\n");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("created above");
    write(&folder, "a.c", WITH_INCLUSION);
    let path = std::env::var("PATH").expect("the tests need a search path");
    for search in [format!(".:{path}"), format!(":{path}"), format!("../security-compiler:{path}")] {
        let said = finish(cairn().args(["check", "a.c"]).env("PATH", search).current_dir(&folder));
        assert_eq!(said.status, 0, "{}", said.stderr);
        assert!(!folder.join("executed").exists());
    }
    // The user may ask for it.
    let said = finish(cairn().args(["check", "--cc", "./cc", "a.c"]).current_dir(&folder));
    assert_eq!(said.status, 3);
    assert!(folder.join("executed").exists());
}

#[test]
fn the_environment_does_not_make_the_compiler_write() {
    let folder = scratch("security-environment");
    write(&folder, "a.c", WITH_INCLUSION);
    let variables = [("DEPENDENCIES_OUTPUT", "written"), ("SUNPRO_DEPENDENCIES", "written"), ("GCC_EXEC_PREFIX", "./")];
    let said = finish(cairn().args(["check", "a.c"]).envs(variables).current_dir(&folder));
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert_eq!(names(&folder), ["a.c"]);
}

#[test]
fn pragmas_and_line_markers_do_nothing() {
    let folder = scratch("security-text");
    let outside = scratch("security-outside");
    let secret = write(&outside, "secret", "the secret line\n").display().to_string();
    let fault = "int main(void) { int *p = 0; return *p; }";
    let marked = write(&folder, "marked.i", &format!("# 1 \"{secret}\"\n{fault}\n")).display().to_string();
    let mistake = write(&folder, "mistake.i", &format!("# 1 \"{secret}\"\nint main(void) {{ return x; }}\n"));
    let mistake = mistake.display().to_string();
    let pragmas = "#pragma GCC dependency \"/etc/passwd\"\n#pragma GCC pch_preprocess \"x\"\n#pragma omp parallel\n";
    let pragmas = write(&folder, "pragmas.c", &format!("{pragmas}{fault}\n")).display().to_string();
    let before = names(&folder);
    for format in ["text", "json", "sarif"] {
        for file in [&marked, &mistake, &pragmas] {
            let said = finish(cairn().args(["check", "--format", format, file]).current_dir(&folder));
            assert!(said.status == 1 || said.status == 3, "{}", said.stderr);
            assert!(!format!("{}{}", said.stdout, said.stderr).contains("the secret line"), "{}", said.stdout);
        }
    }
    assert_eq!(names(&folder), before);
}
