//! `cairn lsp`: a language server on standard input and output.
//!
//! The server itself analyses nothing: each check is a `cairn check` in a process of its own ([`job`]), which is killed when the text
//! changes. A crash or an endless loop of a check therefore never stops the server. [`server`] and [`document`] hold the state and answer
//! requests; [`diagnostics`], [`hover`], [`hints`] and [`actions`] turn results into answers, as pure functions.

mod actions;
mod diagnostics;
mod document;
mod hints;
mod hover;
mod job;
mod position;
mod server;
mod settings;

use std::sync::mpsc::channel;
use std::thread;

use lsp_server::{Connection, Message};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, ExecuteCommandOptions,
    HoverProviderCapability, InitializeParams, OneOf, PositionEncodingKind, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};

use crate::exit::Exit;
use server::{Event, Server};

/// The commands of the server, under all of their names.
pub(super) const COMMANDS: [&str; 4] = ["cairn.openTimeline", "cairn.timeline", "cairn.check", "cairn.showFunction"];

/// Serves a client until it ends the connection.
pub(crate) fn serve() -> Exit {
    let (connection, threads) = Connection::stdio();
    let exit = converse(connection);
    // The threads end with the client's side of the connection.
    if exit == Exit::Fine && threads.join().is_err() {
        return Exit::Failure;
    }
    exit
}

fn converse(connection: Connection) -> Exit {
    let capabilities = serde_json::to_value(capabilities()).unwrap_or_default();
    let Ok(parameters) = connection.initialize(capabilities) else { return Exit::Failure };
    let Ok(parameters) = serde_json::from_value::<InitializeParams>(parameters) else { return Exit::Failure };
    let (events, received) = channel();
    let Connection { sender, receiver } = connection;
    let messages = events.clone();
    let reader = thread::Builder::new().name("client".to_owned()).spawn(move || {
        for message in receiver {
            if messages.send(Event::Message(message)).is_err() {
                return;
            }
        }
        let _ = messages.send(Event::Disconnected);
    });
    if reader.is_err() {
        return Exit::Failure;
    }
    // Messages to a client that has gone are dropped.
    let send = move |message| drop(sender.send(message));
    let mut server = Server::new(send, events, &parameters);
    loop {
        let event = match server.next_deadline() {
            None => received.recv().ok(),
            Some(wait) => match received.recv_timeout(wait) {
                Ok(event) => Some(event),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => Some(Event::Tick),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            },
        };
        match event {
            None | Some(Event::Disconnected) => return Exit::Failure,
            Some(Event::Message(Message::Notification(note))) if note.method == "exit" => {
                return if server.is_shut_down() { Exit::Fine } else { Exit::Failure };
            }
            Some(event) => server.handle(event),
        }
    }
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.iter().map(|&command| command.to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
