/** What the agent itself says to a visitor. A site may say it in its own words or language. */

export type AgentTexts = {
  /** The answer where the policy wrote nothing that a person can read. */
  readonly unreadable: string;
  /** Said in place of answers while the site has switched its assistant off. */
  readonly silenced: string;
};

export const DEFAULT_AGENT_TEXTS: AgentTexts = {
  unreadable: "Sorry, I could not answer that. Please try again, or put it in other words.",
  silenced: "The assistant is switched off for now. Please try again later.",
};
