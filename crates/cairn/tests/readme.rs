//! The examples of the README produce the output that it shows.

mod support;

use std::fs;

use support::{cairn, finish, root};

/// Returns the commands of the README, each with the output that follows it.
fn shown() -> Vec<(Vec<String>, String)> {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README is there");
    let mut found = Vec::new();
    for part in readme.split("```console\n").skip(1) {
        let block = part.split("```").next().unwrap_or("");
        let (command, output) = block.split_once('\n').unwrap_or((block, ""));
        let Some(arguments) = command.strip_prefix("$ cargo run --release -- ") else { continue };
        found.push((arguments.split_whitespace().map(str::to_owned).collect(), output.to_owned()));
    }
    found
}

#[test]
fn commands_print_what_is_shown() {
    let shown = shown();
    assert!(shown.len() >= 3, "the README shows {} commands", shown.len());
    for (arguments, output) in shown {
        let said = finish(cairn().args(&arguments));
        assert_eq!(format!("{}{}", said.stdout, said.stderr).trim_end(), output.trim_end(), "{arguments:?}");
    }
}

#[test]
fn examples_are_used() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README is there");
    for entry in fs::read_dir(root().join("examples")).expect("examples are there") {
        let name = entry.expect("examples are there").file_name().to_string_lossy().into_owned();
        assert!(readme.contains(&format!("examples/{name}")), "{name} is not in the README");
    }
}
