// A stand-in for the module `vscode`, with as much of VS Code as the extension and its client use.
//
// Classes and functions that a test does not look at are made up on first use.

import { EventEmitter as NodeEmitter } from "node:events";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

class Disposable {
  constructor(private readonly action: () => unknown = () => undefined) {}
  static from(...items: { dispose(): unknown }[]) {
    return new Disposable(() => items.forEach((item) => item.dispose()));
  }
  dispose() {
    return this.action();
  }
}

class Emitter<T> {
  private readonly emitter = new NodeEmitter();
  readonly event = (listener: (value: T) => unknown, self?: unknown) => {
    const bound = (value: T) => listener.call(self, value);
    this.emitter.on("event", bound);
    return new Disposable(() => this.emitter.off("event", bound));
  };
  fire(value?: T) {
    this.emitter.emit("event", value);
  }
  dispose() {
    this.emitter.removeAllListeners();
  }
}

class Uri {
  readonly scheme = "file";
  readonly authority = "";
  readonly query = "";
  readonly fragment = "";
  constructor(readonly fsPath: string) {}
  get path() {
    return this.fsPath;
  }
  static file(fsPath: string) {
    return new Uri(fsPath);
  }
  static parse(text: string) {
    return new Uri(text.startsWith("file:") ? fileURLToPath(text.replace(/#.*/s, "")) : text);
  }
  with() {
    return this;
  }
  toString() {
    return pathToFileURL(this.fsPath).href;
  }
}

class Position {
  constructor(readonly line: number, readonly character: number) {}
}

class Range {
  constructor(readonly start: Position, readonly end: Position) {}
}

class Diagnostic {
  source?: string;
  constructor(readonly range: Range, readonly message: string, readonly severity?: number) {}
}

class CancellationTokenSource {
  private readonly emitter = new Emitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  cancel() {
    this.token.isCancellationRequested = true;
    this.emitter.fire();
  }
  dispose() {}
}

/** Everything that the extension does to VS Code, and the buttons that a test presses. */
export class FakeEditor {
  readonly commands = new Map<string, (...values: unknown[]) => unknown>();
  readonly diagnostics = new Map<string, Diagnostic[]>();
  readonly log: string[] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly information: string[] = [];
  readonly opened: string[] = [];
  readonly pages: string[] = [];
  readonly previews: string[] = [];
  /** Sends a message from the shown page to the extension. */
  send: (message: unknown) => unknown = () => undefined;
  readonly configuration = new Map<string, unknown>();
  readonly statusBar = { text: "", tooltip: "" };
  readonly documents: ReturnType<FakeEditor["document"]>[] = [];
  activeTextEditor: unknown;
  private contents: { provideTextDocumentContent(): string } | undefined;
  private readonly onOpen = new Emitter<unknown>();
  private readonly onConfiguration = new Emitter<unknown>();
  private readonly onDiagnostics = new Emitter<string>();

  constructor(private readonly folder: string) {}

  document(name: string, text: string) {
    return {
      uri: Uri.file(path.join(this.folder, name)),
      fileName: path.join(this.folder, name),
      languageId: "c",
      version: 1,
      isClosed: false,
      isDirty: false,
      getText: () => text,
      save: async () => true,
    };
  }

  /** Opens a file, with the cursor in the given line. */
  open(name: string, text: string, line = 0) {
    const document = this.document(name, text);
    this.documents.push(document);
    this.activeTextEditor = { document, selection: { active: new Position(line, 0) } };
    this.onOpen.fire(document);
    return document;
  }

  /** Changes a setting as the user would. */
  async set(key: string, value: unknown) {
    this.configuration.set(key, value);
    this.onConfiguration.fire({ affectsConfiguration: (section: string) => section.startsWith("cairn") });
  }

  /** Waits until a file has diagnostics. */
  async diagnosed(uri: Uri): Promise<Diagnostic[]> {
    for (;;) {
      const found = this.diagnostics.get(uri.toString());
      if (found !== undefined) {
        return found;
      }
      await new Promise<void>((resolve) => {
        const subscription = this.onDiagnostics.event(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
  }

  /** Returns the module `vscode`. */
  module(): Record<string, unknown> {
    const own: Record<string, Record<string, unknown>> = {
      workspace: this.workspace(),
      window: this.window(),
      languages: this.languages(),
      commands: {
        registerCommand: (name: string, action: (...values: unknown[]) => unknown) => {
          if (this.commands.has(name)) {
            throw new Error(`command '${name}' already exists`);
          }
          this.commands.set(name, action);
          return new Disposable(() => this.commands.delete(name));
        },
        executeCommand: async (name: string, ...values: unknown[]) =>
          name === "markdown.showPreviewToSide"
            ? this.previews.push(String(this.contents?.provideTextDocumentContent()))
            : this.commands.get(name)?.(...values),
      },
      env: {
        language: "en",
        appName: "fake",
        openExternal: async (uri: Uri) => {
          this.opened.push(uri.toString());
          return true;
        },
      },
    };
    const types: Record<string, unknown> = {
      CancellationTokenSource,
      Diagnostic,
      Disposable,
      EventEmitter: Emitter,
      Position,
      Range,
      Uri,
      version: "1.90.0",
    };
    for (const [name, members] of Object.entries(own)) {
      types[name] = lenient(members);
    }
    // An import of `* as vscode` copies the names that are there already.
    for (const name of ["StatusBarAlignment", "ViewColumn"]) {
      types[name] = madeUp();
    }
    return new Proxy(types, {
      get: (target, key) => {
        const name = String(key);
        if (!(name in target)) {
          target[name] = /^[a-z]/.test(name) ? lenient({}) : madeUp();
        }
        return target[name];
      },
    });
  }

  private workspace() {
    return {
      workspaceFolders: [{ uri: Uri.file(this.folder), name: "test", index: 0 }],
      textDocuments: this.documents,
      isTrusted: true,
      getConfiguration: (section?: string) => ({
        get: (key: string, fallback?: unknown) => this.configuration.get(`${section}.${key}`) ?? fallback,
      }),
      registerTextDocumentContentProvider: (_: string, provider: FakeEditor["contents"]) => {
        this.contents = provider;
        return new Disposable();
      },
      onDidOpenTextDocument: this.onOpen.event,
      onDidChangeConfiguration: this.onConfiguration.event,
    };
  }

  private window() {
    const editor = this;
    return {
      get activeTextEditor() {
        return editor.activeTextEditor;
      },
      visibleTextEditors: [],
      tabGroups: lenient({ all: [] }),
      createOutputChannel: () => lenient({ appendLine: (line: string) => void this.log.push(line) }),
      createStatusBarItem: () => lenient(this.statusBar),
      createWebviewPanel: () => {
        const editor = this;
        const webview = {
          set html(page: string) {
            editor.pages.push(page);
          },
          cspSource: "vs:",
          asWebviewUri: (uri: Uri) => uri,
          onDidReceiveMessage: (listener: (message: unknown) => unknown) => {
            editor.send = listener;
          },
        };
        return lenient({ webview });
      },
      showErrorMessage: async (message: string) => void this.errors.push(message),
      showInformationMessage: async (message: string) => void this.information.push(message),
      showWarningMessage: async (message: string) => void this.warnings.push(message),
    };
  }

  private languages() {
    return {
      match: (selectors: { language?: string }[], document: { languageId: string }) =>
        [selectors].flat().some((selector) => selector.language === document.languageId) ? 10 : 0,
      getDiagnostics: (uri: Uri) => this.diagnostics.get(uri.toString()) ?? [],
      createDiagnosticCollection: () =>
        lenient({
          set: (uri: Uri, found: Diagnostic[]) => {
            this.diagnostics.set(uri.toString(), found);
            this.onDiagnostics.fire(uri.toString());
          },
        }),
    };
  }
}

/** Returns an object that has every method: those it does not have do nothing and return something disposable. */
function lenient<T extends object>(object: T): T {
  return new Proxy(object, {
    get: (target, key) => (key in target ? Reflect.get(target, key) : key === "then" ? undefined : () => lenient(new Disposable())),
    set: (target, key, value) => Reflect.set(target, key, value),
  });
}

/** Returns a class or an enumeration without contents. */
function madeUp() {
  return new Proxy(class {}, {
    get: (target, key) => (key in target ? Reflect.get(target, key) : typeof key === "string" ? key : undefined),
  });
}
