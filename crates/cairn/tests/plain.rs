//! Tests of files that need no preprocessor: the result is the same as that of the compiler's preprocessor.

mod support;

use std::fs;
use std::process::Command;

use cairn_frontend::plain::without_preprocessor;
use support::{c_files, cairn, check_all, finish, programs, scratch};

/// Returns the output of the compiler's preprocessor without white space.
fn preprocessed(file: &std::path::Path) -> Result<String, String> {
    let output = Command::new("cc").args(["-E", "-P", "-w"]).arg(file).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text.split_whitespace().collect()) } else { Err("cc fails".to_owned()) }
}

#[test]
fn the_preprocessor_agrees() {
    let folder = scratch("plain");
    let mut files = Vec::new();
    for tests in ["integrity", "run", "exec", "verify", "template"] {
        files.extend(c_files(&programs(tests)));
    }
    let plain = |path: &std::path::Path| without_preprocessor(&fs::read_to_string(path).unwrap_or_default());
    files.retain(|path| plain(path).is_some());
    assert!(files.len() > 20, "{}", files.len());
    check_all(&files, |path| {
        let text = plain(path).ok_or("it was one")?;
        let original = fs::read_to_string(path).map_err(|error| error.to_string())?;
        if text.lines().count() != original.lines().count() {
            return Err(format!("{}: other lines", path.display()));
        }
        let name: String = path.display().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        let expanded = folder.join(format!("{name}.c"));
        fs::write(&expanded, text).map_err(|error| error.to_string())?;
        if preprocessed(&expanded)? == preprocessed(path)? { Ok(()) } else { Err(path.display().to_string()) }
    });
}

#[test]
fn a_plain_file_needs_no_compiler() {
    let folder = scratch("plain-run");
    let file = folder.join("plain.c");
    fs::write(&file, "#define ANSWER 42\nint main(void)\n{\n    return ANSWER - 42;\n}\n")
        .expect("the folder is writable");
    let without =
        |options: &[&str]| finish(cairn().env("PATH", "").env_remove("CC").args(["run"]).args(options).arg(&file));
    assert_eq!(without(&[]).status, 0);
    // Preprocessor options need the preprocessor.
    assert_eq!(without(&["-DANSWER=1"]).status, 3);
    let said = finish(cairn().arg("run").arg("-DOTHER").arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    fs::write(&file, "#include <stddef.h>\nint main(void) { return 0; }\n").expect("the folder is writable");
    assert_eq!(without(&[]).status, 3);
}
