/** State parts: what a stage's parts carry from step to step, or what the trainer opens for them. */
import { type Dial, dial, fixed, made } from "../composition/making.ts";
import { kept, resource, type StatePart } from "../composition/state.ts";
import { movingBaseline } from "../states/moving-baseline.ts";
import { taskStatistics } from "../states/task-statistics.ts";

/** The base itself, frozen. */
export const reference: StatePart<"ref"> = resource("ref");
/** A value head on the policy. */
export const valueHead: StatePart<"critic"> = resource("critic");
/** A stronger policy. */
export const teacher: StatePart<"teacher"> = resource("teacher");
/** An adapter with a value head that a stage of the recipe trains. */
export const rewardModelState: StatePart<"rm"> = resource("rm");
/** An adapter whose log-ratios to the base are process rewards; a stage of the recipe trains it. */
export const processModelState: StatePart<"iprm"> = resource("iprm");
/** What models changed since their common start; the trainer keeps it while it merges. */
export const deltas: StatePart<"delta"> = resource("delta");

/** Teachers that show what to do: how often each of them decides at random; by default one, never. */
export function demonstrators(...mistakes: readonly number[]): StatePart<"teacher"> {
  const each = mistakes.map((share, i): [string, Dial<number>] => [`mistakes${i}`, fixed(share)]);
  const dials: { readonly [name: string]: Dial<number> } =
    each.length === 0 ? { mistakes: dial(undefined, 0) } : Object.fromEntries(each);
  return made(dials, (given) => ({
    ...{ slot: "state", part: "teacher" },
    initial: () => Object.values(given),
  }));
}
/** Somebody who scores transcripts. */
export const judgement: StatePart<"judge"> = resource("judge");

/** A moving average of rewards by key. */
export function baseline(
  options: Parameters<typeof movingBaseline>[0] = {},
): StatePart<"baseline"> {
  return made({ decay: dial(options.decay, 0.95), prior: dial(options.prior, 0) }, (given) =>
    kept("baseline", () => movingBaseline(given)),
  );
}

/** Pass rates by task. */
export function taskStats(
  options: Parameters<typeof taskStatistics>[0] = {},
): StatePart<"task-stats"> {
  return made({ retention: dial(options.retention, 0.98) }, (given) =>
    kept("task-stats", () => taskStatistics({ ...options, ...given })),
  );
}
