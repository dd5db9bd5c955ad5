import assert from "node:assert/strict";
import { test } from "node:test";
import * as vm from "node:vm";

import {
  findingAt,
  fingerprintOf,
  linkTarget,
  literal,
  reportFolder,
  timelineTarget,
  webviewText,
} from "../src/timeline";

test("the URI of a report is split", () => {
  assert.deepEqual(timelineTarget("file:///tmp/a%20b/index.html#finding-2"), {
    file: "/tmp/a b/index.html",
    fragment: "finding-2",
  });
  assert.deepEqual(timelineTarget("file:///r/index.html"), { file: "/r/index.html", fragment: "" });
  assert.deepEqual(timelineTarget("file:///r/100%.html#%"), { file: "/r/100%.html", fragment: "%" });
});

test("only local pages are timelines", () => {
  for (const uri of ["https://example.org/index.html", "file://host/index.html", "file:///a.c", "not a uri", ""]) {
    assert.equal(timelineTarget(uri), undefined, uri);
  }
});

test("links lead to pages of the report only", () => {
  const from = "/r/finding/2.html";
  assert.equal(reportFolder(from), "/r");
  assert.equal(reportFolder("/r/index.html"), "/r");
  assert.deepEqual(linkTarget(from, "../index.html"), { file: "/r/index.html", fragment: "" });
  assert.deepEqual(linkTarget(from, "3.html#step-2"), { file: "/r/finding/3.html", fragment: "step-2" });
  assert.deepEqual(linkTarget("/r/index.html", "source/1.html#L12"), { file: "/r/source/1.html", fragment: "L12" });
  for (const href of ["../../x.html", "/etc/x.html", "https://example.org/x.html", "#step-1", "../a.c", "javascript:x.html"]) {
    assert.equal(linkTarget(from, href), undefined, href);
  }
});

const surroundings = { resolve: (href: string) => `vs://r/${href}`, origin: "vs:", nonce: "n0" };

test("a page gets addresses for its files, a policy, and a script", () => {
  const page =
    '<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src x"><link rel="stylesheet" ' +
    'href="../assets/cairn.css"></head><body><a href="3.html">3</a><script defer src="../assets/cairn.js"></script></body></html>';
  const shown = webviewText(page, "step-8", surroundings);
  assert.match(shown, /<link rel="stylesheet" href="vs:\/\/r\/\.\.\/assets\/cairn\.css">/);
  assert.match(shown, /<script defer src="vs:\/\/r\/\.\.\/assets\/cairn\.js">/);
  assert.match(shown, /<a href="3\.html">/);
  assert.match(shown, /^<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none';/);
  assert.equal(shown.match(/Content-Security-Policy/g)?.length, 1);
  assert.match(shown, /const fragment = "step-8";/);
  assert.ok(webviewText("<p>", "", surroundings).endsWith("<p>"));
});

test("texts of the analysed program stay as they are", () => {
  const page = "<head></head><pre>&lt;script src=&quot;x.js&quot;&gt; FRAGMENT $& </pre>";
  assert.ok(webviewText(page, "$&", surroundings).endsWith(page.slice("<head>".length)));
});

test("a fragment cannot leave its literal", () => {
  const hostile = "</script><script>alert('x')//\"\\\u2028";
  assert.ok(!/[<>\u2028]/.test(literal(hostile)));
  assert.equal(vm.runInNewContext(literal(hostile)), hostile);
});

test("the timeline is that of the finding at the line, or of the nearest", () => {
  const at = (startLine: number, fingerprint?: string, source = "cairn") => ({
    startLine,
    endLine: startLine + 1,
    source,
    fingerprint,
  });
  const candidates = [at(1, "a"), at(10, "b"), at(5), at(6, "other", "clangd")];
  assert.equal(findingAt(candidates, 2), "a");
  assert.equal(findingAt(candidates, 10), "b");
  assert.equal(findingAt(candidates, 6), "a");
  assert.equal(findingAt(candidates, 7), "b");
  assert.equal(findingAt(candidates, 99), "b");
  assert.equal(findingAt([at(6, "other", "clangd")], 6), undefined);
});

test("fingerprints are read from the data of diagnostics", () => {
  assert.equal(fingerprintOf({ fingerprint: "x:1" }), "x:1");
  for (const data of [undefined, null, 3, "x", {}, { fingerprint: 3 }]) {
    assert.equal(fingerprintOf(data), undefined);
  }
});
