//! Runs a program within limits on its time, its memory and its output.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;

use cairn_portfolio::Reason;

use crate::limits::{CHILD_POLL_INTERVAL, MAX_MESSAGES, MAX_SOURCE};
use crate::system::supervise::Guard;

/// The outputs of a program that has ended.
pub(crate) struct Finished {
    pub(crate) succeeded: bool,
    pub(crate) output: Vec<u8>,
    pub(crate) messages: Vec<u8>,
}

/// Why a program did not end by itself.
pub(crate) enum Failure {
    NotStarted(io::Error),
    /// A limit of the command was reached.
    Stopped(Reason),
    /// The program wrote more bytes than this.
    TooLarge(u64),
}

/// Who limits the memory of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// The system, to this many bytes of address space.
    Limited(u64),
    /// The program itself.
    OwnLimit,
}

/// Runs a command with this standard input until it ends or a limit is reached.
pub(crate) fn run(command: Command, memory: Memory, input: &[u8], guard: &Guard) -> Result<Finished, Failure> {
    let mut command = match memory {
        Memory::Limited(bytes) => with_memory_limit(command, bytes),
        Memory::OwnLimit => command,
    };
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // The compiler starts programs of its own, which have to end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut running = Running(command.spawn().map_err(Failure::NotStarted)?);
    let child = &mut running.0;
    if let Some(mut pipe) = child.stdin.take() {
        let input = input.to_vec();
        // A program that does not read its input ends it.
        thread::spawn(move || pipe.write_all(&input));
    }
    let (send, receive) = channel();
    read_in_background(child.stdout.take(), Stream::Output, send.clone());
    read_in_background(child.stderr.take(), Stream::Messages, send);
    let (mut output, mut messages) = (Vec::new(), Vec::new());
    loop {
        match receive.recv_timeout(CHILD_POLL_INTERVAL) {
            Ok((Stream::Output, bytes)) if bytes.len() as u64 > MAX_SOURCE => {
                return Err(Failure::TooLarge(MAX_SOURCE));
            }
            Ok((Stream::Output, bytes)) => output = bytes,
            Ok((Stream::Messages, bytes)) => messages = bytes,
            Err(RecvTimeoutError::Timeout) => stop_if_cancelled(guard)?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    loop {
        match running.0.try_wait().map_err(Failure::NotStarted)? {
            Some(status) => return Ok(Finished { succeeded: status.success(), output, messages }),
            None => {
                stop_if_cancelled(guard)?;
                thread::sleep(CHILD_POLL_INTERVAL / 20);
            }
        }
    }
}

fn stop_if_cancelled(guard: &Guard) -> Result<(), Failure> {
    if guard.is_cancelled() { Err(Failure::Stopped(guard.stopped().unwrap_or(Reason::OutOfTime))) } else { Ok(()) }
}

/// Returns the command with a limit on the memory of its program. A shell sets the limit and becomes the program; arguments reach the
/// program as they are.
fn with_memory_limit(command: Command, bytes: u64) -> Command {
    const SHELL: &str = "/bin/sh";
    if cfg!(not(unix)) || !Path::new(SHELL).exists() {
        return command;
    }
    let mut limited = Command::new(SHELL);
    // Some systems do not know this limit.
    let script = format!("ulimit -v {} 2>/dev/null; exec \"$@\"", bytes / 1024);
    limited.args(["-c", &script, "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

/// A program that ends, with all programs that it has started, when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.0.id()) {
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Output,
    Messages,
}

/// Reads a stream on a thread of its own, and sends the bytes at its end or at its limit.
fn read_in_background(pipe: Option<impl Read + Send + 'static>, stream: Stream, send: Sender<(Stream, Vec<u8>)>) {
    let Some(mut pipe) = pipe else { return };
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = match stream {
            Stream::Output => (&mut pipe).take(MAX_SOURCE + 1).read_to_end(&mut bytes).map(|_| 0),
            // The rest is read, too, so that the program can go on.
            Stream::Messages => (&mut pipe)
                .take(MAX_MESSAGES)
                .read_to_end(&mut bytes)
                .and_then(|_| io::copy(&mut pipe, &mut io::sink())),
        };
        let _ = send.send((stream, bytes));
    });
}
