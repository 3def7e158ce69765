/** What the agent itself says to a visitor. A site may say it in its own words or language. */

export type AgentTexts = {
  /** The answer where the policy wrote nothing that a person can read. */
  readonly unreadable: string;
};

export const DEFAULT_AGENT_TEXTS: AgentTexts = {
  unreadable: "Sorry, I could not answer that. Please try again, or put it in other words.",
};
