// Speaks to the real `cairn lsp`, which the environment variable CAIRN names. Without it, these tests are skipped.

import assert from "node:assert/strict";
import { ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  Diagnostic,
  ProtocolConnection,
  PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";

import { DEFAULTS, serverCommand, serverOptions } from "../src/settings";
import { fingerprintOf, timelineTarget } from "../src/timeline";

const program = process.env.CAIRN;
const skip = program === undefined ? "CAIRN is not set" : false;

const FAULTY = `#include <stdlib.h>
int main(void)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return 1;
    free(p);
    return *p;
}
`;
const RIGHT = FAULTY.replace("    free(p);\n    return *p;", "    free(p);\n    return 0;");

/** A client without an editor. */
class Client {
  readonly folder = mkdtempSync(join(tmpdir(), "cairn-lsp-"));
  readonly uri = pathToFileURL(join(this.folder, "a.c")).href;
  private readonly child: ChildProcess;
  private readonly connection: ProtocolConnection;
  private version = 0;
  private published: PublishDiagnosticsParams[] = [];
  private wake: () => void = () => undefined;

  constructor() {
    const { command, args } = serverCommand({ ...DEFAULTS, path: program ?? "" }, undefined);
    this.child = spawn(command, args, { cwd: this.folder, stdio: ["pipe", "pipe", "inherit"] });
    const { stdin, stdout } = this.child;
    assert.ok(stdin && stdout);
    this.connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.connection.onNotification("textDocument/publishDiagnostics", (parameters: PublishDiagnosticsParams) => {
      this.published.push(parameters);
      this.wake();
    });
    this.connection.onRequest("window/workDoneProgress/create", () => null);
    this.connection.onRequest("window/showDocument", () => ({ success: true }));
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.listen();
  }

  async start(): Promise<void> {
    await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(this.folder).href,
      capabilities: {
        textDocument: { publishDiagnostics: { relatedInformation: true, dataSupport: true } },
        window: { showDocument: { support: true } },
      },
      initializationOptions: serverOptions(DEFAULTS),
    });
    await this.connection.sendNotification("initialized", {});
  }

  async open(text: string): Promise<void> {
    writeFileSync(join(this.folder, "a.c"), text);
    const textDocument = { uri: this.uri, languageId: "c", version: ++this.version, text };
    await this.connection.sendNotification("textDocument/didOpen", { textDocument });
  }

  async change(text: string): Promise<void> {
    const textDocument = { uri: this.uri, version: ++this.version };
    await this.connection.sendNotification("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
  }

  /** Waits for diagnostics of the file that satisfy a condition. */
  async diagnosed(condition: (found: Diagnostic[]) => boolean): Promise<Diagnostic[]> {
    for (;;) {
      const match = this.published.find((item) => item.uri === this.uri && condition(item.diagnostics));
      if (match !== undefined) {
        this.published = [];
        return match.diagnostics;
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  execute(command: string, parameters: unknown): Promise<unknown> {
    return this.connection.sendRequest("workspace/executeCommand", { command, arguments: [parameters] });
  }

  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.child.on("exit", resolve));
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    const code = await ended;
    this.connection.dispose();
    return code;
  }
}

test("a fault is diagnosed, its timeline is written, and its correction is seen", { skip, timeout: 60_000 }, async () => {
  const client = new Client();
  await client.start();
  await client.open(FAULTY);
  const found = await client.diagnosed((list) => list.length > 0);
  const [fault] = found;
  assert.equal(found.length, 1);
  assert.equal(fault?.source, "cairn");
  assert.equal(fault?.code, "use-after-free");
  assert.equal(fault?.range.start.line, 7);
  const fingerprint = fingerprintOf(fault?.data);
  assert.ok(fingerprint);
  const answer = (await client.execute("cairn.openTimeline", { uri: client.uri, fingerprint })) as { uri: string };
  const target = timelineTarget(answer.uri);
  assert.ok(target !== undefined && existsSync(target.file), answer.uri);
  await client.change(RIGHT);
  await client.diagnosed((list) => list.length === 0);
  assert.equal(await client.stop(), 0);
});

test("half-typed code does not end the server", { skip, timeout: 60_000 }, async () => {
  const client = new Client();
  await client.start();
  await client.open(FAULTY);
  for (let length = FAULTY.length; length > 0; length -= 17) {
    await client.change(FAULTY.slice(0, length));
  }
  await client.change(FAULTY);
  await client.diagnosed((list) => list.some((item) => item.code === "use-after-free"));
  assert.equal(await client.stop(), 0);
});
