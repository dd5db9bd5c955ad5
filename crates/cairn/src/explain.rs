//! `cairn explain`: prints the documentation pages of the checks.

use crate::exit::Exit;
use crate::system::terminal::{self, Terminal};

macro_rules! pages {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("explain/", $name, ".md"))),)*]
    };
}

/// The page of each check, in the order of `CheckKind::ALL`.
const PAGES: &[(&str, &str)] = pages! {
    "null-deref",
    "use-after-free",
    "use-after-scope",
    "out-of-bounds",
    "invalid-deref",
    "double-free",
    "invalid-free",
    "leak",
    "unfreed",
    "file-leak",
    "assertion",
    "integrity",
    "uninitialised",
    "invalid-call",
    "division-by-zero",
    "overflow",
    "overlap",
    "unsupported",
};

/// Prints the page of a check, or the list of all checks.
pub(crate) fn explain(check: Option<&str>, terminal: &Terminal) -> Exit {
    let Some(name) = check else {
        terminal::print(list().as_bytes());
        return Exit::Fine;
    };
    match PAGES.iter().find(|(page, _)| *page == name) {
        Some((_, text)) => {
            terminal::print(text.as_bytes());
            Exit::Fine
        }
        None => {
            let names: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
            terminal.error(&format!("no check `{name}`"));
            terminal.help(&format!("the checks are {}", names.join(", ")));
            Exit::Failure
        }
    }
}

/// Returns a line for every check, with the first sentence of its page.
fn list() -> String {
    let mut text = String::new();
    for (name, page) in PAGES {
        let summary = page.lines().skip(1).find(|line| !line.is_empty()).unwrap_or("");
        text.push_str(&format!("{name:18}{summary}\n"));
    }
    text.push_str("\nRun `cairn explain CHECK` for more.\n");
    text
}

#[cfg(test)]
mod tests {
    use cairn_ir::CheckKind;

    use super::*;

    #[test]
    fn every_check_has_its_page_and_every_page_its_check() {
        let names: Vec<&str> = CheckKind::ALL.iter().map(|kind| kind.name()).collect();
        let pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, pages);
    }

    #[test]
    fn every_page_has_the_same_parts() {
        for (name, page) in PAGES {
            assert!(page.starts_with(&format!("# {name}\n\n")), "{name}");
            assert!(page.contains("\nProperty: "), "{name} names no property");
            assert!(page.contains("```c\n"), "{name} has no example");
            assert!(page.lines().all(|line| line.len() <= 100), "{name} has a long line");
        }
    }
}
