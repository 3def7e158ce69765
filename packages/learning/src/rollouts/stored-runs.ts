/** Rollouts that start from stored trajectories: replayed, continued, or taken over. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { planned } from "./plain-rollouts.ts";

/** `pivot`: `size` actions at single turns of stored trajectories, by default 8. */
export function pivot(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    planned("pivot", "group", { kind: "pivot", size: groupSize }),
  );
}

/** `prefix-replay`: the policy goes on from the first turns of a stored trajectory, by default 8 times. */
export function prefixReplay(
  source: "failed" | "expert",
  size?: number,
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    planned("prefix-replay", "group", { kind: "prefix", size: groupSize, source }),
  );
}

/**
 * `prefix-replay` of single steps: a stored success is left at a turn, and both the policy's action there
 * and the stored one are gone on from `continuations` times. The stored one has the role `expert`.
 */
export function stepReplay(continuations?: number): RolloutPart<never, "group"> {
  return definePart({ continuations: option(continuations, 3) }, (given) =>
    planned("prefix-replay", "group", { kind: "prefix", size: 1, source: "expert", ...given }),
  );
}

/**
 * `log`: stored trajectories, no environment call; beside each of them `proposals` actions that the policy
 * would take at one of its turns. Nobody answers these, but where they are to be `answered`.
 */
export function log(
  size?: number,
  proposals: { readonly count: number; readonly answered?: boolean } = { count: 0 },
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    planned("log", "group", { kind: "log", size, proposals }),
  );
}

/** `takeover`: after `failures` failed turns in a row a person takes over for `turns` turns. */
export function takeover(
  size?: number,
  { failures, turns }: { readonly failures?: number; readonly turns?: number } = {},
): RolloutPart<never, "single"> {
  return definePart(
    { takeoverSize: option(size, 1), failures: option(failures, 1), turns: option(turns, 2) },
    ({ takeoverSize: size, failures, turns }) =>
      planned("takeover", "single", { kind: "takeover", size, failures, turns }),
  );
}
