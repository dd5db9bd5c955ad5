import assert from "node:assert/strict";
import * as os from "node:os";
import { test } from "node:test";

import manifest from "../package.json";
import { DEFAULTS, needsRestart, readSettings, serverCommand, serverOptions } from "../src/settings";

const read = (values: Record<string, unknown>) => readSettings((key) => values[key]);

test("settings that are not set have their defaults", () => {
  assert.deepEqual(read({}), DEFAULTS);
});

test("the defaults are those of package.json", () => {
  const properties = manifest.contributes.configuration.properties;
  for (const [key, value] of Object.entries(DEFAULTS)) {
    const declared = (properties as Record<string, { default: unknown }>)[`cairn.${key}`];
    assert.deepEqual(declared?.default, value, key);
  }
});

test("values of a wrong type count as not set", () => {
  assert.deepEqual(read({ path: 3, arguments: "x", checkOn: "always", timeLimit: "5", timeline: 1, codeLens: "no" }), DEFAULTS);
  assert.deepEqual(read({ path: "  ", timeLimit: 0, delay: -1 }), DEFAULTS);
  assert.deepEqual(read({ arguments: ["--malloc-fails", 3] }).arguments, ["--malloc-fails"]);
});

test("the path of the server may name the workspace and the home folder", () => {
  const command = (path: string, folder?: string) => serverCommand(read({ path }), folder).command;
  assert.equal(command("cairn"), "cairn");
  assert.equal(command("${workspaceFolder}/bin/cairn", "/w"), "/w/bin/cairn");
  assert.equal(command("~/bin/cairn"), `${os.homedir()}/bin/cairn`);
  assert.equal(command("/opt/~/cairn"), "/opt/~/cairn");
  assert.deepEqual(serverCommand(DEFAULTS, undefined).args, ["lsp"]);
});

test("the server gets the settings that it uses", () => {
  assert.deepEqual(serverOptions(read({ checkOn: "save", arguments: ["-DX"], timeLimit: 3, codeLens: false })), {
    checkOn: "save",
    delay: 300,
    timeLimit: 3,
    arguments: ["-DX"],
    inlayHints: true,
    codeLens: false,
  });
});

test("only another program needs a restart", () => {
  assert.equal(needsRestart(DEFAULTS, { ...DEFAULTS, path: "/x" }), true);
  assert.equal(needsRestart(DEFAULTS, { ...DEFAULTS, checkOn: "never", timeLimit: 1 }), false);
});
