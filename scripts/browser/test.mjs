// Opens the reports that scripts/browser-test has written in headless Chromium, and checks that they work.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { contrastFaults, drawingFaults, layoutFaults, stageFaults } from "./geometry.mjs";

const { CHROMIUM, OUT, TOOLS } = process.env;
const { chromium } = createRequire(join(TOOLS, "index.js"))("playwright-core");
const WIDTHS = [375, 800, 1400];
const reports = readdirSync(join(OUT, "reports")).filter((name) => name !== "many");
const url = (...parts) => pathToFileURL(join(OUT, "reports", ...parts)).href;
let passed = 0;
const failures = [];

/** Runs one test, and goes on after a failure. */
async function test(name, action) {
  try {
    await action();
    passed++;
    console.log(`ok    ${name}`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL  ${name}\n      ${String(error.message ?? error).split("\n").slice(0, 12).join("\n      ")}`);
  }
}

function equal(actual, expected, what) {
  if (actual !== expected) {
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

function none(faults, what) {
  if (faults.length > 0) {
    throw new Error(`${what}:\n${faults.slice(0, 10).join("\n")}${faults.length > 10 ? `\n… ${faults.length - 10} more` : ""}`);
  }
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files=false"],
});

/** Opens a page without a network. Errors in the console, and requests for anything but files, are collected. */
async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: "reduce", ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(`cannot load ${request.url()}`));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || complaints.push(`asks for ${request.url()}`));
  await page.goto(address);
  if (options.javaScriptEnabled !== false) {
    await page.waitForSelector('body[data-ready="true"]', { timeout: 30_000 });
  }
  return { page, complaints, close: () => context.close() };
}

const shownStep = (page) => page.locator("#timeline").getAttribute("data-step").then(Number);
const steps = (page) => page.locator("#timeline").getAttribute("data-steps").then(Number);
const visible = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((e) => e.checkVisibility()).length);

async function overview(name) {
  const { page, complaints, close } = await open(url(name, "index.html"));
  const findings = await page.locator("#findings > li.finding").count();
  for (const answer of ["proved", "violated", "unknown"]) {
    const text = await page.locator(`[data-count="${answer}"]`).first().textContent();
    equal(/^[\d,]+$/.test(text.trim()), true, `the number of checks that are ${answer} is '${text.trim()}'`);
  }
  equal(findings >= 1, true, "there is a finding");
  await page.fill("#search", "no such text anywhere");
  await page.waitForFunction(() => document.querySelectorAll("#findings > li.finding:not([hidden])").length === 0);
  equal(/^0\b/.test((await page.locator("output#shown").textContent()).trim()), true, "the number of shown findings is 0");
  await page.fill("#search", "");
  equal(await visible(page, "#findings > li.finding"), findings, "findings without a filter");
  const check = await page.locator("#findings > li.finding").first().getAttribute("data-check");
  await page.selectOption("#filter-check", check);
  const others = await page.locator(`#findings > li.finding:not([data-check="${check}"]):not([hidden])`).count();
  equal(others, 0, "findings of other checks");
  await page.locator("#findings > li.finding a").first().click();
  await page.waitForSelector('body[data-page="finding"][data-ready="true"]');
  await page.locator('a[href="../index.html"]').first().click();
  await page.waitForSelector('body[data-page="overview"]');
  none(complaints, "console");
  await close();
}

async function stepping(name) {
  const { page, complaints, close } = await open(url(name, "finding", "1.html"));
  const count = await steps(page);
  equal(count >= 2, true, "there are steps");
  equal(await page.locator("#stage > figure.frame").count(), count, "drawings");
  await page.keyboard.press("Home");
  equal(await shownStep(page), 1, "after Home");
  await page.keyboard.press("ArrowRight");
  equal(await shownStep(page), 2, "after ArrowRight");
  equal(await visible(page, "#stage > figure.frame"), 1, "visible drawings");
  equal(await page.locator("#stage > figure.frame:not([hidden])").getAttribute("data-step"), "2", "the visible drawing");
  equal(await page.locator('#steps a[aria-current="step"]').getAttribute("href"), "#step-2", "the current step");
  const caption = (await page.locator("#stage > figure.frame:not([hidden]) figcaption").textContent()).replace(/^2\. /, "");
  equal(await page.locator("#slider").getAttribute("aria-valuetext"), `step 2 of ${count}: ${caption}`, "the slider in words");
  equal(await page.locator("#position").textContent(), `step 2 of ${count}: ${caption}`, "what a screen reader says");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  equal(await shownStep(page), 1, "before the first step");
  await page.keyboard.press("End");
  equal(await shownStep(page), count, "after End");
  await page.keyboard.press("ArrowRight");
  equal(await shownStep(page), count, "after the last step");
  await page.locator("#first").click();
  equal(await shownStep(page), 1, "after the first button");
  await page.locator("#next").click();
  equal(await shownStep(page), 2, "after the next button");
  await page.locator("#previous").click();
  equal(await shownStep(page), 1, "after the previous button");
  await page.locator("#last").click();
  equal(await shownStep(page), count, "after the last button");
  await page.locator("#slider").fill("2");
  equal(await shownStep(page), 2, "after the slider");
  await page.locator("#slider").focus();
  await page.keyboard.press("ArrowRight");
  equal(await shownStep(page), Math.min(3, count), "after a key on the slider");
  await page.locator('#steps > li.step > a[href="#step-1"]').click();
  equal(await shownStep(page), 1, "after a link");
  for (let step = 1; step <= count; step++) {
    await page.locator(`#steps > li.step > a[href="#step-${step}"]`).click();
    equal((await visible(page, "#code li.line.current")) <= 1, true, `at most one current line at step ${step}`);
  }
  none(complaints, "console");
  await close();
  const linked = await open(`${url(name, "finding", "1.html")}#step-2`);
  equal(await shownStep(linked.page), 2, "the step of the address");
  none(linked.complaints, "console");
  await linked.close();
}

async function drawings(name) {
  const { page, close } = await open(url(name, "finding", "1.html"));
  equal((await page.locator("g.node").count()) > 0, true, "there are nodes");
  none(await page.evaluate(drawingFaults), "drawings");
  none(
    await page.locator("svg.heap").evaluateAll((all) =>
      all.filter((svg) => svg.getAttribute("role") !== "img" || !svg.querySelector("title")?.textContent.trim()).map(() => "no title"),
    ),
    "drawings without a title",
  );
  await close();
}

async function layout(name, file) {
  const folder = join(OUT, "screenshots", name === ".." ? "states" : name);
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    for (const width of WIDTHS) {
      const { page, complaints, close } = await open(url(name, file), { viewport: { width, height: 900 }, colorScheme });
      const picture = `${file.replace(/\W+/g, "-")}-${colorScheme}-${width}.png`;
      await page.screenshot({ path: join(folder, picture), fullPage: true });
      none(await page.evaluate(layoutFaults), `${width} px, ${colorScheme}`);
      none(await page.evaluate(contrastFaults), `${width} px, ${colorScheme}`);
      if (file.startsWith("finding/")) {
        none(await page.evaluate(stageFaults), `${width} px, ${colorScheme}`);
      }
      none(complaints, "console");
      await close();
    }
  }
}

async function darkMode(name) {
  const brightness = async (colorScheme) => {
    const { page, close } = await open(url(name, "finding", "1.html"), { colorScheme });
    const picture = await page.screenshot({ clip: { x: 2, y: 450, width: 2, height: 2 } });
    const pixel = await page.evaluate(async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(1, 1).getContext("2d");
      canvas.drawImage(bitmap, 0, 0);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    }, [...picture]);
    await close();
    return pixel[0] + pixel[1] + pixel[2];
  };
  equal((await brightness("light")) > 3 * 200, true, "the page is light");
  equal((await brightness("dark")) < 3 * 70, true, "the page is dark");
}

async function withoutScript(name) {
  const { page, close } = await open(url(name, "finding", "1.html"), { javaScriptEnabled: false });
  const frames = await page.locator("#stage > figure.frame").count();
  let shown = 0;
  for (let index = 0; index < frames; index++) {
    shown += (await page.locator("#stage > figure.frame").nth(index).isVisible()) ? 1 : 0;
  }
  equal(shown, frames, "visible drawings");
  await close();
}

async function sourcePage(name) {
  const { page, complaints, close } = await open(url(name, "source", "1.html"));
  for (const answer of ["proved", "violated"]) {
    equal((await page.locator(`li.line .mark.${answer}`).count()) > 0, true, `there is a mark '${answer}'`);
  }
  equal((await page.locator("a.to-finding").count()) > 0, true, "there is a link to the finding");
  none(complaints, "console");
  await close();
}

async function links(name) {
  const seen = new Set();
  const queue = [url(name, "index.html")];
  const broken = [];
  while (queue.length > 0 && seen.size < 60) {
    const address = queue.shift();
    if (seen.has(address)) {
      continue;
    }
    seen.add(address);
    const { page, close } = await open(address);
    const targets = await page.locator("a[href]").evaluateAll((all) => all.map((a) => a.href));
    for (const target of new Set(targets)) {
      const [file, fragment] = target.split("#");
      try {
        const text = readFileSync(new URL(file), "utf8");
        if (fragment && !fragment.startsWith("step-") && !text.includes(`id="${fragment}"`)) {
          broken.push(`${address}: ${target} has no such place`);
        }
        queue.push(file);
      } catch {
        broken.push(`${address}: ${target} is not there`);
      }
    }
    await close();
  }
  none([...new Set(broken)], "links");
}

async function manyFindings() {
  let opened;
  let elapsed = Infinity;
  for (let round = 0; round < 3; round++) {
    await opened?.close();
    const start = performance.now();
    opened = await open(url("many", "index.html"));
    elapsed = Math.min(elapsed, performance.now() - start);
  }
  const { page, complaints, close } = opened;
  const count = await page.locator("#findings > li.finding").count();
  equal(count, 1000, "findings");
  console.log(`      1,000 findings: ready after ${Math.round(elapsed)} ms`);
  equal(elapsed < 2000, true, `ready after ${Math.round(elapsed)} ms, in less than 2000`);
  const found = await page.evaluate(async () => {
    const search = document.querySelector("#search");
    const begin = performance.now();
    search.value = "fault_77";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 250));
    const shown = document.querySelectorAll("#findings > li.finding:not([hidden])").length;
    return { shown, time: performance.now() - begin };
  });
  equal(found.shown, 11, "findings in functions whose name contains fault_77");
  none(complaints, "console");
  await close();
}

async function statesPage() {
  const { page, complaints, close } = await open(url("..", "states", "index.html"));
  equal((await page.locator("section.state[data-line]").count()) > 5, true, "there are lines with states");
  equal((await page.locator("pre.formula").count()) > 5, true, "there are formulas");
  equal((await page.locator("svg.heap g.node").count()) > 5, true, "there are drawings");
  none(complaints, "console");
  await close();
  await layout("..", "states/index.html");
}

/** Makes the picture of the README. */
async function picture() {
  const { page, close } = await open(url("use_after_free", "finding", "1.html"), { viewport: { width: 1100, height: 790 } });
  await page.keyboard.press("End");
  await page.screenshot({ path: join(OUT, "screenshots", "timeline.png") });
  await close();
}

for (const name of reports) {
  await test(`${name}: overview, search and filters`, () => overview(name));
  await test(`${name}: keys, buttons, slider and links step`, () => stepping(name));
  await test(`${name}: nodes stay, edges cross no node, texts do not overlap`, () => drawings(name));
  await test(`${name}: works without scripts`, () => withoutScript(name));
  await test(`${name}: marks beside the source`, () => sourcePage(name));
  await test(`${name}: links lead somewhere`, () => links(name));
  await test(`${name}: layout and contrast of a timeline at three widths`, () => layout(name, "finding/1.html"));
}
await test(`layout and contrast of the overview at three widths`, () => layout(reports[0], "index.html"));
await test(`layout and contrast of a source page at three widths`, () => layout(reports[0], "source/1.html"));
await test(`layout and contrast of contracts at three widths`, () => layout("list", "contracts.html"));
await test("symbolic states of each line", statesPage);
await test("dark mode", () => darkMode(reports[0]));
await test("1,000 findings", manyFindings);
await test("the picture of the README", picture);
await browser.close();
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
