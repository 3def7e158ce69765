/**
 * Texts of the panel, which a page can replace. If you change the meaning of the consent text, also change
 * `consent.version`. `@waggle/embed/languages` has them in other languages.
 */
import type { StopReason } from "@waggle/protocol";
import { sizeIn } from "./size-text.ts";

/** Counts of what was collected in this browser. */
type CollectedCounts = {
  readonly sent: number;
  readonly waiting: number;
  readonly rejected: number;
  readonly damaged: number;
};

/** Every text of the panel. Functions get the values that occur in a text. */
export type PanelTexts = {
  /** BCP 47, such as `de`. Receipts of consents name it. */
  readonly language: string;
  readonly title: string;
  readonly greeting: string;
  /** Below the greeting, while the site's policy has not learned anything. */
  readonly untrained: string;
  readonly placeholder: string;
  /** Label of the field for requests, for screen readers. */
  readonly request: string;
  readonly conversation: string;
  /** Who wrote a message, for screen readers. */
  readonly visitor: string;
  readonly assistant: string;
  readonly send: string;
  readonly stop: string;
  readonly tryAgain: string;
  readonly newConversation: string;
  /** Labels of the launcher's button. */
  readonly open: string;
  readonly close: string;

  readonly loading: string;
  readonly starting: string;
  /** While the site has not published a policy yet. */
  readonly beingPrepared: string;
  readonly ready: string;
  /** In place of `ready`, while the site's policy has not learned anything. */
  readonly readyUntrained: string;
  readonly readyOffline: string;
  readonly working: string;
  /** While a request waits for the model to load. */
  readonly held: string;
  readonly switchedOff: string;
  readonly notAvailable: string;
  /** An amount of data, such as `1.4 MB`. */
  readonly size: (bytes: number) => string;
  /** `loaded` and `total` are texts of `size`. */
  readonly loaded: (loaded: string, total: string) => string;
  /** Shown while an older policy answers because the newest one does not load. */
  readonly olderPolicy: string;
  readonly offline: string;

  readonly consentTitle: string;
  readonly consentBody: string;
  readonly consentMore: string;
  readonly consentAccept: string;
  readonly consentDecline: string;
  /** What a visitor can agree to besides keeping, if the site offers choices. */
  readonly consentTrain: string;
  readonly consentFeedback: string;
  /** A button of the privacy view that changes these choices, after the visitor has agreed. */
  readonly saveChoice: string;

  readonly toolRunning: string;
  readonly toolDone: string;
  readonly toolFailed: string;
  readonly allow: string;
  readonly dontAllow: string;

  readonly stopped: string;
  readonly tooLong: string;
  readonly toolsFailed: string;
  readonly tookTooLong: string;
  /** The assistant did the same several times, with the same result. */
  readonly repeated: string;
  /** In place of `repeated`, while the site's policy has not learned anything. */
  readonly repeatedUntrained: string;

  readonly goodAnswer: string;
  readonly badAnswer: string;
  /** After thumbs that are sent with the answer. */
  readonly thanks: string;
  /** After thumbs of a visitor who has not agreed. */
  readonly thanksNotShared: string;

  readonly whatISent: string;
  readonly yourChoice: string;
  readonly notAgreed: string;
  /** After `notAgreed`, until the site has recorded a withdrawal. */
  readonly withdrawing: string;
  readonly agreed: (when: string, version: string) => string;
  /** After `agreed`, once the site has recorded the consent. */
  readonly receipt: (when: string) => string;
  readonly noReceipt: string;
  readonly withdraw: string;
  readonly nothingCollected: string;
  readonly collected: (counts: CollectedCounts) => string;
  readonly storageFull: string;
  readonly storageMissing: string;
  readonly waiting: string;
  readonly sent: string;
  readonly rejected: string;
  readonly contentGone: string;
  /** If an entry cannot be read, or the code for it cannot be loaded. */
  readonly notShown: string;
  /** In an entry under `whatISent`: when it was recorded and sent, or why the site did not take it. */
  readonly recordedAt: (when: string) => string;
  readonly sentAt: (when: string) => string;
  readonly notSentYet: string;
  /** `code` is an error code of the edge, or `STORAGE_DAMAGED`. */
  readonly refused: (code: string) => string;
  /** What the entry holds. `visitor` and `assistant` name who said what. */
  readonly practiceTask: string;
  readonly unreadable: string;
  readonly toolGiven: string;
  readonly toolReturned: string;
  /** Values that a tool was given or returned. */
  readonly yes: string;
  readonly no: string;
  readonly nothing: string;
  /** A button that saves the record as a file. */
  readonly download: string;
  /** What the site stores now. Feedback: thumbs and messages about answers. */
  readonly stored: (counts: { readonly trajectories: number; readonly feedback: number }) => string;
  readonly storedUnknown: string;
  /** A button that saves all that the site stores as a file. */
  readonly saveStored: string;
  readonly forgetMe: string;
  readonly forgetExplained: string;
  readonly deleteEverything: string;
  readonly keepIt: string;
  readonly deleting: string;
  readonly deleted: (trajectories: number, versions: readonly number[]) => string;
  readonly notDeleted: string;
};

/** The texts in English. */
export const DEFAULT_TEXTS: PanelTexts = {
  language: "en",
  title: "Assistant",
  greeting: "Ask for something on this page. The model runs here, in your browser.",
  untrained:
    "This assistant has not practiced on this site yet. It can use the page's tools, and it often uses them wrongly.",
  placeholder: "Write a request",
  request: "Request",
  conversation: "Conversation",
  visitor: "You:",
  assistant: "Assistant:",
  send: "Send",
  stop: "Stop",
  tryAgain: "Try again",
  newConversation: "New conversation",
  open: "Ask the assistant",
  close: "Close the assistant",

  loading: "Loading the model",
  starting: "starting",
  beingPrepared: "being prepared by the site",
  ready: "ready",
  readyUntrained: "ready, not trained yet",
  readyOffline: "ready, offline",
  working: "working",
  held: "Your request is sent as soon as the assistant is ready.",
  switchedOff: "switched off",
  notAvailable: "not available",
  size: sizeIn("en"),
  loaded: (loaded, total) => `${loaded} of ${total}`,
  olderPolicy:
    "The newest version of the assistant could not be loaded. An older one answers for now.",
  offline:
    "You are offline. The assistant still works. Data that you agreed to share is sent later.",

  consentTitle: "May this site keep what the assistant does for you?",
  consentBody:
    "If you agree, your requests, its answers and the tools it used are sent to this site and kept there. The assistant does not learn from them today: it learns only from practice tasks that simulated visitors do. Names, addresses, e-mail addresses, passwords, keys, and phone, card, account and id numbers are replaced before anything is kept, where they are recognized. You can see all that was sent, stop at any time, and have it deleted. It works the same if you decline.",
  consentMore: "What is kept?",
  consentAccept: "Agree",
  consentDecline: "Decline",
  consentTrain: "The assistant may learn from it.",
  consentFeedback: "The site may use what I say about answers.",
  saveChoice: "Save my choice",

  toolRunning: "running",
  toolDone: "done",
  toolFailed: "failed",
  allow: "Allow",
  dontAllow: "Don't allow",

  stopped: "Stopped.",
  tooLong: "Ended early: the answer grew too long.",
  toolsFailed: "Ended early: a tool failed too often.",
  tookTooLong: "Ended early: it took too long.",
  repeated:
    "Ended early: the assistant repeated the same step without a new result. Please try other words.",
  repeatedUntrained:
    "Ended early: the assistant repeated the same step without a new result. It has not practiced on this site yet.",

  goodAnswer: "Good answer",
  badAnswer: "Bad answer",
  thanks: "Thanks. The site gets this with the answer.",
  thanksNotShared: "Noted here. The site does not get it, because you have not agreed to share.",

  whatISent: "What I sent",
  yourChoice: "Your choice",
  notAgreed: "You have not agreed. Nothing leaves this page except calls to the site's own tools.",
  withdrawing: "This site has not confirmed your withdrawal yet. It is sent again until it does.",
  agreed: (when, version) =>
    `You agreed on ${when} (text ${version}). Withdrawing stops sending and removes this browser's id. To delete what was already sent, choose "Forget me" before you leave this page.`,
  receipt: (when) =>
    `This site recorded your consent on ${when}. Its signed receipt is kept in this browser.`,
  noReceipt: "This site has not recorded your consent yet.",
  withdraw: "Withdraw",
  nothingCollected: "Nothing was collected.",
  collected: ({ sent, waiting, rejected, damaged }) =>
    `${sent} sent, ${waiting} waiting, ${rejected} not accepted.` +
    (damaged === 0 ? "" : ` ${damaged} damaged in this browser and removed.`),
  storageFull: "The browser's storage is full, so new data is not kept.",
  storageMissing: "This browser keeps no data for this page.",
  waiting: "Waiting",
  sent: "Sent",
  rejected: "Not accepted",
  contentGone: "Its content is no longer kept in this browser.",
  notShown: "This entry cannot be shown now. Please try again when you are online.",
  recordedAt: (when) => `Recorded on ${when}.`,
  sentAt: (when) => `Sent to this site on ${when}.`,
  notSentYet: "Not sent yet.",
  refused: (code) =>
    REFUSALS[code] ?? "This site did not accept it. Nothing of it is kept at the site.",
  practiceTask: "Practice task:",
  unreadable: "The assistant wrote something that cannot be read.",
  toolGiven: "Given to the tool",
  toolReturned: "Returned by the tool",
  yes: "yes",
  no: "no",
  nothing: "nothing",
  download: "Save a copy of exactly what is sent",
  stored: ({ trajectories, feedback }) =>
    `Entries that this site keeps: ${trajectories}. Feedback that it keeps: ${feedback}.`,
  storedUnknown: "What this site keeps cannot be read now. Please try again when you are online.",
  saveStored: "Save all that this site keeps about me",
  forgetMe: "Forget me",
  forgetExplained:
    "Deletes the data that this site has about you, and everything the assistant keeps in this browser.",
  deleteEverything: "Delete everything",
  keepIt: "Keep it",
  deleting: "Deleting.",
  deleted: (trajectories, versions) =>
    `Deleted ${trajectories} ${trajectories === 1 ? "entry" : "entries"} at the site and everything in this browser. ` +
    (versions.length === 0
      ? "No version of the assistant has learned from it."
      : `Versions of the assistant that have learned from it: ${versions.join(", ")}.`),
  notDeleted:
    "The site could not be reached. Nothing more will be sent; please try again when you are online.",
};

const REFUSALS: { readonly [code: string]: string } = {
  CONSENT_MISSING: "This site did not accept it, because you had not agreed when it arrived.",
  PAYLOAD_TOO_LARGE: "This site did not accept it, because it is too large.",
  POLICY_VERSION_UNKNOWN:
    "This site did not accept it, because it comes from a version of the assistant that is no longer used.",
  SCHEMA_VERSION_UNSUPPORTED:
    "This site did not accept it, because this page is out of date. Please reload the page.",
  STORAGE_DAMAGED: "It was damaged in this browser and could not be sent.",
};

/** Why an answer ended early; `null` if there is nothing to explain. */
export function describeStop(
  stopReason: StopReason,
  texts: PanelTexts,
  policyVersion: number | null,
): string | null {
  switch (stopReason) {
    case "completed":
    // The answer itself explains it.
    case "parse-error":
      return null;
    case "aborted":
      return texts.stopped;
    case "max-turns":
    case "max-tokens":
    case "context-overflow":
      return texts.tooLong;
    case "tool-error":
      return texts.toolsFailed;
    case "timeout":
      return texts.tookTooLong;
    case "guard-stopped":
      return policyVersion === 0 ? texts.repeatedUntrained : texts.repeated;
  }
}
