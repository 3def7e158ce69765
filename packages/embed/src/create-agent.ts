/** Connects the parts of Waggle for one page. */
import { createConsentStore, createEdgeSession, usableStorage } from "@waggle/collector";
import type { Agent } from "./agent.ts";
import type { AgentOptions, AgentParts } from "./agent-options.ts";
import { PageAgent } from "./page-agent.ts";

/**
 * Creates the agent of a page. It starts to load at once: watch `status`, or await `ready`.
 * @throws WaggleError `INVALID_ARGUMENT` for an invalid edge URL, consent version, redaction rule or tool, and for
 *   two tools with the same name.
 */
export function createAgent(options: AgentOptions): Agent {
  return createAgentWith(options, {});
}

/** `createAgent` with dependencies that tests replace. */
export function createAgentWith(options: AgentOptions, parts: AgentParts): Agent {
  const storage = parts.storage ?? usableStorage(() => globalThis.localStorage);
  const { version = "3", choices = false, expiresAfterDays } = options.consent ?? {};
  const consent = createConsentStore({
    storage,
    tabs: globalThis.window,
    currentVersion: version,
    hasChoices: choices,
    ...(expiresAfterDays !== undefined && { expiresAfterDays }),
  });
  const session = createEdgeSession({
    consent,
    edgeUrl: options.edgeUrl,
    siteKey: options.siteKey,
    storage,
    signed: options.publisher !== undefined,
    ...(parts.fetch === undefined ? {} : { fetch: parts.fetch }),
    ...(parts.schedule === undefined ? {} : { schedule: parts.schedule }),
  });
  const tabStorage = parts.tabStorage ?? usableStorage(() => globalThis.sessionStorage);
  return new PageAgent(options, parts, { storage, tabStorage, consent, session });
}
