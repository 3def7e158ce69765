/** An agent without a policy, for tests of the panel. It answers from a script, immediately or on demand. */
import { createConsentStore, createMemoryStorage } from "@waggle/collector";
import type { KeyValueStorage, OutboxEntry, OutboxSummary } from "@waggle/collector";
import type { ConsentReceipt } from "@waggle/protocol";
import type { Agent, AgentStatus, ConversationItem, ToolActivity } from "../agent.ts";
import { createAgentRun } from "../agent-run.ts";
import { DEFAULT_AGENT_TEXTS } from "../agent-texts.ts";
import type { Confirmation } from "../confirmations.ts";
import { NO_SIMULATION } from "../no-simulation.ts";

/** An agent whose state a test sets directly. */
export type FakeAgent = Agent & {
  setStatus(change: Partial<AgentStatus>): void;
  setConversation(items: readonly ConversationItem[]): void;
  setSent(entries: readonly OutboxEntry[]): void;
  setReceipts(receipts: readonly ConsentReceipt[]): void;
  setConfirmation(confirmation: Confirmation | null): void;
  /** Calls of the panel, in order. */
  readonly asked: string[];
  forgotten: boolean;
};

/** Options of `createFakeAgent`. */
export type FakeAgentOptions = {
  readonly call?: (name: string, args: { readonly [key: string]: unknown }) => unknown;
  readonly hasChoices?: boolean;
  readonly storage?: KeyValueStorage;
};

/** Status of a loaded agent that is online. */
export const READY: AgentStatus = {
  phase: "ready",
  detail: "",
  loadedBytes: 10,
  totalBytes: 10,
  online: true,
  silenced: false,
  policyFailure: null,
  error: null,
};

/** An agent that is ready. @param call - returns the tool call of a request, `null` for none. */
export function createFakeAgent({
  call = () => null,
  hasChoices = false,
  storage = createMemoryStorage(),
}: FakeAgentOptions = {}): FakeAgent {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const consent = createConsentStore({
    storage,
    currentVersion: "1",
    hasChoices,
  });
  consent.onChange(changed);
  let entries: readonly OutboxEntry[] = [];
  let receipts: readonly ConsentReceipt[] = [];
  let running: (() => void) | null = null;
  let last: string | null = null;

  const agent: FakeAgent = {
    asked: [],
    forgotten: false,
    model: { kind: "site" },
    status: READY,
    texts: DEFAULT_AGENT_TEXTS,
    conversation: [],
    trajectoryId: null,
    policyVersion: 7,
    backend: "wasm x2",
    simulation: NO_SIMULATION,
    confirmation: null,
    consent,
    ready: Promise.resolve(),
    send(text) {
      agent.asked.push(text);
      last = text;
      const activity: ToolActivity = {
        id: "c0",
        name: "search",
        label: "Searching",
        source: "page",
        arguments: { query: text },
        result: null,
      };
      const id = String(agent.asked.length);
      const answer: ConversationItem = {
        kind: "answer",
        id: `a${id}`,
        parts: [{ kind: "tool", activity }],
        running: true,
        stopReason: null,
        failure: null,
        trajectoryId: null,
        policyVersion: null,
        feedback: null,
      };
      agent.setConversation([
        ...agent.conversation,
        { kind: "request", id: `r${id}`, text },
        answer,
      ]);
      return createAgentRun(async () => {
        const value = call("search", { query: text });
        await new Promise<void>((resolve) => {
          running = resolve;
        });
        const done: ConversationItem = {
          ...answer,
          running: false,
          stopReason: "aborted",
          trajectoryId: "00000000-0000-4000-8000-000000000001",
          policyVersion: 7,
          parts: [
            { kind: "tool", activity: { ...activity, result: { callId: "c0", ok: true, value } } },
            { kind: "text", text: "Done." },
          ],
        };
        agent.setConversation(
          agent.conversation.map((item) => (item.id === done.id ? done : item)),
        );
        return { text: "Done.", stopReason: "aborted" };
      });
    },
    stop: () => running?.(),
    retry: () => (last === null ? null : agent.send(last)),
    clear: () => agent.setConversation([]),
    async feedback(kind, trajectoryId) {
      agent.asked.push(`feedback ${kind}`);
      const rate = (rated: Partial<Extract<ConversationItem, { kind: "answer" }>>): void =>
        agent.setConversation(
          agent.conversation.map((item) =>
            item.kind === "answer" && item.trajectoryId === trajectoryId
              ? { ...item, ...rated }
              : item,
          ),
        );
      rate({ feedback: kind });
      // A real agent writes to storage first, so the panel is drawn before it answers.
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      const feedbackOutcome = consent.get() === null ? "not-shared" : "queued";
      rate({ feedbackOutcome });
      return feedbackOutcome;
    },
    outcome: () => Promise.resolve("no-answer"),
    sent: () => Promise.resolve(entries),
    sentDetail: () => Promise.resolve(null),
    outbox: () => Promise.resolve(summaryOf(entries)),
    receipts: () => Promise.resolve(receipts),
    stored: (after) => {
      agent.asked.push(`stored ${after ?? ""}`);
      const { length } = entries;
      return Promise.resolve(
        after === undefined
          ? { text: "first\n", counts: { trajectories: length, feedback: 1 }, next: "rest." }
          : { text: "second\n", counts: null, next: null },
      );
    },
    forgetMe() {
      agent.forgotten = true;
      agent.setSent([]);
      return Promise.resolve({ deletedTrajectories: 2, deletedFeedback: 0, learnedBy: [3] });
    },
    simulate: () => Promise.resolve(agent.simulation),
    callEdgeTool: () => Promise.resolve(null),
    checkPolicy: () => Promise.resolve(),
    setModel() {
      return Promise.resolve();
    },
    reload() {
      agent.asked.push("reload");
      return Promise.resolve();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    dispose: () => Promise.resolve(),
    setStatus(change) {
      Object.assign(agent, { status: { ...agent.status, ...change } });
      changed();
    },
    setConversation(items) {
      Object.assign(agent, { conversation: items });
      changed();
    },
    setConfirmation(confirmation) {
      Object.assign(agent, { confirmation });
      changed();
    },
    setReceipts(next) {
      receipts = next;
      changed();
    },
    setSent(next) {
      entries = next;
      changed();
    },
  };
  return agent;
}

function summaryOf(entries: readonly OutboxEntry[]): OutboxSummary {
  const count = (state: OutboxEntry["state"]): number =>
    entries.filter((entry) => entry.state === state).length;
  return {
    waiting: count("waiting"),
    sent: count("sent"),
    rejected: count("rejected"),
    feedbackWaiting: 0,
    dropped: 0,
    damaged: 0,
    storage: "ok",
  };
}
