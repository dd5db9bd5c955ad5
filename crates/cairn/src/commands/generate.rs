//! `cairn completions` and `cairn manual`: files that are generated from the declarations of the command line.

use std::io;

use clap::Command;
use clap_complete::Shell;

use crate::exit::Exit;
use crate::system::terminal::{self, Terminal};

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell, mut command: Command) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "cairn", &mut text);
    terminal::print(&text);
    Exit::Fine
}

/// Prints the manual page of cairn or of one of its commands.
pub(crate) fn manual(name: Option<&str>, mut command: Command, terminal: &Terminal) -> Exit {
    command.build();
    let page = match name {
        None => Some(command),
        Some(name) => command.find_subcommand(name).cloned(),
    };
    let Some(page) = page else {
        terminal.error(&format!("there is no command `{}`", name.unwrap_or("")));
        return Exit::Failure;
    };
    let mut text = Vec::new();
    let title = name.map_or_else(|| "cairn".to_owned(), |name| format!("cairn-{name}"));
    match render(page, title, &mut text) {
        Ok(()) => {
            terminal::print(&text);
            Exit::Fine
        }
        Err(_) => Exit::Failure,
    }
}

fn render(page: Command, title: String, text: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(page.disable_help_subcommand(true)).title(title).render(text)
}
