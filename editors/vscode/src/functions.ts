// What the server knows about a function, as a Markdown page beside the editor.

import * as vscode from "vscode";

const SCHEME = "cairn-function";

/** Provides the page of the function that was asked for last. */
export class FunctionPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private text = "";
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(): string {
    return this.text;
  }

  /** Shows a text in Markdown. */
  async show(text: string): Promise<void> {
    const uri = vscode.Uri.parse(`${SCHEME}:function.md`);
    this.text = text;
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
