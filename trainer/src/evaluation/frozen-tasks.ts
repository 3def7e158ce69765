/** A fixed set of held-out tasks and seeds, and its name. It has no environment and runs nothing. */
import type { AnswerReading } from "@waggle/evaluation";
import type { Adapter } from "@waggle/model";
import type {
  GuidanceReference,
  PolicyVersionId,
  SampledAnswer,
  TaskReference,
} from "@waggle/protocol";

/** Held-out tasks by index. The gate's tasks do not overlap those of a final report. */
function heldOutTask(environment: string, index: number): TaskReference {
  return { environment, seed: index, split: "heldOut" };
}

/**
 * First index of the promotion gate's tasks. A multiple of four keeps the share of unseen wordings.
 */
export const GATE_TASKS_START = 1_000_000;

/** Identifies a fixed set of tasks and their sampling seeds. */
export type FrozenTasks = {
  /** The environment's name in task references, as the edge assigns it. */
  readonly environment: string;
  readonly start: number;
  readonly count: number;
  /** Sampling seed, the same for every version. */
  readonly seed: number;
  /** Most tokens per turn; default as in a page. */
  readonly turnTokens?: number | undefined;
  /** Whether tool calls are sampled under the tools' grammar. Default true, as in a page. */
  readonly constrainToolCalls?: boolean | undefined;
};

/** Outcomes of one version, by task. */
export type FrozenOutcomes = {
  readonly successes: readonly boolean[];
  /** Whether every turn was readable. */
  readonly readable: readonly boolean[];
  /** What the answers showed, for probes; absent where outcomes were kept from an earlier evaluation. */
  readonly answers?: readonly AnswerReading[];
  /** Answers to the first tasks, for the operator; absent where none were kept. */
  readonly sampled?: readonly SampledAnswer[];
};

type Evaluate = (
  version: PolicyVersionId,
  adapter: Adapter | null,
  signal: AbortSignal,
  guidance: GuidanceReference | undefined,
) => Promise<FrozenOutcomes>;

/**
 * Evaluates the base model, which every candidate is compared with, once for the life of the process. An evaluation that
 * failed is repeated.
 */
export function keepingBase(evaluate: Evaluate): Evaluate {
  let base: FrozenOutcomes | null = null;
  return async (version, adapter, signal, guidance) => {
    if (version !== 0 || adapter !== null || guidance !== undefined) {
      return evaluate(version, adapter, signal, guidance);
    }
    base ??= await evaluate(version, adapter, signal, guidance);
    return base;
  };
}

/** The tasks in their order. */
export function frozenReferences({ environment, start, count }: FrozenTasks): TaskReference[] {
  return Array.from({ length: count }, (_, i) => heldOutTask(environment, start + i));
}

/**
 * Names a task set, so that its results are not confused with those of another set, or with those of an earlier
 * release, which sampled calls freely.
 */
export function frozenTasksName({
  environment,
  start,
  count,
  seed,
  turnTokens,
  constrainToolCalls = true,
}: FrozenTasks): string {
  const limit = turnTokens === undefined ? "" : `/turn-${turnTokens}`;
  const calls = constrainToolCalls ? "/constrained-calls" : "";
  return `${environment}/heldOut/${start}+${count}/seed-${seed}${limit}${calls}`;
}
