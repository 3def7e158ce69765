/** Rollout parts: which trajectories a step asks for. The trainer carries the plans out. */
import { WaggleError } from "@waggle/protocol";
import { dial, fixed, made } from "../composition/making.ts";
import type { RolloutPart, Start } from "../composition/part.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";
import type { StateName } from "../composition/state.ts";
import { type BranchRule, branchProbability } from "../rollouts/branch-entropy.ts";

function planned<S extends "group" | "single">(
  part: string,
  start: S,
  plan: RolloutPlan,
): RolloutPart<never, S> {
  if ("size" in plan && !(Number.isInteger(plan.size) && plan.size >= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `rollouts of ${part} must be a whole number from 1 for each task, got ${plan.size}; set another group size`,
    );
  }
  return { slot: "rollout", part, needs: [], start, plan: () => plan };
}

/** `group`: `size` trajectories from the same start, by default 8. */
export function group(size?: number): RolloutPart<never, "group"> {
  return made({ groupSize: dial(size, 8) }, ({ groupSize }) =>
    planned("group", "group", { kind: "group", size: groupSize }),
  );
}

/**
 * `single`: independent trajectories, no group statistic; `rollouts` of each task where they are compared,
 * told one of the sentences each, in turn.
 */
export function single(attempts?: number, modes?: readonly string[]): RolloutPart<never, "single"> {
  return made({ attempts: dial(attempts, 1) }, (given) =>
    planned("single", "single", {
      ...{ kind: "group", size: given.attempts },
      ...(modes === undefined ? {} : { modes }),
    }),
  );
}

/** `demos`: the environment's demonstrator; `mistakes` is the share of its decisions made at random. */
export function demos(mistakes?: number): RolloutPart<never, "single"> {
  return made({ mistakes: dial(mistakes, 0) }, (given) =>
    planned("demos", "single", { kind: "demos", size: 1, ...given }),
  );
}

/** `demos` in so many wordings: each demonstration is told another sentence, in turn. */
export function toldDemos(
  modes: readonly string[],
  { size = 1, mistakes = 0 }: { readonly size?: number; readonly mistakes?: number } = {},
): RolloutPart<never, "single"> {
  return planned("demos", "single", { kind: "demos", size, mistakes, modes });
}

/**
 * `demos` of the teachers that the state names, one rollout of each at every task, after `students`
 * rollouts of the policy.
 */
export function teacherDemos({
  students = 0,
  modes,
}: { readonly students?: number; readonly modes?: readonly string[] } = {}): RolloutPart<
  "teacher",
  "group"
> {
  return {
    slot: "rollout",
    part: "demos",
    start: "group",
    needs: ["teacher"],
    plan: ({ state }) => {
      const mistakes = state.teacher as readonly number[];
      return {
        ...{ kind: "demos", size: mistakes.length, mistakes, students },
        ...(modes === undefined ? {} : { modes }),
      };
    },
  };
}

/** `mode-strata`: a group in which each mode has its share; a mode is a sentence of the system message. */
export function modeStrata(modes: readonly string[], perMode = 4): RolloutPart<never, "group"> {
  const size = perMode * modes.length;
  const strata = planned("mode-strata", "group", { kind: "group", size, modes });
  return { ...strata, around: [group(size)] };
}

/** `weights`: nothing is rolled out, models are what is learned from. */
export function weights(): RolloutPart<never, "single"> {
  return planned("weights", "single", { kind: "none" });
}

/** `pivot`: `size` actions at single turns of stored trajectories, by default 8. */
export function pivot(size?: number): RolloutPart<never, "group"> {
  return made({ groupSize: dial(size, 8) }, ({ groupSize }) =>
    planned("pivot", "group", { kind: "pivot", size: groupSize }),
  );
}

/** `prefix-replay`: the policy goes on from the first turns of a stored trajectory, by default 8 times. */
export function prefixReplay(
  source: "failed" | "expert",
  size?: number,
): RolloutPart<never, "group"> {
  return made({ groupSize: dial(size, 8) }, ({ groupSize }) =>
    planned("prefix-replay", "group", { kind: "prefix", size: groupSize, source }),
  );
}

/**
 * `prefix-replay` of single steps: a stored success is left at a turn, and both the policy's action there
 * and the stored one are gone on from `continuations` times. The stored one has the role `expert`.
 */
export function stepReplay(continuations?: number): RolloutPart<never, "group"> {
  return made({ continuations: dial(continuations, 3) }, (given) =>
    planned("prefix-replay", "group", { kind: "prefix", size: 1, source: "expert", ...given }),
  );
}

/**
 * `retry`: a failed rollout hears `guidance` and tries again in the same context.
 *
 * Source: Reflect, Retry, Reward, arXiv:2505.24726.
 */
export function retry(guidance: string, size = 8): RolloutPart<never, "group"> {
  return planned("retry", "group", { kind: "retry", size, guidance });
}

/**
 * `log`: stored trajectories, no environment call; beside each of them `proposals` actions that the policy
 * would take at one of its turns. Nobody answers these, but where they are to be `answered`.
 */
export function log(
  size = 8,
  proposals: { readonly count: number; readonly answered?: boolean } = { count: 0 },
): RolloutPart<never, "group"> {
  return planned("log", "group", { kind: "log", size, proposals });
}

/** `takeover`: after `failures` failed turns in a row a person takes over for `turns` turns. */
export function takeover(
  size = 1,
  { failures = 1, turns = 2 }: { readonly failures?: number; readonly turns?: number } = {},
): RolloutPart<never, "single"> {
  return planned("takeover", "single", { kind: "takeover", size, failures, turns });
}

/**
 * `branch-entropy`: `whole` trajectories, and forks of them after tool results that made the policy less
 * sure, `size` leaves in all.
 */
export function branchEntropy(
  size = 8,
  whole = 4,
  rule: BranchRule = { base: 0.2, slope: 2, mostEntropy: Math.log(384), mostInARow: 2 },
): RolloutPart<never, "group"> {
  const branching = planned("branch-entropy", "group", {
    kind: "branch",
    whole,
    size,
    branchAt: (entropies, inARow, random) => {
      const [start = 0] = entropies;
      return random() < branchProbability(rule, entropies.at(-1) ?? start, start, inARow);
    },
  });
  return { ...branching, around: [group(whole)] };
}

/**
 * `branch-vine`: forks of a visited state at any turn alike.
 *
 * Source: Schulman et al. 2015, "TRPO" (vine), arXiv:1502.05477.
 */
export function branchVine(size = 8, whole = 2): RolloutPart<never, "group"> {
  return made({ size: fixed(size), whole: fixed(whole) }, () => ({
    ...planned("branch-vine", "group", {
      kind: "branch",
      whole,
      size,
      branchAt: (_, __, random) => random() < 0.5,
    }),
    around: [group(whole)],
  }));
}

/** `async`: `inner` sampled by a policy that lags behind; the lag itself is a setting of the stage. */
export function asynchronous<N extends StateName, S extends Start>(
  inner: RolloutPart<N, S>,
): RolloutPart<N, S> {
  return made({}, (_, [plain]) => ({ ...plain, part: "async", around: [plain] }), [inner]);
}
