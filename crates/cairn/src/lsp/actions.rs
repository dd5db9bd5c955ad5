//! Code actions: the timeline of a finding, and fixes.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, NumberOrString, Position, Range, TextEdit,
    Uri, WorkspaceEdit,
};
use serde_json::json;

/// Returns the actions for a diagnostic of this server.
pub(super) fn of(diagnostic: &Diagnostic, uri: &Uri, text: &str) -> Vec<CodeActionOrCommand> {
    let (Some(NumberOrString::String(check)), Some("cairn")) = (&diagnostic.code, diagnostic.source.as_deref()) else {
        return Vec::new();
    };
    if check == "compile" {
        return Vec::new();
    }
    let mut actions = Vec::new();
    let fingerprint = diagnostic.data.as_ref().and_then(|data| data["fingerprint"].as_str()).unwrap_or("");
    let title = "show how it happens".to_owned();
    let command = Command {
        title: title.clone(),
        command: "cairn.openTimeline".to_owned(),
        arguments: Some(vec![json!({"uri": uri.as_str(), "fingerprint": fingerprint})]),
    };
    actions.push(action(title, diagnostic, None, Some(command)));
    if let Some((line, name)) = unchecked(&diagnostic.message)
        && let Some(edit) = null_check(text, line, &name)
    {
        actions.push(action(format!("stop if `{name}` is null"), diagnostic, Some(changed(uri, edit)), None));
    }
    if let Some(edit) = acceptance(text, diagnostic.range.start.line, check) {
        let title = format!("accept this finding (`cairn: ignore({check})`)");
        actions.push(action(title, diagnostic, Some(changed(uri, edit)), None));
    }
    actions
}

fn action(
    title: String,
    diagnostic: &Diagnostic,
    edit: Option<WorkspaceEdit>,
    command: Option<Command>,
) -> CodeActionOrCommand {
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit,
        command,
        ..CodeAction::default()
    })
}

fn changed(uri: &Uri, edit: TextEdit) -> WorkspaceEdit {
    WorkspaceEdit { changes: Some(HashMap::from([(uri.clone(), vec![edit])])), ..WorkspaceEdit::default() }
}

/// Returns the edit that adds a comment which accepts findings of a line.
fn acceptance(text: &str, line: u32, check: &str) -> Option<TextEdit> {
    let content = text.lines().nth(line as usize)?;
    // In a line that a macro continues, a comment would end the macro.
    if content.trim_end().ends_with('\\') || content.contains("cairn: ignore(") {
        return None;
    }
    let at = Position { line, character: content.trim_end().encode_utf16().count() as u32 };
    let new_text = format!(" // cairn: ignore({check}) explain here why this is accepted");
    Some(TextEdit { range: Range { start: at, end: at }, new_text })
}

/// Reads the line and the variable from the hint about an allocation that may fail.
fn unchecked(message: &str) -> Option<(u32, String)> {
    let (_, rest) = message.split_once("help: the allocation in line ")?;
    let (line, rest) = rest.split_once(" may fail; check `")?;
    let (name, _) = rest.split_once('`')?;
    Some((line.parse().ok()?, name.to_owned()))
}

/// Returns the edit that ends the program after an allocation that has failed, if the allocation is a statement of its own.
fn null_check(text: &str, line: u32, name: &str) -> Option<TextEdit> {
    let content = text.lines().nth(line.checked_sub(1)? as usize)?;
    let statement = content.trim();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_alone =
        statement.ends_with(';') && !statement.starts_with(['}', '{', '#']) && statement.matches(';').count() == 1;
    let depends = ["if", "for", "while", "else", "do", "case", "return"];
    let first = statement.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    // The line before may be a condition without braces.
    let before = text.lines().nth(line.checked_sub(2)? as usize).map_or("", str::trim);
    let ends_statement = before.is_empty() || before.ends_with([';', '{', '}', ':']) || before.ends_with("*/");
    if !is_name || !is_alone || depends.contains(&first) || !ends_statement {
        return None;
    }
    let indentation: String = content.chars().take_while(|c| c.is_whitespace()).collect();
    let at = Position { line, character: 0 };
    let new_text = format!("{indentation}if (!{name})\n{indentation}    abort();\n");
    Some(TextEdit { range: Range { start: at, end: at }, new_text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_check_is_added_only_after_a_statement() {
        let message =
            "write through a null pointer\nhelp: the allocation in line 3 may fail; check `p` before it is used";
        assert_eq!(unchecked(message), Some((3, "p".to_owned())));
        let edit =
            null_check("int f(void)\n{\n    int *p = malloc(4);\n    *p = 1;\n", 3, "p").expect("this is a statement");
        assert_eq!((edit.range.start.line, edit.new_text.as_str()), (3, "    if (!p)\n        abort();\n"));
        assert_eq!(null_check("{\n    if (x)\n        p = malloc(4);\n", 3, "p"), None);
        assert_eq!(null_check("{\n;\n    if (x) p = malloc(4);\n", 3, "p"), None);
        assert_eq!(null_check("{\n;\n    s->p = malloc(4);\n", 3, "s->p"), None);
    }

    #[test]
    fn a_comment_does_not_end_a_macro() {
        assert!(acceptance("x = 1; \\\n", 0, "leak").is_none());
        let edit = acceptance("x = 1;  \n", 0, "leak").expect("this is a line");
        assert_eq!(edit.range.start.character, 6);
        assert!(edit.new_text.starts_with(" // cairn: ignore(leak) "));
    }
}
