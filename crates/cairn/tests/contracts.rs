//! `cairn contract`: each function has the contract in the comments `//=` above it.

mod support;

use std::fs;

use support::{c_files, cairn, check_all, finish, programs};

/// Returns the lines of comments right above a line.
fn expected(lines: &[&str], line: usize) -> Vec<String> {
    let mut found: Vec<String> =
        lines[..line - 1].iter().rev().map_while(|line| line.strip_prefix("//= ")).map(str::to_owned).collect();
    found.reverse();
    found
}

/// Returns the contracts of a text report: the line of each function, and its statements.
fn reported(report: &str) -> Vec<(usize, Vec<String>)> {
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for line in report.lines() {
        match line.strip_prefix("  ") {
            Some(statement) if statement.starts_with('{') || statement.starts_with("note: ") => {}
            Some(statement) => {
                let (_, statements) = found.last_mut().expect("a function comes first");
                statements.push(statement.to_owned());
            }
            None if line.is_empty() => {}
            None => {
                let at = line.trim_end_matches(')').rsplit(':').next().and_then(|at| at.parse().ok());
                found.push((at.expect("a function has a line"), Vec::new()));
            }
        }
    }
    found
}

#[test]
fn functions_have_the_stated_contracts() {
    check_all(&c_files(&programs("contracts")), |path| {
        let text = fs::read_to_string(path).expect("the program is readable");
        let lines: Vec<&str> = text.lines().collect();
        let said = finish(cairn().args(["contract", "--malloc-fails", "-w", "--color", "never"]).arg(path));
        let mut wrong = String::new();
        let found = reported(&said.stdout);
        for (line, statements) in &found {
            let expected = expected(&lines, *line);
            if *statements != expected {
                wrong.push_str(&format!("line {line}: found {statements:#?}, expected {expected:#?}\n"));
            }
        }
        let stated =
            lines.windows(2).filter(|pair| pair[0].starts_with("//= ") && !pair[1].starts_with("//= ")).count();
        if stated > found.len() {
            wrong.push_str(&format!("{stated} functions have a contract, {} were reported\n", found.len()));
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {wrong}{}", path.display(), said.stderr)) }
    });
}

#[test]
fn contracts_have_other_forms() {
    let file = programs("contracts").join("strings.c");
    let form = |format: &str| {
        finish(
            cairn()
                .args(["contract", "--malloc-fails", "-w", "--function", "duplicate", "--format", format])
                .arg(&file),
        )
        .stdout
    };
    assert_eq!(
        form("attributes"),
        "char *duplicate(const char *s) __attribute__((malloc, warn_unused_result, nonnull(1), access(read_only, 1)));\n"
    );
    assert_eq!(
        form("acsl"),
        "/*@ requires valid_read_string(s);\n    assigns \\nothing;\n    allocates \\result;\n    \
         ensures \\result == \\null || \\valid(\\result); */\nchar *duplicate(const char *s);\n\n"
    );
    let json = form("json");
    for part in [
        "\"function\":\"duplicate\"",
        "\"text\":\"s\"},\"pointee\":\"const char\",\"may_be_null\":false,\"shape\":\"text\"",
        "\"precondition\":\"string(s)\"",
        "\"result\":{\"new\":{\"or_null\":false}}",
        "\"when\":[\"allocation-fails\"],\"result\":\"null\"",
        "\"never_returns\":false",
    ] {
        assert!(json.contains(part), "{part} is not in {json}");
    }
}

#[test]
fn unknown_functions_are_errors() {
    let file = programs("contracts").join("strings.c");
    let said = finish(cairn().args(["contract", "-w", "--function", "nothing"]).arg(&file));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("no function `nothing` is defined"), "{}", said.stderr);
}

#[test]
fn statements_about_functions_of_other_files_are_used() {
    let file = programs("contracts_stated").join("kept.c");
    let text = fs::read_to_string(&file).expect("the program is readable");
    let said = finish(cairn().args(["contract", "-w"]).arg(&file));
    assert_eq!(said.status, 0, "{}", said.stderr);
    let said = finish(cairn().args(["check", "-w", "--color", "never"]).arg(&file));
    let marked: Vec<usize> =
        text.lines().enumerate().filter(|(_, line)| line.contains("//~ leak")).map(|(index, _)| index + 1).collect();
    let name = file.file_name().expect("the file has a name").to_string_lossy().into_owned();
    for line in &marked {
        assert!(said.stdout.contains(&format!("{name}:{line}:")), "no finding at line {line}:\n{}", said.stdout);
    }
    assert_eq!(said.stdout.matches("error[").count(), marked.len(), "{}", said.stdout);
}

#[test]
fn statements_that_do_not_hold_are_errors() {
    let said = finish(cairn().args(["contract", "-w"]).arg(programs("contracts_stated").join("broken.c")));
    assert_eq!(said.status, 1, "{}", said.stderr);
    for message in [
        "`drop` may free `item`",
        "`key_of` neither frees nor keeps `item`",
        "`first_item` may return memory that is not new",
        "`key` follows `item` without a test for null",
        "`answer` returns on some paths",
        "`made` may return null",
    ] {
        assert!(
            said.stderr.contains(&format!("stated contract does not hold: {message}")),
            "{message}:\n{}",
            said.stderr
        );
    }
}
