//! `cairn check` on code without a `main`: functions with a planted fault, and near misses.

mod support;

use std::fs;

use support::{c_files, cairn_check, check_all, finish, programs};

/// Returns the marks of a program: line and name of each check that fails.
fn marks(text: &str) -> Vec<(usize, String)> {
    let mark = |(index, line): (usize, &str)| Some((index + 1, line.split("//~ ").nth(1)?.trim().to_owned()));
    text.lines().enumerate().filter_map(mark).collect()
}

/// Returns the findings of a text report: line and name of each check.
fn findings(report: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut kind = None;
    for line in report.lines() {
        if let Some(rest) = line.strip_prefix("error[") {
            kind = rest.split(']').next().map(str::to_owned);
        } else if let (Some(at), Some(name)) = (line.trim().strip_prefix("--> "), kind.take()) {
            let line = at.rsplit(':').nth(1).and_then(|line| line.parse().ok()).expect("a location has a line");
            found.push((line, name));
        }
    }
    found.sort();
    found
}

#[test]
fn functions_have_the_marked_faults_and_no_others() {
    check_all(&c_files(&programs("contract")), |path| {
        let text = fs::read_to_string(path).expect("the program is readable");
        let said = finish(cairn_check().args(["-w", "--color", "never"]).arg(path));
        let (found, marked) = (findings(&said.stdout), marks(&text));
        if found == marked {
            return Ok(());
        }
        Err(format!("{}: found {found:?}, marked {marked:?}\n{}{}", path.display(), said.stdout, said.stderr))
    });
}
