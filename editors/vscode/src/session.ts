// The connection to `cairn lsp`: starting, stopping, and starting again after a change of the settings.

import * as vscode from "vscode";
import {
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  ShowDocumentParams,
  ShowDocumentRequest,
  ShowDocumentResult,
  State,
} from "vscode-languageclient/node";

import { FunctionPages } from "./functions";
import { TimelinePanel } from "./panel";
import { needsRestart, readSettings, serverCommand, serverOptions, Settings } from "./settings";
import { readStatus, statusText } from "./status";
import { fingerprintOf, timelineTarget } from "./timeline";

/** Commands of the server. */
export const SERVER_CHECK = "cairn.check";
export const SERVER_TIMELINE = "cairn.openTimeline";
const SERVER_FUNCTION = "cairn.showFunction";

/** Returns the settings for the current workspace. */
export function currentSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration("cairn");
  return readSettings((key) => configuration.get(key));
}

/** One server and its client. */
export class Session implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel("cairn");
  private readonly panel = new TimelinePanel();
  private readonly functions = new FunctionPages();
  private readonly status = vscode.window.createStatusBarItem("cairn.status", vscode.StatusBarAlignment.Left);
  private readonly fingerprints = new Map<string, Map<string, string>>();
  private client: LanguageClient | undefined;
  private settings = currentSettings();
  private last: Promise<void> = Promise.resolve();

  constructor() {
    this.status.name = "cairn";
    this.status.command = "cairn.showOutput";
  }

  /** Starts the server. A failure is shown to the user. */
  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  /** Stops the server and starts it with the current settings. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  /** Passes changed settings on to the server, which is started again only if it has to be. */
  async configurationChanged(): Promise<void> {
    const before = this.settings;
    this.settings = currentSettings();
    if (needsRestart(before, this.settings) || this.client?.state !== State.Running) {
      await this.restart();
    } else {
      await this.client.sendNotification("workspace/didChangeConfiguration", {
        settings: { cairn: serverOptions(this.settings) },
      });
    }
  }

  /** Lets the server execute a command. */
  async execute(command: string, parameters: unknown[]): Promise<unknown> {
    if (this.client?.state !== State.Running) {
      void vscode.window.showWarningMessage("cairn: the server is not running");
      return undefined;
    }
    return this.client.sendRequest("workspace/executeCommand", { command, arguments: parameters });
  }

  /** Returns the fingerprint that the server gave to a diagnostic. */
  fingerprint(uri: vscode.Uri, diagnostic: vscode.Diagnostic): string | undefined {
    return this.fingerprints.get(uri.toString())?.get(diagnosticKey(diagnostic));
  }

  dispose(): void {
    void this.stop();
    this.panel.dispose();
    this.functions.dispose();
    this.status.dispose();
    this.output.dispose();
  }

  /** Runs one action after the other, so that a start never overtakes a stop. */
  private enqueue(action: () => Promise<void>): Promise<void> {
    const result = this.last.then(action);
    this.last = result.catch(() => undefined);
    return result;
  }

  private async startNow(): Promise<void> {
    this.settings = currentSettings();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const { command, args } = serverCommand(this.settings, folder);
    const executable = { command, args, options: folder === undefined ? {} : { cwd: folder } };
    const client = new LanguageClient("cairn", "cairn", executable, this.clientOptions());
    client.onDidChangeState(({ newState }) => this.showState(newState));
    client.onNotification("cairn/status", (parameters: unknown) => this.showStatus(parameters));
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      this.showState(State.Stopped);
      await this.reportFailure(command, error);
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.fingerprints.clear();
    if (client !== undefined && client.needsStop()) {
      await client.stop();
    }
    await client?.dispose().catch(() => undefined);
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: "file", language: "c" },
        { scheme: "file", pattern: "**/cairn.toml" },
      ],
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: serverOptions(this.settings),
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher("**/{cairn.toml,compile_commands.json,*.h}"),
      },
      middleware: {
        handleDiagnostics: (uri, diagnostics, next) => {
          this.remember(uri, diagnostics);
          next(uri, diagnostics);
        },
        executeCommand: async (command, parameters, next) => {
          const result: unknown = await next(command, parameters);
          if (command === SERVER_FUNCTION && typeof result === "string") {
            await this.functions.show(result);
          }
          return result;
        },
        window: { showDocument: (parameters, next) => this.showDocument(parameters, next) },
      },
    };
  }

  /** Shows a page of a report beside the editor, and leaves everything else to VS Code. */
  private async showDocument(
    parameters: ShowDocumentParams,
    next: ShowDocumentRequest.HandlerSignature,
  ): Promise<ShowDocumentResult> {
    const target = timelineTarget(parameters.uri);
    if (target === undefined || this.settings.timeline === "browser") {
      const result = await next(parameters, new vscode.CancellationTokenSource().token);
      return "success" in result ? result : { success: false };
    }
    try {
      await this.panel.show(target);
      return { success: true };
    } catch (error) {
      this.output.appendLine(`cannot show '${target.file}': ${messageOf(error)}`);
      return { success: false };
    }
  }

  /** Remembers the fingerprints of diagnostics, because VS Code does not hand out their data. */
  private remember(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): void {
    const known = new Map<string, string>();
    for (const diagnostic of diagnostics) {
      const fingerprint = fingerprintOf((diagnostic as { data?: unknown }).data);
      if (fingerprint !== undefined) {
        known.set(diagnosticKey(diagnostic), fingerprint);
      }
    }
    this.fingerprints.set(uri.toString(), known);
  }

  private showState(state: State): void {
    const name = state === State.Running ? "idle" : state === State.Starting ? "starting" : "stopped";
    this.showStatus({ state: name, message: `cairn is ${name === "idle" ? "running" : name}` });
  }

  private showStatus(parameters: unknown): void {
    const status = readStatus(parameters);
    if (status !== undefined) {
      this.status.text = statusText(status.state);
      this.status.tooltip = status.message;
      this.status.show();
    }
  }

  private async reportFailure(command: string, error: unknown): Promise<void> {
    this.output.appendLine(`cannot start '${command} lsp': ${messageOf(error)}`);
    const settings = "Open Settings";
    const log = "Show Output";
    const choice = await vscode.window.showErrorMessage(
      `cairn: cannot start \`${command} lsp\`. Is cairn installed, and \`cairn.path\` right?`,
      settings,
      log,
    );
    if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "cairn.path");
    } else if (choice === log) {
      this.output.show();
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a text that tells diagnostics of one file apart. */
function diagnosticKey(diagnostic: vscode.Diagnostic): string {
  const { start, end } = diagnostic.range;
  return JSON.stringify([start.line, start.character, end.line, end.character, diagnostic.message]);
}
