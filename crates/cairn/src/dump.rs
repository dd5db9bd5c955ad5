//! `cairn dump`: shows what a program becomes inside.

use crate::arguments::DumpArguments;
use crate::exit::Exit;
use crate::terminal::{self, Terminal};
use crate::{not_available, program};

/// Prints the program in the form that was asked for.
pub(crate) fn dump(arguments: DumpArguments, terminal: &Terminal) -> Exit {
    if arguments.states {
        return not_available("dump --states", "the shape engine is not built in yet");
    }
    if arguments.ssa {
        return not_available("dump --ssa", "the template engine is not built in yet");
    }
    let Some(loaded) = program::load(&arguments.files, &arguments.c, terminal) else { return Exit::Failure };
    let text = if arguments.cfg {
        cairn_ir::print::print_cfg(&loaded.program)
    } else {
        cairn_ir::print::print(&loaded.program)
    };
    terminal::print(text.as_bytes());
    Exit::Fine
}
