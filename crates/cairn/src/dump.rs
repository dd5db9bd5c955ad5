//! `cairn dump`: shows what a program becomes inside.

use std::sync::Arc;

use cairn_engine::portfolio::Task;

use crate::arguments::{DumpArguments, ModelFormat};
use crate::exit::Exit;
use crate::terminal::{self, Terminal};
use crate::{not_available, program};

/// Prints the program in the form that was asked for.
pub(crate) fn dump(arguments: DumpArguments, terminal: &Terminal) -> Exit {
    if arguments.ssa {
        return not_available("dump --ssa", "the template engine is not built in yet");
    }
    let Some(loaded) = program::load(&arguments.files, &arguments.c, terminal) else { return Exit::Failure };
    let text = if arguments.states {
        match states(&loaded.program, &arguments) {
            Ok(text) => text,
            Err(reason) => {
                terminal::complain(&reason);
                return Exit::Failure;
            }
        }
    } else if arguments.cfg {
        cairn_ir::print::print_cfg(&loaded.program)
    } else {
        cairn_ir::print::print(&loaded.program)
    };
    terminal::print(text.as_bytes());
    Exit::Fine
}

/// The states after each line.
fn states(program: &cairn_ir::Program, arguments: &DumpArguments) -> Result<String, String> {
    let task = Task {
        entry: "main".to_owned(),
        properties: Vec::new(),
        besides: Vec::new(),
        malloc_fails: !arguments.malloc_succeeds,
        assert_faults: false,
    };
    let found = cairn_engine::portfolio::states(program, &task, &Arc::default())?;
    Ok(match arguments.format {
        ModelFormat::Text => cairn_report::states::text(&found),
        ModelFormat::Dot => cairn_report::states::dot(&found),
    })
}
