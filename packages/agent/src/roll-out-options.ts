/** Options of `rollOut`. */
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

/** Limits of one rollout. */
export type RollOutLimits = {
  /** Maximum number of policy turns, at least 1. */
  readonly maxTurns: number;
  /** Maximum number of tokens per turn, at least 1. */
  readonly maxTokensPerTurn: number;
  /** Maximum number of tokens in context. Default and upper bound: the policy's context length. */
  readonly maxContextTokens?: number;
  /** For the whole trajectory; 0 = no limit. */
  readonly timeoutMs: number;
  /** Consecutive unreadable turns after which the rollout ends with `parse-error`. Default 2. */
  readonly maxParseErrors?: number;
  /**
   * Consecutive readable turns with the same tool calls and the same results after which the rollout ends
   * with `guard-stopped`. Default: no limit.
   */
  readonly maxRepeatedTurns?: number;
};

/** The policy, the environment and the settings of one rollout. */
export type RollOutOptions = {
  readonly policy: Policy;
  /** The environment, or a function that creates it for the version that is sampled from. */
  readonly environment: Environment | ((policyVersion: PolicyVersionId) => Environment);
  readonly chatFormat: ChatFormat;
  /** Default: temperature 1, full support. */
  readonly sampling?: Omit<Sampling, "seed">;
  /** Constrains every turn. Needs a policy with a tokenizer. */
  readonly grammar?: GrammarSpec;
  /**
   * Without `grammar`: a turn can call only the environment's tools, with arguments that match their
   * schemas. Schemas that a grammar cannot express are checked by the tools. A policy without grammars
   * samples freely. Default false; pages, the trainer's evaluations and `judgedRollout` set it.
   */
  readonly constrainToolCalls?: boolean;
  readonly limits: RollOutLimits;
  /** Absent: no text is replaced. */
  readonly redactor?: Redactor;
  readonly consent: Consent;
  readonly client: ClientDescription;
  /** Set for a task that the edge assigned. */
  readonly assignmentId?: string | null;
  /** Id of the trajectory, a new UUID, for a caller that needs it before the end. Default: a random one. */
  readonly trajectoryId?: string;
  readonly signal?: AbortSignal;
  /** Unsigned 32-bit integer. Every turn's sampling seed is derived from it. */
  readonly seed: number;
  /** Whether the edge gave the seed. The trajectory then names it. Default false. */
  readonly isEdgeSeed?: boolean;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Default: the system clock. */
  readonly now?: () => Date;
};
