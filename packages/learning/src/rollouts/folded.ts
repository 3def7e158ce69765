/**
 * Rollouts with notes instead of a history: each turn's context is the request, the notes so far and the last
 * result. The text that a turn writes before its call is a note.
 *
 * Source: AgentFold (a model that folds its history at each step), BrowserAgent (a memory of conclusions).
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { FoldedOptions } from "../composition/rollout-driver.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";

type Folded<N extends "memory-bank"> = RolloutPart<N, "single">;

type FoldedStrategy = {
  /** How often the demonstrator errs; `null` = the policy acts. */
  readonly mistakes: number | null;
  /** Whether a note may replace all before it. */
  readonly consolidates: boolean;
  /** Rollouts of each task; default 1. */
  readonly size?: number;
  /** The roles that keep a memory and answer from it, in an environment that has one; default none. */
  readonly managed?: { readonly manager: string; readonly answerer: string };
  /** Notes every call and its result, even if the policy writes no note. */
  readonly records?: boolean;
};

/** Rollouts whose turns are trajectories, all judged by the rollout's end. */
export function foldedStrategy(options: FoldedStrategy): RolloutStrategy {
  const { mistakes, consolidates, size = 1, managed, records } = options;
  const acted: FoldedOptions = { managed, records };
  const folding =
    mistakes === null ? acted : { ...acted, demonstrated: { mistakes, consolidates } };
  return {
    name: "folded",
    options,
    ...(managed === undefined ? {} : { requires: "memory" }),
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const rollouts = Array.from({ length: size }, (_, i) =>
          driver.rollOutFolded(task, i === 0 ? [at] : [at, i], folding),
        );
        return (await Promise.all(rollouts)).flat();
      }),
    rollOutHeldOut: async (driver, task, at) =>
      joined(await driver.rollOutFolded(task, [at], acted)),
  };
}

/** Combines the turns of one rollout, for counting. */
function joined(
  turns: readonly JudgedTrajectory[],
): Pick<JudgedTrajectory, "record" | "verification"> {
  const last = turns.at(-1) as JudgedTrajectory;
  const all = turns.map(({ record }) => record);
  return {
    verification: last.verification,
    record: {
      ...last.record,
      turns: all.flatMap((each) => each.turns),
      segments: all.flatMap((each) => each.segments),
    },
  };
}

function folded(part: string, options: FoldedStrategy) {
  return {
    slot: "rollout" as const,
    part,
    start: "single" as const,
    strategy: (): RolloutStrategy => foldedStrategy(options),
  };
}

/** `demos` whose turns each note a conclusion, and summarize several where possible. */
export function foldingDemos(mistakes?: number): Folded<never> {
  return definePart({ mistakes: option(mistakes, 0) }, (given) => ({
    ...folded("demos", { ...given, consolidates: true }),
    needs: [],
  }));
}

/** `demos` whose turns each note a conclusion. */
export function notedDemos(mistakes?: number): Folded<"memory-bank"> {
  return definePart({ mistakes: option(mistakes, 0) }, (given) => ({
    ...folded("demos", { ...given, consolidates: false }),
    needs: ["memory-bank"],
  }));
}

/**
 * `group`: `size` rollouts from the same start, in which the policy sees notes of the calls and texts instead
 * of the history.
 */
export function rememberedGroup(size?: number): RolloutPart<"memory-bank", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) => {
    const options = { mistakes: null, consolidates: false, records: true, size: groupSize };
    return { ...folded("group", options), start: "group", needs: ["memory-bank"] };
  });
}

/** The same with the environment's simulated user: `user-sim`. */
export function rememberedUser(size?: number): RolloutPart<"memory-bank" | "world-model", "group"> {
  return definePart(
    { groupSize: option(size, 8) },
    ({ groupSize }): RolloutPart<"memory-bank" | "world-model", "group"> => {
      const plain = rememberedGroup(groupSize);
      const needs = ["memory-bank", "world-model"] as const;
      return { ...plain, part: "user-sim", needs, around: [plain] };
    },
  );
}

/** `single`: a rollout in which the policy acts from its own notes. */
export function notedSingle(): Folded<"memory-bank"> {
  return { ...folded("single", { mistakes: null, consolidates: false }), needs: ["memory-bank"] };
}
