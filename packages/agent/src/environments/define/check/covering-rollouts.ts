/**
 * Rollouts to repeat in another runtime: those of a few of the checked tasks, which call every tool that the gold turns of
 * the checked tasks call.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { sampledReferences } from "./check-context.ts";
import { goldRollout, recordedRollout, type RecordedRollout } from "./recorded-rollout.ts";

/** Tasks of each split and level that are always repeated. */
const FEW = 3;
/** Most tasks that are repeated for their tools. Each takes some milliseconds in each runtime. */
const MOST_MORE = 24;

/** Rollouts of some tasks, and which tools their gold turns call. */
export type CoveringRollouts = {
  readonly tasks: number;
  /** Two of each task: one with wrong calls and mistakes, and the gold turns. */
  readonly rollouts: readonly RecordedRollout[];
  /** Tools that the gold turns call. */
  readonly tools: readonly string[];
  /** Tools that gold turns of other checked tasks call, which would be too many. */
  readonly leftOut: readonly string[];
  /** Tools that the gold turns of no checked task call. */
  readonly uncalled: readonly string[];
};

/**
 * Records the rollouts. After the first tasks of every split and level, a task is chosen if it calls a tool that none
 * before it calls.
 *
 * @param tasks - checked tasks of each split and level
 */
export async function coveringRollouts(
  spec: EnvironmentSpec,
  tasks: number,
  signal: AbortSignal,
): Promise<CoveringRollouts> {
  const few = Math.min(FEW, tasks);
  const first = sampledReferences(spec, few);
  const others = sampledReferences(spec, tasks - few, few);
  const rollouts: RecordedRollout[] = [];
  const [known, called, repeated] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let chosen = 0;
  for (const [i, reference] of [...first, ...others].entries()) {
    signal.throwIfAborted();
    const isFirst = i < first.length;
    if (!isFirst && [...known].every((tool) => called.has(tool))) break;
    const gold = await goldRollout(spec, reference, signal);
    const tools = gold?.turns.flatMap(({ calls }) => calls.map(({ name }) => name)) ?? [];
    const isNew = chosen < first.length + MOST_MORE && tools.some((tool) => !repeated.has(tool));
    for (const tool of tools) called.add(tool);
    if (!isFirst && !isNew) continue;
    const careless = await recordedRollout(spec, reference, signal);
    for (const { name } of careless.first.tools) known.add(name);
    for (const tool of tools) repeated.add(tool);
    rollouts.push(careless, ...(gold === null ? [] : [gold]));
    chosen += 1;
  }
  const all = [...known];
  return {
    tasks: chosen,
    rollouts,
    tools: all.filter((tool) => repeated.has(tool)),
    leftOut: all.filter((tool) => called.has(tool) && !repeated.has(tool)),
    uncalled: all.filter((tool) => !called.has(tool)),
  };
}
