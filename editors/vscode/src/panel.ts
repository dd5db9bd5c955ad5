// The tab that shows timelines beside the editor. There is one; a further timeline replaces the shown one.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import { linkTarget, reportFolder, Target, webviewText } from "./timeline";

/** Shows pages of HTML reports in a webview. */
export class TimelinePanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown = "";

  /** Shows a page of a report. */
  async show(target: Target): Promise<void> {
    const page = await readFile(target.file, "utf8");
    const panel = this.open(reportFolder(target.file));
    const folder = path.dirname(target.file);
    const resolve = (href: string) =>
      panel.webview.asWebviewUri(vscode.Uri.file(path.resolve(folder, href))).toString();
    const text = webviewText(page, target.fragment, {
      resolve,
      origin: panel.webview.cspSource,
      nonce: randomBytes(16).toString("hex"),
    });
    this.shown = target.file;
    panel.webview.html = text;
    panel.reveal(undefined, true);
  }

  private open(report: string): vscode.WebviewPanel {
    const options = { enableScripts: true, localResourceRoots: [vscode.Uri.file(report)] };
    if (this.panel !== undefined) {
      this.panel.webview.options = options;
      return this.panel;
    }
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("cairn.timeline", "cairn: Timeline", column, {
      ...options,
      enableFindWidget: true,
      retainContextWhenHidden: true,
    });
    panel.onDidDispose(() => (this.panel = undefined));
    panel.webview.onDidReceiveMessage((message: unknown) => this.follow(message));
    this.panel = panel;
    return panel;
  }

  /** Follows a link of the shown page to another page of the report. */
  private async follow(message: unknown): Promise<void> {
    const href = (message as { href?: unknown } | null)?.href;
    const target = typeof href === "string" ? linkTarget(this.shown, href) : undefined;
    if (target !== undefined) {
      await this.show(target);
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }
}
