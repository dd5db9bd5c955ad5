// Timelines are pages of the HTML report. Here, such a page becomes one that a webview can show.

import * as path from "node:path";

/** A part of a report: the file, and the step or line in it. */
export interface Target {
  file: string;
  fragment: string;
}

/** Splits a `file:` URI into the path of the file and its fragment. Returns undefined for any other URI. */
export function timelineTarget(uri: string): Target | undefined {
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return undefined;
  }
  if (url.protocol !== "file:" || (url.host !== "" && url.host !== "localhost") || !isPage(url.pathname)) {
    return undefined;
  }
  return { file: decode(url.pathname), fragment: decode(url.hash.slice(1)) };
}

/** Returns the folder of the report that a page belongs to: `finding/` and `source/` are folders in it. */
export function reportFolder(file: string): string {
  const folder = path.dirname(file);
  return ["finding", "source"].includes(path.basename(folder)) ? path.dirname(folder) : folder;
}

/** Returns the page that a link on the page `from` leads to, if that page belongs to the report. */
export function linkTarget(from: string, href: string): Target | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("/") || href.startsWith("#")) {
    return undefined;
  }
  const [name = "", fragment = ""] = href.split("#", 2);
  const file = path.resolve(path.dirname(from), decode(name));
  const inside = path.relative(reportFolder(from), file);
  if (!isPage(file) || inside.startsWith("..") || path.isAbsolute(inside)) {
    return undefined;
  }
  return { file, fragment: decode(fragment) };
}

function isPage(name: string): boolean {
  return /\.html?$/i.test(name);
}

/** Decodes percent signs, and leaves a text alone that is not encoded correctly. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a webview offers to its page. */
export interface Surroundings {
  /** Returns the address of a file that a page links to. */
  resolve(href: string): string;
  /** The origin of these addresses, for the policy of the page. */
  origin: string;
  /** A fresh random text, which marks the script of the extension. */
  nonce: string;
}

/**
 * Returns the text for a webview that shows a page.
 *
 * A webview has no address. So the styles and scripts of the page get addresses, a script goes to the fragment, and links to other pages
 * become messages to the extension. Only scripts of the report and this one may run.
 */
export function webviewText(page: string, fragment: string, { resolve, origin, nonce }: Surroundings): string {
  const linked = page
    .replace(/<meta\s[^>]*http-equiv="?content-security-policy[^>]*>/gi, "")
    .replace(
      /(<(?:link|script|img)\b[^>]*?\s(?:href|src)=")([^"]+)(")/gi,
      (whole, before: string, href: string, after: string) =>
        /^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(href) ? whole : before + resolve(href) + after,
    );
  const policy = `default-src 'none'; img-src ${origin} data:; style-src ${origin} 'unsafe-inline'; script-src ${origin} 'nonce-${nonce}'`;
  const added =
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<script nonce="${nonce}">${SCRIPT.replace("FRAGMENT", () => literal(fragment))}</script>`;
  const start = /<head\b[^>]*>/i.exec(linked);
  const index = start === null ? 0 : start.index + start[0].length;
  return linked.slice(0, index) + added + linked.slice(index);
}

const SCRIPT = `
(() => {
  const editor = acquireVsCodeApi();
  const fragment = FRAGMENT;
  if (fragment !== "") addEventListener("DOMContentLoaded", () => { location.hash = fragment; });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const href = link?.getAttribute("href");
    if (href && !href.startsWith("#")) {
      event.preventDefault();
      editor.postMessage({ href });
    }
  });
})();
`;

/** Returns a text as a literal of JavaScript that may stand in a page. */
export function literal(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A diagnostic, reduced to what the choice of a finding needs. Lines count from 0. */
export interface Candidate {
  startLine: number;
  endLine: number;
  source: string | undefined;
  fingerprint: string | undefined;
}

/** Returns the fingerprint of the finding that a timeline is asked for at a line: one on the line, or the nearest. */
export function findingAt(candidates: readonly Candidate[], line: number): string | undefined {
  let best: { distance: number; fingerprint: string } | undefined;
  for (const candidate of candidates) {
    if (candidate.source !== "cairn" || candidate.fingerprint === undefined) {
      continue;
    }
    const distance =
      line < candidate.startLine ? candidate.startLine - line : line > candidate.endLine ? line - candidate.endLine : 0;
    if (best === undefined || distance < best.distance) {
      best = { distance, fingerprint: candidate.fingerprint };
    }
  }
  return best?.fingerprint;
}

/** Reads the fingerprint from the data of a diagnostic. */
export function fingerprintOf(data: unknown): string | undefined {
  if (typeof data === "object" && data !== null && "fingerprint" in data) {
    const value = (data as { fingerprint: unknown }).fingerprint;
    return typeof value === "string" ? value : undefined;
  }
  return undefined;
}
