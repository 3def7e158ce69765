/**
 * Texts of the panel, which a page can replace. If you change the meaning of the consent text, also change
 * `consent.version`.
 */

/** Texts of the panel that a page can replace. */
export type PanelTexts = {
  readonly title: string;
  readonly placeholder: string;
  readonly greeting: string;
  readonly consentTitle: string;
  readonly consentBody: string;
  readonly consentAccept: string;
  readonly consentDecline: string;
  /** Shown while an older policy answers because the newest one does not load. */
  readonly olderPolicy: string;
  readonly offline: string;
};

/** The texts in English. */
export const DEFAULT_TEXTS: PanelTexts = {
  title: "Assistant",
  placeholder: "What are you looking for?",
  greeting: "Ask for something on this page. The model runs here, in your browser.",
  consentTitle: "May this site keep what the assistant does for you?",
  consentBody:
    "If you agree, your requests, its answers and the tools it used are sent to this site and kept there. The assistant does not learn from them today: it learns only from practice tasks that simulated visitors do. E-mail addresses, phone and card numbers are replaced before anything is kept. You can see all that was sent, stop at any time, and have it deleted. It works the same if you decline.",
  consentAccept: "Agree",
  consentDecline: "Decline",
  olderPolicy:
    "The newest version of the assistant could not be loaded. An older one answers for now.",
  offline:
    "You are offline. The assistant still works. Data that you agreed to share is sent later.",
};

/** `1.4 MB`; no decimals below 1 MB. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1000) return `${sizeBytes} B`;
  if (sizeBytes < 1_000_000) return `${(sizeBytes / 1000).toFixed(0)} kB`;
  return `${(sizeBytes / 1_000_000).toFixed(1)} MB`;
}

/** Why an answer ended early; `null` if there is nothing to explain. */
export function describeStop(stopReason: string): string | null {
  switch (stopReason) {
    case "completed":
    // The answer itself explains it.
    case "parse-error":
      return null;
    case "aborted":
      return "Stopped.";
    case "max-turns":
    case "max-tokens":
    case "context-overflow":
      return "Ended early: the answer grew too long.";
    case "tool-error":
      return "Ended early: a tool failed too often.";
    case "timeout":
      return "Ended early: it took too long.";
    default:
      return "Ended early.";
  }
}
