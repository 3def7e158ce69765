/**
 * Plays a retention set: held-out tasks of an environment that is not practiced, the same ones with the same seeds for
 * every version. The gate compares a candidate with the base on them.
 */
import { finalTextOf } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import type { RetentionVerdicts } from "@waggle/evaluation";
import type { Adapter } from "@waggle/model";
import {
  boundary,
  derivedSeed,
  type PolicyVersionId,
  type TaskReference,
  WaggleError,
} from "@waggle/protocol";
import { visibleText } from "@waggle/text";
import type { VersionedParts } from "./frozen-evaluation.ts";
import { GATE_TASKS_START } from "./frozen-tasks.ts";

/** Number of tasks where the edge's gate does not say one. */
export const RETENTION_TASKS = 100;

/** Identifies the tasks of a retention set and their sampling seeds. */
export type RetentionTasks = {
  readonly spec: EnvironmentSpec;
  readonly count: number;
  /** Sampling seed, the same for every version. */
  readonly seed: number;
  /** Most tokens per turn; default as in a page. */
  readonly turnTokens?: number | undefined;
  /** As in `FrozenTasks`. */
  readonly constrainToolCalls?: boolean | undefined;
};

/** `[count]` held-out tasks, with the levels in turn. */
function references({ spec, count }: RetentionTasks): TaskReference[] {
  return Array.from({ length: count }, (_, i) =>
    spec.reference(GATE_TASKS_START + i, "heldOut", i % spec.levels),
  );
}

/** `[count]` kind of each task. */
export function retentionKinds(set: RetentionTasks): string[] {
  return references(set).map((reference) => set.spec.task(reference).kind.slice(0, 200));
}

/** Names the set. A changed environment of a site has another name. */
export function retentionName({
  spec,
  count,
  seed,
  turnTokens,
  constrainToolCalls = true,
}: RetentionTasks): string {
  const digest = spec.source === undefined ? "" : `/${spec.source.slice(-16)}`;
  const limit = turnTokens === undefined ? "" : `/turn-${turnTokens}`;
  const calls = constrainToolCalls ? "" : "/free-calls";
  return `${spec.name}/heldOut/${GATE_TASKS_START}+${count}/seed-${seed}${limit}${calls}${digest}`;
}

/** Results of one version, in the order of the tasks. */
export async function playRetention(
  parts: VersionedParts,
  set: RetentionTasks,
  version: PolicyVersionId,
  adapter: Adapter | null,
  signal: AbortSignal,
): Promise<RetentionVerdicts> {
  const { seed, turnTokens, constrainToolCalls } = set;
  const environments = [withVerdicts(set.spec)];
  const given = { ...parts, environments, turnTokens, constrainToolCalls };
  const tasks = references(set).map((task, i) => ({ place: i, task, seed: derivedSeed(seed, i) }));
  // Loaded here: a trainer of a site without an environment loads no module of environments.
  const { rollOutVersion } = await import("./frozen-evaluation.ts");
  const rollouts = await rollOutVersion(given, tasks, version, adapter, signal);
  return {
    successes: rollouts.map(({ verification: { success, parts: said } }) =>
      said[UNJUDGED] === true ? null : success,
    ),
    readable: rollouts.map(({ record }) => isReadable(finalTextOf(record, parts.format))),
  };
}

/**
 * Whether a visitor could read the answer: there is one, without call markup or fragments of it.
 *
 * @param text - the final text; `null` if the rollout was cut before it answered.
 */
export function isReadable(text: string | null): boolean {
  if (text === null) return false;
  const visible = visibleText(text, "ended");
  return visible.text !== "" && !visible.isUnreadable;
}

/** Among the parts of a verification: the verifier failed. */
const UNJUDGED = "unjudged";

/** The environment, with a mark in place of an error where its verifier fails. That is no failure of the policy. */
function withVerdicts(spec: EnvironmentSpec): EnvironmentSpec {
  return {
    ...spec,
    create: (reference) => {
      const { environment, judge } = spec.create(reference);
      return {
        environment,
        judge: async (text) => {
          try {
            return await boundary("verifier", () => judge(text));
          } catch (error) {
            if (!WaggleError.is(error, "REWARD_UNAVAILABLE")) throw error;
            return { reward: 0, success: false, parts: { [UNJUDGED]: true } };
          }
        },
      };
    },
  };
}
