/**
 * `rollOut`: one rollout at one task, from the first observation to a stop reason. The only driver:
 * pages, tests and the trainer all run this. It knows tokens, text and tools; it knows no model, no
 * storage and no reward.
 *
 * A model's mistake is an observation, a limit or an abort a stop reason; only a policy that fails
 * (a lost device) or a programmer's misuse throws.
 */
import { FULL_SUPPORT } from "@waggle/protocol";
import type {
  ClientDescription,
  Consent,
  Environment,
  GrammarSpec,
  Policy,
  PolicyVersionId,
  Redactor,
  Sampling,
  Trajectory,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { AgentEvent } from "./agent-event.ts";
import { Rollout } from "./rollout.ts";

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

/**
 * Tokens of one turn where nobody says another number: a quarter of the policy's context, so that a
 * few turns fit, at least 128 (a call and a sentence), at most 512 (a person waits for it).
 */
export function defaultTurnTokens(contextLength: number): number {
  return Math.max(128, Math.min(512, Math.floor(contextLength / 4)));
}

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

/**
 * Runs the environment's task with the policy and records it.
 *
 * @returns a trajectory whose segments, one after another, are the tokens of the policy's context.
 *   (An observation that no longer fits the context is in no segment; a first one that does not
 *   fit is, and nothing was sampled.)
 * @throws what the policy or `environment.observe` throws.
 */
export async function rollOut(options: RollOutOptions): Promise<Trajectory> {
  const context = await options.policy.createContext();
  try {
    const { environment: given } = options;
    const environment = typeof given === "function" ? given(context.policyVersion) : given;
    const rollout = new Rollout(
      { sampling: FULL_SUPPORT, ...options, environment },
      { context, segments: [] },
    );
    return await rollout.run();
  } finally {
    context.dispose();
  }
}
