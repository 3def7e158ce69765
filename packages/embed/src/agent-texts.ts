/** Sentences that the agent itself shows to visitors. A site may replace or translate them. */

/** Sentences that the agent itself shows to visitors. */
export type AgentTexts = {
  /** Shown as the answer if the policy wrote nothing that a person can read. */
  readonly unreadable: string;
  /** Shown instead of answers while the site has switched its assistant off. */
  readonly silenced: string;
  /** The question before a call of which the model is unsure. `label` is what the visitor reads about the call. */
  readonly unsure: (label: string) => string;
  /** Why there is no answer. `message` is English and may name technical details, so visitors should not read it. */
  readonly failed: (code: string, message: string) => string;
};

/** The sentences in English. */
export const DEFAULT_AGENT_TEXTS: AgentTexts = {
  unreadable: "Sorry, I could not answer that. Please try again, or put it in other words.",
  silenced: "The assistant is switched off for now. Please try again later.",
  unsure: (label) => `Is this what you want? ${label}`,
  failed: (code) => FAILURES[code] ?? "The assistant cannot answer.",
};

const FAILURES: { readonly [code: string]: string } = {
  NETWORK: "The assistant's server cannot be reached.",
  BROWSER_UNSUPPORTED:
    "This browser or connection cannot run the assistant. Current versions of Chrome, Edge and Firefox can, on https pages.",
  MODEL_TOO_LARGE: "This device has too little memory for the assistant.",
  OUT_OF_MEMORY:
    "This device has too little memory for the assistant. Please close other pages and try again.",
  DEVICE_LOST: "The assistant was interrupted. Please try again.",
  CONTEXT_OVERFLOW: "The conversation has become too long. Please start a new one.",
};
