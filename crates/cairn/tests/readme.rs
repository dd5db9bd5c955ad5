//! The commands of the README and of the manual print the output that they show, and the links of the manual lead to files.
//!
//! A block `console` holds commands after `$ `, each with its output; a line `…` stands for any lines. The commands of a page run one after
//! the other, in a copy of the folder `examples` (those of the README beside it). A block `console needs=TOOL,…` is skipped where a tool is
//! missing. With `UPDATE_EXPECT=1`, the output that was wrong is written into the page.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{cairn, check_all, finish, root, scratch, skipped};

/// Returns the pages of the manual, with the README.
fn pages() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the manual is there") {
            let path = entry.expect("the manual is there").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the name of a page, relative to the root of the repository.
fn name(page: &Path) -> String {
    page.strip_prefix(root()).unwrap_or(page).display().to_string()
}

/// Copies the examples to an empty folder for one page.
fn prepare(page: &Path) -> PathBuf {
    let folder = scratch(&format!("page-{}", name(page).replace(['/', '.'], "-")));
    copy(&root().join("examples"), &folder.join("examples"));
    // A page does not depend on the speed of the machine: the limit only stops a test that hangs.
    fs::write(folder.join("cairn.toml"), "time-limit = 600\n").expect("the folder is writable");
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder is writable");
    for entry in fs::read_dir(from).expect("the examples are there") {
        let path = entry.expect("the examples are there").path();
        let target = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("the folder is writable");
        }
    }
}

/// Executes the command of a page and returns its output without spaces at the ends of lines. Errors are part of it.
fn execute(command: &str, folder: &Path, current: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().expect("a program is in a folder").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&path)))
        .expect("paths have no colons");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(current).stdin(Stdio::null());
    shell.env("PATH", path).env("HOME", folder).env("XDG_CACHE_HOME", folder.join("cache")).env("COLUMNS", "100");
    shell.env_remove("CC").env_remove("NO_COLOR").env_remove("CAIRN_CACHE_DIR");
    trimmed(&finish(&mut shell).stdout)
}

/// Returns a text without spaces at the ends of its lines, and without empty lines at its end.
fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// Whether the output is the expected one, in which a line `…` stands for any lines.
fn matches(expected: &[&str], output: &[&str]) -> bool {
    match expected.split_first() {
        None => output.is_empty(),
        Some((line, rest)) if line.trim() == "…" => (0..=output.len()).any(|skip| matches(rest, &output[skip..])),
        Some((line, rest)) => output.first() == Some(line) && matches(rest, &output[1..]),
    }
}

/// Returns the command that the shell gets, or `None` for one that the test must not run.
fn runnable(command: &str) -> Option<String> {
    match command.strip_prefix("cargo ") {
        None => Some(command.to_owned()),
        Some(rest) => Some(format!("cairn {}", rest.strip_prefix("run --release -- ")?)),
    }
}

fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// A page that is read, and written again with the output of its commands.
struct Reader {
    folder: PathBuf,
    current: PathBuf,
    text: String,
    wrong: String,
}

impl Reader {
    /// Runs one command of the page and compares its output.
    fn command(&mut self, command: &str, expected: &str) {
        let expected = trimmed(expected);
        let shown = match runnable(command) {
            None => expected,
            Some(line) => {
                let output = execute(&line, &self.folder, &self.current);
                let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
                let (wanted, printed) = (lines(&expected), lines(&output));
                let is_right = matches(
                    &wanted.iter().map(String::as_str).collect::<Vec<_>>(),
                    &printed.iter().map(String::as_str).collect::<Vec<_>>(),
                );
                if is_right {
                    expected
                } else {
                    let _ = write!(self.wrong, "\n$ {command}\nprints\n{output}\ninstead of\n{expected}\n");
                    output
                }
            }
        };
        let _ = writeln!(self.text, "$ {command}");
        if !shown.is_empty() {
            self.text.push_str(&shown);
            self.text.push('\n');
        }
    }

    /// Runs the commands of one block.
    fn block(&mut self, lines: &[&str]) {
        let first = lines.iter().position(|line| line.starts_with("$ ")).unwrap_or(lines.len());
        for line in &lines[..first] {
            let _ = writeln!(self.text, "{line}");
        }
        for part in lines[first..].chunk_by(|_, next| !next.starts_with("$ ")) {
            if let Some((command, output)) = part.split_first() {
                self.command(command.trim_start_matches("$ "), &output.join("\n"));
            }
        }
    }
}

/// Runs all commands of a page. Returns the page with their output, and what was wrong.
fn run_page(page: &Path) -> (String, String) {
    let text = fs::read_to_string(page).expect("the page is there");
    let folder = prepare(page);
    let current = if page.ends_with("README.md") { folder.clone() } else { folder.join("examples") };
    let mut reader = Reader { folder, current, text: String::new(), wrong: String::new() };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(reader.text, "{line}");
        let Some(options) = line.strip_prefix("```console") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let needs = options.trim().strip_prefix("needs=").unwrap_or("");
        if let Some(missing) = needs.split(',').find(|tool| !tool.is_empty() && !is_installed(tool)) {
            skipped(&name(page), &format!("`{missing}` is not installed"));
            for line in block {
                let _ = writeln!(reader.text, "{line}");
            }
        } else {
            reader.block(&block);
        }
        reader.text.push_str("```\n");
    }
    (reader.text, reader.wrong)
}

#[test]
fn commands_print_what_is_shown() {
    let pages: Vec<PathBuf> = pages()
        .into_iter()
        .filter(|page| fs::read_to_string(page).is_ok_and(|text| text.contains("```console")))
        .collect();
    assert!(pages.len() >= 3, "{pages:?}");
    check_all(&pages, |page| {
        let (text, wrong) = run_page(page);
        if wrong.is_empty() {
            return Ok(());
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            return fs::write(page, text).map_err(|error| error.to_string());
        }
        Err(format!("{wrong}\nUPDATE_EXPECT=1 writes the output into the page"))
    });
}

#[test]
fn left_out_lines_match_anything() {
    assert!(matches(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["…"], &[]));
    assert!(matches(&["…", "b", "…"], &["b"]));
    assert!(!matches(&["a", "…", "d"], &["a", "b"]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(!matches(&[], &["a"]));
}

#[test]
fn examples_are_used() {
    let text: String = pages().iter().map(|page| fs::read_to_string(page).expect("the page is there")).collect();
    for entry in fs::read_dir(root().join("examples")).expect("examples are there") {
        let name = entry.expect("examples are there").file_name().to_string_lossy().into_owned();
        assert!(text.contains(&format!("examples/{name}")), "{name} is on no page");
    }
}

#[test]
fn every_page_is_in_the_book() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the summary is there");
    for page in pages() {
        if let Ok(inside) = page.strip_prefix(&docs) {
            let is_listed = summary.contains(&format!("({})", inside.display()));
            assert!(is_listed || inside == Path::new("SUMMARY.md"), "{} is not in docs/SUMMARY.md", name(&page));
        }
    }
}

#[test]
fn links_lead_to_files() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page is there");
        let folder = page.parent().expect("a page is in a folder");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or("");
            if !file.is_empty() && !file.contains("://") && !file.contains([' ', '`']) {
                assert!(folder.join(file).exists(), "{}: the link to {target} leads nowhere", name(&page));
            }
        }
        for target in text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next()) {
            assert!(folder.join(target).is_file(), "{} includes {target}, which is not there", name(&page));
        }
    }
}

#[test]
fn options_of_commands_exist() {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page is there");
        // Commands without a shown output: indented, possibly several in a line.
        let lines = text.lines().filter(|line| line.starts_with("    ")).flat_map(|line| line.split("&&"));
        for command in lines.filter_map(|line| line.trim().strip_prefix("cairn ")) {
            let command = command.split(" -- ").next().unwrap_or("");
            let mut words =
                command.split_whitespace().take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
            let subcommand: Vec<&str> = words.by_ref().take(2).collect();
            let help = texts.entry(subcommand.join(" ")).or_insert_with(|| {
                // The second word is a command of its own, as in `cairn baseline update`, or a file.
                let said = finish(cairn().args(&subcommand).arg("--help"));
                let said = if said.status == 0 { said } else { finish(cairn().args(&subcommand[..1]).arg("--help")) };
                assert_eq!(said.status, 0, "{}: {subcommand:?} is no command", name(&page));
                said.stdout
            });
            for word in command.split_whitespace() {
                let option = word.trim_start_matches('[').split(['=', ']']).next().unwrap_or("");
                let is_known = !option.starts_with("--")
                    || help.contains(&format!("{option} "))
                    || help.contains(&format!("{option}\n"));
                assert!(is_known, "{}: {subcommand:?} has no option `{option}`", name(&page));
            }
        }
    }
    assert!(texts.len() >= 5, "{:?}", texts.keys());
}
