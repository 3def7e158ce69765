/**
 * The agent of a page as its user interface sees it: state to render and actions to call. It has no DOM.
 * `createAgent` creates one. `<waggle-agent>` renders one, and a page may render it in its own way.
 */
import type { ConsentStore, OutboxDetail, OutboxEntry, OutboxSummary } from "@waggle/collector";
import type {
  ConsentReceipt,
  DeletionResponse,
  Environment,
  Feedback,
  StopReason,
  TaskReference,
  ToolResult,
  ToolSource,
} from "@waggle/protocol";
import type { AgentModel } from "./agent-model.ts";
import type { Confirmation } from "./confirmations.ts";
import type { AgentTexts } from "./agent-texts.ts";
import type { PolicyFailure } from "./policy-follower.ts";
import type { StoredPage } from "./visitor-data/stored-data.ts";

/** Loading state, connectivity and failures of an agent. */
export type AgentStatus = {
  readonly phase: "loading" | "ready" | "error";
  /** Current activity, for display: `model.safetensors`, `starting the back end`. */
  readonly detail: string;
  /** Bytes of model files loaded so far. */
  readonly loadedBytes: number;
  /** `null` until the manifest has been read. */
  readonly totalBytes: number | null;
  /** `navigator.onLine`. */
  readonly online: boolean;
  /** True while the site has switched its assistant off. Requests are refused until it is switched on. */
  readonly silenced: boolean;
  /**
   * The published version that does not load in this browser. Meanwhile the assistant runs an older version
   * and retries on its own.
   */
  readonly policyFailure: PolicyFailure | null;
  /** Set in phase `error`, and after a request failed although the agent itself works. */
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
};

/** One tool call and its result. */
export type ToolActivity = {
  readonly id: string;
  readonly name: string;
  /** What the visitor reads about the call. */
  readonly label: string;
  readonly source: ToolSource;
  readonly arguments: { readonly [key: string]: unknown };
  /** `null` while the tool runs. */
  readonly result: ToolResult | null;
};

/** One piece of an answer, in order of time. */
export type AnswerPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly activity: ToolActivity;
      /** Calls of one turn have the same number. Absent in a conversation that an older page kept. */
      readonly turn?: number;
    };

/** One request or one answer of the conversation. */
export type ConversationItem =
  | { readonly kind: "request"; readonly id: string; readonly text: string }
  | {
      readonly kind: "answer";
      readonly id: string;
      readonly parts: readonly AnswerPart[];
      readonly running: boolean;
      /** `null` while the request runs, or if it failed before it started. */
      readonly stopReason: StopReason | null;
      /** Why there is no answer, for the visitor to read. */
      readonly failure: string | null;
      /** The same for developers: the error's code and message. */
      readonly failureDetails?: string;
      /** `null` until the request has ended. */
      readonly trajectoryId: string | null;
      readonly policyVersion: number | null;
      readonly feedback: Feedback["kind"] | null;
      /** What became of `feedback`, once that is known. */
      readonly feedbackOutcome?: Exclude<FeedbackOutcome, "no-answer">;
      /** When the consent was given under which the answer was recorded; absent without consent. */
      readonly consentedAt?: string;
    };

/** An event of one request. */
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
      /** The last text, for callers that only need the answer. */
      readonly text: string;
    };

/** A running request. It runs whether or not its events are read, and each reader gets all of them. */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  /** Resolves when the request ends. Rejects with a WaggleError if the agent could not process it at all. */
  readonly finished: Promise<{ readonly text: string; readonly stopReason: StopReason }>;
}

/**
 * What became of a visitor's feedback or of an outcome. `queued`: it is sent with the answer, now or when the page is
 * online again.
 * `not-shared`: the visitor has not agreed, so it stays in this page. `no-answer`: there is no answer yet.
 */
export type FeedbackOutcome = "queued" | "not-shared" | "no-answer";

/** Counts since the agent was created. Every trajectory is in at most one of the last three. */
export type SimulationProgress = {
  readonly running: boolean;
  /** True while the edge has no task for this page or cannot be reached. The agent asks again on its own. */
  readonly waiting: boolean;
  /** Tasks received from the edge. */
  readonly assigned: number;
  /** Rollouts that produced a trajectory. */
  readonly completed: number;
  /** Completed rollouts that the edge accepted. */
  readonly uploaded: number;
  /** Completed rollouts that the edge refused, or that were dropped for lack of space. */
  readonly rejected: number;
  /** Assigned tasks that produced no trajectory. */
  readonly failed: number;
};

/** The environment of one task, with its verifier. */
export type JudgedEnvironment = {
  readonly environment: Environment;
  /**
   * Judges the environment in its current state. `reward` is in [0, 1].
   * @param finalText - text of the last turn; `null` if the rollout was cut before it answered.
   */
  readonly judge: (
    finalText: string | null,
  ) => { readonly reward: number } | Promise<{ readonly reward: number }>;
};

/**
 * Creates the environment of an assigned task. Its verifier is used only by pages with `consent.collect` set to `rewards`,
 * which need one. For others the trainer computes the reward.
 */
export type EnvironmentFactory = (
  task: TaskReference,
) => Environment | JudgedEnvironment | Promise<Environment | JudgedEnvironment>;

/** Options of `Agent.simulate`. */
export type SimulateOptions = {
  /**
   * Creates the environment of a task. Its texts come from the task alone and are not redacted, so it must not read
   * what belongs to the visitor.
   */
  readonly environment: EnvironmentFactory;
  /** Number of rollouts; `Infinity` continues until stopped. */
  readonly tasks: number;
  /** Rollouts that run concurrently. Default 4. */
  readonly parallel?: number;
  readonly signal?: AbortSignal;
};

/** The agent of one page. */
export interface Agent {
  readonly model: AgentModel;
  readonly status: AgentStatus;
  /** The sentences that the agent itself shows. */
  readonly texts: AgentTexts;
  /** Oldest first. Each change creates a new array. */
  readonly conversation: readonly ConversationItem[];
  /** A question of a tool with `confirm`, which waits for the visitor; `null` if there is none. */
  readonly confirmation: Confirmation | null;
  /**
   * Id of the trajectory that `outcome` is about: that of the running request, or else that of the newest answer. The
   * site's own server needs it to report outcomes. `null` before the first request, and while another model runs.
   */
  readonly trajectoryId: string | null;
  /** Version that will answer next. `null` until ready, and while another model runs. */
  readonly policyVersion: number | null;
  /** Back end of the policy, such as `wasm x2`; `null` until ready. */
  readonly backend: string | null;
  readonly simulation: SimulationProgress;
  readonly consent: ConsentStore;
  /** Resolves when the policy can sample; rejects if loading fails. */
  readonly ready: Promise<void>;
  /** Sends a request. A request that is still running is stopped first. */
  send(text: string, options?: { readonly signal?: AbortSignal }): AgentRun;
  /** Stops the running request. Text shown so far stays. */
  stop(): void;
  /** Sends the last request again and records a retry as feedback on its answer; `null` if there is none. */
  retry(options?: { readonly signal?: AbortSignal }): AgentRun | null;
  /** Forgets the conversation and its redaction map. */
  clear(): void;
  /**
   * Records feedback on an answer, by default the last. `undo`: the visitor undid what the agent did for it.
   *
   * @param text - for `edit`, the whole answer as the visitor changed it. It is redacted before it is sent.
   * @throws WaggleError `INVALID_ARGUMENT` for an edit without a text, a text for another kind, or one that is too long.
   */
  feedback(kind: Feedback["kind"], trajectoryId?: string, text?: string): Promise<FeedbackOutcome>;
  /**
   * Reports what a conversation led to, such as `outcome("booked", true)` after a booking. It belongs to the running
   * request, or else to the newest answer. Of several values of one metric for one request, the latest counts.
   * @param metric - a name of `metrics` in `waggle.config.ts`. The edge refuses others, and values outside of the range.
   * @param about - for a metric of the level `turn`: the turn, from 1, as in `turn` of the tool calls in `conversation`. For
   *   one of the level `conversation`: also the earlier requests that the visitor shared.
   * @throws WaggleError `INVALID_ARGUMENT` for a value that is not true, false or a finite number, or for a turn that is not
   *   a whole number from 1 to 1000.
   */
  outcome(
    metric: string,
    value: boolean | number,
    about?: { readonly turn: number } | { readonly conversation: true },
  ): Promise<FeedbackOutcome>;
  /** Trajectories collected in this browser, newest first. */
  sent(limit?: number): Promise<readonly OutboxEntry[]>;
  /** One collected trajectory, with everything that was or will be sent. */
  sentDetail(digest: string): Promise<OutboxDetail | null>;
  outbox(): Promise<OutboxSummary>;
  /** Receipts of this visitor's consents that the edge has signed, oldest first. They are kept in this browser. */
  receipts(): Promise<readonly ConsentReceipt[]>;
  /**
   * A page of what the edge stores of this visitor. @param after - `next` of the page before; default: the first page.
   * @throws WaggleError `NETWORK` if the edge does not answer.
   */
  stored(after?: string): Promise<StoredPage>;
  /** Deletes the visitor's data at the edge, then in this browser. */
  forgetMe(): Promise<DeletionResponse>;
  /** Works on tasks that the edge assigns. Requires consent. */
  simulate(options: SimulateOptions): Promise<SimulationProgress>;
  /**
   * Runs a tool of the edge, for environments that use the real tools.
   * @throws WaggleError with the tool's error code, or with that of the transport.
   */
  callEdgeTool(
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Checks for a newer policy now and switches to it. */
  checkPolicy(): Promise<void>;
  /**
   * Switches to another model and starts a new conversation. Resolves when the model can answer. Nothing is
   * collected and no tasks are done unless it is the site's policy.
   */
  setModel(model: AgentModel): Promise<void>;
  /** Loads the policy again after an error. */
  reload(): Promise<void>;
  /** Calls `listener` after each change. @returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
  dispose(): Promise<void>;
}
