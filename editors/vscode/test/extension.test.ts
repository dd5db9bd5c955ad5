// Loads the bundled extension with a stand-in for VS Code, and lets it speak to a server over stdio.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { FakeEditor } from "./fake-vscode";

type Extension = { activate(context: unknown): Promise<void>; deactivate(): Promise<void> };

/** Loads `dist/extension.js` anew; its `vscode` is that of the editor. */
function load(editor: FakeEditor): Extension {
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const original = loader._load;
  const vscode = editor.module();
  loader._load = (request, ...rest) => (request === "vscode" ? vscode : original(request, ...rest));
  try {
    const file = join(__dirname, "../extension.js");
    delete require.cache[file];
    return require(file) as Extension;
  } finally {
    loader._load = original;
  }
}

/** Writes a program that starts the fake server as `PROGRAM lsp`. */
function fakeServer(folder: string): string {
  const file = join(folder, "cairn");
  const server = join(__dirname, "fake-server.js");
  writeFileSync(file, `#!/bin/sh\n[ "$1" = lsp ] || exit 3\nexec '${process.execPath}' '${server}'\n`);
  chmodSync(file, 0o755);
  return file;
}

async function started(settings: Record<string, unknown>) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-vscode-"));
  const editor = new FakeEditor(folder);
  editor.configuration.set("cairn.path", fakeServer(folder));
  for (const [key, value] of Object.entries(settings)) {
    editor.configuration.set(key, value);
  }
  const extension = load(editor);
  await extension.activate({ subscriptions: [] });
  return { editor, extension };
}

/** Waits until a condition holds. */
async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a fault is shown, and its timeline opens beside the editor", async () => {
  const { editor, extension } = await started({});
  assert.equal(editor.statusBar.text, "$(check) cairn", editor.log.join("\n"));
  const document = editor.open("a.c", "int main(void) {\n  free(p);\n\n\n  free(q);\n}\n", 4);
  const found = await editor.diagnosed(document.uri);
  assert.deepEqual(found.map(({ message, source }) => `${source}: ${message}`), ["cairn: freed twice", "cairn: freed twice"]);
  await editor.commands.get("cairn.showTimeline")?.();
  assert.equal(editor.pages.length, 1);
  assert.match(editor.pages[0] ?? "", /const fragment = "step-8";/);
  assert.match(editor.pages[0] ?? "", /\[{"uri":"file:.*a\.c","fingerprint":"f4"}\]/);
  assert.deepEqual(editor.opened, []);
  await editor.send({ href: "2.html" });
  await editor.send({ href: "../../../../etc/x.html" });
  await editor.send("nonsense");
  assert.equal(editor.pages.length, 2);
  assert.match(editor.pages[1] ?? "", /the second/);
  await extension.deactivate();
});

test("timelines open in the browser if the user wants so", async () => {
  const { editor, extension } = await started({ "cairn.timeline": "browser" });
  const document = editor.open("a.c", "free(p);\n");
  await editor.diagnosed(document.uri);
  await editor.commands.get("cairn.showTimeline")?.();
  assert.equal(editor.pages.length, 0);
  assert.equal(editor.opened.length, 1);
  await extension.deactivate();
});

test("a file without findings has no timeline", async () => {
  const { editor, extension } = await started({});
  await editor.diagnosed(editor.open("a.c", "int x;\n").uri);
  await editor.commands.get("cairn.showTimeline")?.();
  assert.deepEqual(editor.information, ["cairn: there is no finding in this file"]);
  await extension.deactivate();
});

test("the lens of a function shows a page about it", async () => {
  const { editor, extension } = await started({});
  await editor.commands.get("cairn.showFunction")?.({ uri: "file:///a.c", function: "f" });
  assert.deepEqual(editor.previews, ["**f**: 12 of 12 checks proved"]);
  await extension.deactivate();
});

test("settings reach the server without a restart", async () => {
  const { editor, extension } = await started({ "cairn.checkOn": "save", "cairn.arguments": ["--malloc-fails"] });
  editor.open("a.c", "");
  const ask = async () => (await editor.commands.get("cairn.check")?.({ uri: "file:///x.c" })) as { options: unknown };
  const options = { checkOn: "save", delay: 300, timeLimit: 10, arguments: ["--malloc-fails"], inlayHints: true, codeLens: true };
  assert.deepEqual((await ask()).options, options);
  await editor.set("cairn.timeLimit", 3);
  await waitFor(async () => ((await ask()).options as { timeLimit: number }).timeLimit === 3);
  await extension.deactivate();
});

test("the status bar shows what the server does", async () => {
  const { editor, extension } = await started({});
  editor.open("a.c", "");
  await editor.commands.get("cairn.checkFile")?.();
  await waitFor(async () => editor.statusBar.text === "$(sync~spin) cairn");
  assert.equal(editor.statusBar.tooltip, "checking a.c");
  await extension.deactivate();
});

test("the server can be started again", async () => {
  const { editor, extension } = await started({});
  await editor.commands.get("cairn.restartServer")?.();
  assert.equal(editor.statusBar.text, "$(check) cairn");
  const document = editor.open("b.c", "free(p);\n");
  assert.equal((await editor.diagnosed(document.uri)).length, 1);
  await extension.deactivate();
});

test("a missing program is one error, and a right path heals it", async () => {
  const { editor, extension } = await started({});
  const path = editor.configuration.get("cairn.path");
  await editor.set("cairn.path", "/nonexistent/cairn");
  await editor.commands.get("cairn.restartServer")?.();
  assert.ok(editor.errors.some((error) => error.includes("cannot start `/nonexistent/cairn lsp`")), editor.errors.join());
  assert.equal(editor.statusBar.text, "$(circle-slash) cairn");
  editor.open("c.c", "");
  await editor.commands.get("cairn.checkFile")?.();
  assert.deepEqual(editor.warnings, ["cairn: the server is not running"]);
  await editor.set("cairn.path", path);
  await editor.commands.get("cairn.restartServer")?.();
  assert.equal(editor.statusBar.text, "$(check) cairn");
  await extension.deactivate();
});
