/** Rollouts from the start of a task: groups, single trajectories and stale samplers. */
import { seededRandom, type TaskReference } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart, Start } from "../composition/part.ts";
import type { RolloutDriver } from "../composition/rollout-driver.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import type { StateName } from "../composition/state.ts";
import type { EnvironmentChange } from "./environment-change.ts";
import { many, rolloutPart } from "./rollout-part.ts";

type GroupOptions = {
  readonly size: number;
  /** Sentences of the system message, one for each trajectory in turn. */
  readonly modes?: readonly string[];
  /** Changes of the environment, one for each trajectory in turn; `null` = unchanged. */
  readonly environments?: readonly (EnvironmentChange | null)[];
  /** Number of demonstrations of each task, in the role `reference`. */
  readonly references?: number;
};

/** `size` trajectories of each task from its start. */
export function groupStrategy(options: GroupOptions): RolloutStrategy {
  const { size, modes = [], environments = [], references = 0 } = options;
  const isPlain = Object.keys(options).every((name) => name === "size");
  const member = (
    driver: RolloutDriver,
    task: TaskReference,
    place: readonly number[],
  ): Promise<JudgedTrajectory> => {
    const [, i = 0] = place;
    const environment = environments[i % environments.length] ?? null;
    return driver.rollOut(task, place, {
      mode: modes[i % modes.length] ?? null,
      role: environment?.kind === "toolless" ? "alone" : "policy",
      environment,
    });
  };
  return {
    name: "group",
    options,
    overlaps: true,
    groupSize: size,
    runsInPages: isPlain,
    ...(environments.some((change) => change?.kind === "searched") ? { requires: "search" } : {}),
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        // A group with distinct places needs all of its members; a plain group can lose some.
        const together = isPlain ? driver.alike : many;
        const trajectories = await together(size, (i) => member(driver, task, [at, i]));
        const shown = await many(references, async (i) => {
          const random = seededRandom(driver.seed, at, i);
          return driver.demonstrate(task, { random, role: "reference" });
        });
        return [...trajectories, ...shown];
      }),
  };
}

/** `size` trajectories from the same start, in an environment with documents to search. */
export function searchingGroup(size?: number): RolloutPart<"corpus", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) => ({
    slot: "rollout",
    part: "group",
    needs: ["corpus"],
    start: "group",
    strategy: () => groupStrategy({ size: groupSize, environments: [{ kind: "searched" }] }),
  }));
}

/** `group`: `size` trajectories from the same start; default 8. */
export function group(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    rolloutPart("group", "group", groupStrategy({ size: groupSize })),
  );
}

/**
 * `single`: independent trajectories without group statistics. For comparisons, `attempts` rollouts of each task,
 * each with the next sentence of `modes` as an instruction.
 */
export function single(attempts?: number, modes?: readonly string[]): RolloutPart<never, "single"> {
  return definePart({ attempts: option(attempts, 1) }, (given) => {
    const options = { size: given.attempts, ...(modes === undefined ? {} : { modes }) };
    return rolloutPart("single", "single", groupStrategy(options));
  });
}

/** `mode-strata`: a group with an equal share for each mode; a mode is a sentence in the system message. */
export function modeStrata(
  modes: readonly string[],
  perMode?: number,
): RolloutPart<never, "group"> {
  return definePart({ perMode: option(perMode, 4) }, ({ perMode }) => {
    const size = perMode * modes.length;
    const strata = rolloutPart("mode-strata", "group", groupStrategy({ size, modes }));
    return { ...strata, around: [group(size)] };
  });
}

/** `weights`: no rollouts; the stage learns from models. */
export function weights(): RolloutPart<never, "single"> {
  return rolloutPart("weights", "single", { name: "none", rollOut: async () => [] });
}

/** `async`: `inner`, sampled by a stale policy; the staleness is a setting of the stage. */
export function asynchronous<N extends StateName, S extends Start>(
  inner: RolloutPart<N, S>,
): RolloutPart<N, S> {
  return definePart(
    {},
    (_, [plain]) => ({ ...plain, part: "async", expectsStaleness: true, around: [plain] }),
    [inner],
  );
}
