// The settings of the extension, and what follows from them for the server. Nothing here depends on VS Code.

import * as os from "node:os";
import * as path from "node:path";

/** When files are checked. */
export type CheckOn = "change" | "save" | "never";

/** Where timelines are opened. */
export type TimelineView = "beside" | "browser";

/** The settings under `cairn.` as the user has written them. */
export interface Settings {
  path: string;
  arguments: string[];
  checkOn: CheckOn;
  delay: number;
  timeLimit: number;
  inlayHints: boolean;
  codeLens: boolean;
  timeline: TimelineView;
}

/** A function that returns the value of one setting, such as `WorkspaceConfiguration.get`. */
export type Lookup = (key: string) => unknown;

export const DEFAULTS: Settings = {
  path: "cairn",
  arguments: [],
  checkOn: "change",
  delay: 300,
  timeLimit: 10,
  inlayHints: true,
  codeLens: true,
  timeline: "beside",
};

/** Reads the settings. A value of a wrong type counts as not set. */
export function readSettings(lookup: Lookup): Settings {
  const text = lookup("path");
  const list = lookup("arguments");
  return {
    path: typeof text === "string" && text.trim() !== "" ? text.trim() : DEFAULTS.path,
    arguments: Array.isArray(list) ? list.filter((item): item is string => typeof item === "string") : DEFAULTS.arguments,
    checkOn: choice(lookup("checkOn"), ["change", "save", "never"], DEFAULTS.checkOn),
    delay: number(lookup("delay"), 0, DEFAULTS.delay),
    timeLimit: number(lookup("timeLimit"), 1, DEFAULTS.timeLimit),
    inlayHints: flag(lookup("inlayHints"), DEFAULTS.inlayHints),
    codeLens: flag(lookup("codeLens"), DEFAULTS.codeLens),
    timeline: choice(lookup("timeline"), ["beside", "browser"], DEFAULTS.timeline),
  };
}

function choice<T extends string>(value: unknown, choices: readonly T[], fallback: T): T {
  return choices.find((item) => item === value) ?? fallback;
}

function number(value: unknown, least: number, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) && value >= least ? value : fallback;
}

function flag(value: unknown, fallback: boolean): boolean {
  return typeof value === "boolean" ? value : fallback;
}

/** The command that starts the server. */
export interface ServerCommand {
  command: string;
  args: string[];
}

/** Returns the command that starts the server, with `~` and `${workspaceFolder}` replaced in its path. */
export function serverCommand(settings: Settings, workspaceFolder: string | undefined): ServerCommand {
  let command = settings.path;
  if (workspaceFolder !== undefined) {
    command = command.replaceAll("${workspaceFolder}", workspaceFolder);
  }
  if (command === "~" || command.startsWith("~/")) {
    command = path.join(os.homedir(), command.slice(1));
  }
  return { command, args: ["lsp"] };
}

/** Returns the settings that the server gets, as initialisation options and after each change. */
export function serverOptions(settings: Settings): Record<string, unknown> {
  const { checkOn, delay, timeLimit, inlayHints, codeLens } = settings;
  return { checkOn, delay, timeLimit, arguments: settings.arguments, inlayHints, codeLens };
}

/** Returns whether a change from `before` to `after` needs another process. */
export function needsRestart(before: Settings, after: Settings): boolean {
  return before.path !== after.path;
}
