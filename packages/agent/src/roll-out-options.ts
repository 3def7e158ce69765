/** What `rollOut` is given. */
import type {
  ClientDescription,
  Consent,
  Environment,
  GrammarSpec,
  Policy,
  PolicyVersionId,
  Redactor,
  Sampling,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { AgentEvent } from "./agent-event.ts";

export type RollOutLimits = {
  /** Most turns of the policy, ≥ 1. */
  readonly maxTurns: number;
  /** Most tokens of one turn, ≥ 1. */
  readonly maxTokensPerTurn: number;
  /** Most tokens in context; default, and never more than, the policy's own. */
  readonly maxContextTokens?: number;
  /** For the whole trajectory; 0 = no limit. */
  readonly timeoutMs: number;
  /** Unreadable turns in a row that end it with `parse-error`. Default 2. */
  readonly maxParseErrors?: number;
};

export type RollOutOptions = {
  readonly policy: Policy;
  /** Or how to make it, where that depends on the version that is sampled from. */
  readonly environment: Environment | ((policyVersion: PolicyVersionId) => Environment);
  readonly chatFormat: ChatFormat;
  /** Default temperature 1 and full support. */
  readonly sampling?: Omit<Sampling, "seed">;
  /** What every turn may say. Needs a policy with a tokenizer. */
  readonly grammar?: GrammarSpec;
  /**
   * Without `grammar`: a turn can call only the environment's tools, and only as their schemas allow.
   * Default false: what a policy learns from should hold its mistakes. Needs a policy with a tokenizer;
   * schemas that no grammar holds are left to the tools.
   */
  readonly constrainToolCalls?: boolean;
  readonly limits: RollOutLimits;
  /** Without one nothing is replaced. */
  readonly redactor?: Redactor;
  readonly consent: Consent;
  readonly client: ClientDescription;
  /** Of a task that the edge assigned. */
  readonly assignmentId?: string | null;
  readonly signal?: AbortSignal;
  /** Unsigned 32-bit integer; every turn samples with a seed derived from it. */
  readonly seed: number;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Default the system's clock. */
  readonly now?: () => Date;
};
