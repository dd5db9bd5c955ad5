// Bundles the extension and its tests into dist/.

import { copyFileSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
const common = {
  bundle: true,
  platform: "node",
  target: "node18",
  format: "cjs",
  external: ["vscode"],
  logLevel: "warning",
};
await build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", minify: true });
const tests = (await readdir("test")).filter((name) => name.endsWith(".ts")).map((name) => `test/${name}`);
await build({ ...common, entryPoints: tests, outdir: "dist/test", sourcemap: "inline" });
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  copyFileSync(`../../${name}`, `dist/${name}`);
}
