// The notification `cairn/status` of the server, and its text in the status bar.

/** What the server is doing. */
export interface Status {
  state: "starting" | "checking" | "idle" | "failed" | "stopped";
  message: string;
}

const TEXTS: Record<Status["state"], string> = {
  starting: "$(sync~spin) cairn",
  checking: "$(sync~spin) cairn",
  idle: "$(check) cairn",
  failed: "$(warning) cairn",
  stopped: "$(circle-slash) cairn",
};

/** Reads a notification. Returns undefined if it has another form. */
export function readStatus(parameters: unknown): Status | undefined {
  if (typeof parameters !== "object" || parameters === null) {
    return undefined;
  }
  const { state, message } = parameters as { state?: unknown; message?: unknown };
  if (typeof state !== "string" || !Object.hasOwn(TEXTS, state)) {
    return undefined;
  }
  return { state: state as Status["state"], message: typeof message === "string" ? message : "" };
}

/** Returns the text for the status bar. */
export function statusText(state: Status["state"]): string {
  return TEXTS[state];
}
