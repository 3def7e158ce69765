/**
 * The agent of a page as its user interface sees it: state to render and things to ask for. It has no DOM;
 * `createAgent` makes one, `<waggle-agent>` renders one, and a page may render it in its own way.
 */
import type { ConsentStore, OutboxDetail, OutboxEntry, OutboxSummary } from "@waggle/collector";
import type {
  DeletionResponse,
  Environment,
  Feedback,
  StopReason,
  TaskReference,
  ToolResult,
  ToolSource,
} from "@waggle/protocol";
import type { AgentModel } from "./agent-model.ts";
import type { AgentTexts } from "./agent-texts.ts";
import type { PolicyFailure } from "./policy-follower.ts";

export type AgentStatus = {
  readonly phase: "loading" | "ready" | "error";
  /** What is happening, for people: `model.safetensors`, `starting the back end`. */
  readonly detail: string;
  /** Bytes of model files read so far. */
  readonly loadedBytes: number;
  /** `null` until the manifest says. */
  readonly totalBytes: number | null;
  /** The browser's own idea of having a network. */
  readonly online: boolean;
  /** True while the site has switched its assistant off: nothing is answered until it is switched on. */
  readonly silenced: boolean;
  /**
   * The published version that does not load here. The assistant runs an older version meanwhile, and tries
   * again by itself.
   */
  readonly policyFailure: PolicyFailure | null;
  /** Set in phase `error`, and for a request that failed while the agent itself is well. */
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
};

export type ToolActivity = {
  readonly id: string;
  readonly name: string;
  readonly source: ToolSource;
  readonly arguments: { readonly [key: string]: unknown };
  /** `null` while it runs. */
  readonly result: ToolResult | null;
};

/** One piece of an answer, in the order things happened. */
export type AnswerPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool"; readonly activity: ToolActivity };

export type ConversationItem =
  | { readonly kind: "request"; readonly id: string; readonly text: string }
  | {
      readonly kind: "answer";
      readonly id: string;
      readonly parts: readonly AnswerPart[];
      readonly running: boolean;
      /** `null` while running, or when it failed before it began. */
      readonly stopReason: StopReason | null;
      /** Why there is no answer, for people. */
      readonly failure: string | null;
      /** `null` until it ended. */
      readonly trajectoryId: string | null;
      readonly policyVersion: number | null;
      readonly feedback: Feedback["kind"] | null;
    };

export type AgentEvent =
  | { readonly type: "turn-start" }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "tool-call"; readonly activity: ToolActivity }
  | { readonly type: "tool-result"; readonly activity: ToolActivity }
  | { readonly type: "turn-end" }
  | {
      readonly type: "trajectory-end";
      readonly trajectoryId: string;
      readonly stopReason: StopReason;
      readonly policyVersion: number;
      /** The last text, for a caller that wants only the answer. */
      readonly text: string;
    };

/** A request under way. It runs whether or not its events are read; each reader gets all of them. */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  /** Ends with the run; rejects with a WaggleError where the agent could not work at all. */
  readonly finished: Promise<{ readonly text: string; readonly stopReason: StopReason }>;
}

/** Exact counts since the agent was made; every trajectory is in at most one of the last three. */
export type SimulationProgress = {
  readonly running: boolean;
  /** There is no task for now: the trainer has enough to learn from, or the edge is away. It asks again by itself. */
  readonly waiting: boolean;
  /** Tasks that the edge gave. */
  readonly assigned: number;
  /** Attempts that ended with a trajectory. */
  readonly completed: number;
  /** Of the completed: accepted by the edge. */
  readonly uploaded: number;
  /** Of the completed: refused by the edge, or given up for lack of room. */
  readonly rejected: number;
  /** Assigned, but without a trajectory. */
  readonly failed: number;
};

/** Makes the environment of an assigned task; the agent runs the loop and never judges it. */
export type EnvironmentFactory = (task: TaskReference) => Environment | Promise<Environment>;

export type SimulateOptions = {
  readonly environment: EnvironmentFactory;
  /** Attempts; `Infinity` goes on until stopped. */
  readonly tasks: number;
  /** Attempts at a time. Default 4. */
  readonly parallel?: number;
  readonly signal?: AbortSignal;
};

export interface Agent {
  readonly model: AgentModel;
  readonly status: AgentStatus;
  /** What it says itself, in the site's words. */
  readonly texts: AgentTexts;
  /** Oldest first. A new array after each change. */
  readonly conversation: readonly ConversationItem[];
  /** Version that the next answer will come from; `null` until ready, and with another model. */
  readonly policyVersion: number | null;
  /** What runs the policy, as `wasm x2`; `null` until ready. */
  readonly backend: string | null;
  readonly simulation: SimulationProgress;
  readonly consent: ConsentStore;
  /** Resolves when the policy can sample; rejects where it never will. */
  readonly ready: Promise<void>;
  /** Asks. A request that is still running is stopped first. */
  send(text: string, options?: { readonly signal?: AbortSignal }): AgentRun;
  /** Ends the running request; what it has said so far stays. */
  stop(): void;
  /** Asks the last request again, as feedback on the first answer; `null` when there is none. */
  retry(): AgentRun | null;
  /** Forgets the conversation and its redaction map. */
  clear(): void;
  /** Says something about an answer, by default the last. */
  feedback(kind: Feedback["kind"], trajectoryId?: string): Promise<void>;
  /** What was collected here, newest first. */
  sent(limit?: number): Promise<readonly OutboxEntry[]>;
  /** One of them, with everything that was or will be sent. */
  sentDetail(digest: string): Promise<OutboxDetail | null>;
  outbox(): Promise<OutboxSummary>;
  /** Deletes this visitor at the edge, then everything here. */
  forgetMe(): Promise<DeletionResponse>;
  /** Works through tasks that the edge assigns. Needs consent: without it nothing is asked for. */
  simulate(options: SimulateOptions): Promise<SimulationProgress>;
  /**
   * Runs a tool of the edge, for environments that use the real ones.
   * @throws WaggleError with the tool's own code, or what its transport gave.
   */
  callEdgeTool(
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Asks for the newest policy now and swaps it in. */
  checkPolicy(): Promise<void>;
  /**
   * Runs another model from now on; the conversation begins anew. Resolves when it can answer; with
   * any but the site's nothing is collected and no tasks are done.
   */
  setModel(model: AgentModel): Promise<void>;
  /** Starts again after an error. */
  reload(): Promise<void>;
  /** Called after each change of any of the above. @returns what ends it. */
  onChange(listener: () => void): () => void;
  dispose(): Promise<void>;
}
