// A language server that answers like `cairn lsp` for the tests of the extension. It finds a fault in each line with `free`.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  DidChangeTextDocumentParams,
  DidOpenTextDocumentParams,
  ExecuteCommandParams,
  InitializeParams,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";

const connection = createProtocolConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
let options: unknown;

function publish(uri: string, text: string): void {
  const diagnostics = text.split("\n").flatMap((line, number) => {
    const column = line.indexOf("free(");
    if (column < 0) {
      return [];
    }
    const range = { start: { line: number, character: column }, end: { line: number, character: column + 4 } };
    return [
      { range, severity: 1, source: "cairn", code: "double-free", message: "freed twice", data: { fingerprint: `f${number}` } },
    ];
  });
  void connection.sendNotification("textDocument/publishDiagnostics", { uri, diagnostics });
}

connection.onRequest("initialize", (parameters: InitializeParams) => {
  options = parameters.initializationOptions;
  return {
    capabilities: { textDocumentSync: 1, executeCommandProvider: { commands: ["cairn.check", "cairn.openTimeline", "cairn.showFunction"] } },
    serverInfo: { name: "fake" },
  };
});
connection.onNotification("textDocument/didOpen", (parameters: DidOpenTextDocumentParams) =>
  publish(parameters.textDocument.uri, parameters.textDocument.text),
);
connection.onNotification("textDocument/didChange", (parameters: DidChangeTextDocumentParams) =>
  publish(parameters.textDocument.uri, parameters.contentChanges[0]?.text ?? ""),
);
connection.onNotification("workspace/didChangeConfiguration", (parameters: { settings: { cairn: unknown } }) => {
  options = parameters.settings.cairn;
});
connection.onRequest("workspace/executeCommand", async ({ command, arguments: given }: ExecuteCommandParams) => {
  if (command === "cairn.openTimeline") {
    const folder = join(mkdtempSync(join(tmpdir(), "cairn-fake-")), "finding");
    mkdirSync(folder);
    writeFileSync(join(folder, "1.html"), `<html><head></head><body>${JSON.stringify(given)}</body></html>`);
    writeFileSync(join(folder, "2.html"), "<html><head></head><body>the second</body></html>");
    const uri = `${pathToFileURL(join(folder, "1.html")).href}#step-8`;
    await connection.sendRequest("window/showDocument", { uri, external: true });
    return { html: join(folder, "1.html"), uri };
  }
  if (command === "cairn.showFunction") {
    return "**f**: 12 of 12 checks proved";
  }
  if (command === "cairn.check") {
    await connection.sendNotification("cairn/status", { state: "checking", uri: "", message: "checking a.c" });
  }
  return { command, arguments: given, options };
});
connection.onRequest("shutdown", () => null);
connection.onNotification("exit", () => process.exit(0));
connection.onClose(() => process.exit(1));
connection.listen();
