// The extension: it starts `cairn lsp` for C files and adds the commands of the palette.

import * as vscode from "vscode";

import { currentSettings, SERVER_CHECK, SERVER_TIMELINE, Session } from "./session";
import { findingAt } from "./timeline";

let session: Session | undefined;

/** Called by VS Code when the first C file is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const current = new Session();
  session = current;
  context.subscriptions.push(
    current,
    vscode.commands.registerCommand("cairn.showTimeline", () => showTimeline(current)),
    vscode.commands.registerCommand("cairn.checkFile", () => checkFile(current)),
    vscode.commands.registerCommand("cairn.restartServer", () => current.restart()),
    vscode.commands.registerCommand("cairn.showOutput", () => current.output.show()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("cairn")) {
        await current.configurationChanged();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => current.restart()),
  );
  await current.start();
}

/** Called by VS Code when it ends, or when the extension is disabled. */
export async function deactivate(): Promise<void> {
  await session?.stop();
  session = undefined;
}

/** Shows the timeline of the finding at the cursor, or of the nearest one. */
async function showTimeline(current: Session): Promise<void> {
  const editor = activeEditor();
  if (editor === undefined) {
    return;
  }
  const uri = editor.document.uri;
  const candidates = vscode.languages.getDiagnostics(uri).map((diagnostic) => ({
    startLine: diagnostic.range.start.line,
    endLine: diagnostic.range.end.line,
    source: diagnostic.source,
    fingerprint: current.fingerprint(uri, diagnostic),
  }));
  const fingerprint = findingAt(candidates, editor.selection.active.line);
  if (fingerprint === undefined) {
    void vscode.window.showInformationMessage("cairn: there is no finding in this file");
    return;
  }
  await current.execute(SERVER_TIMELINE, [{ uri: uri.toString(), fingerprint }]);
}

/** Checks the file in the editor, after saving it if files are checked as saved. */
async function checkFile(current: Session): Promise<void> {
  const editor = activeEditor();
  if (editor === undefined) {
    return;
  }
  if (currentSettings().checkOn !== "change") {
    await editor.document.save();
  }
  await current.execute(SERVER_CHECK, [{ uri: editor.document.uri.toString() }]);
}

function activeEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "c") {
    void vscode.window.showInformationMessage("cairn: open a C file first");
    return undefined;
  }
  return editor;
}
