/** Rollouts that start from stored trajectories: replayed, continued or taken over. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { planned } from "./plain-rollouts.ts";

/** `pivot`: `size` actions at single turns of stored trajectories; default 8. */
export function pivot(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    planned("pivot", "group", { kind: "pivot", size: groupSize }),
  );
}

/** `prefix-replay`: `size` continuations of the first turns of a stored trajectory; default 8. */
export function prefixReplay(
  source: "failed" | "expert",
  size?: number,
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    planned("prefix-replay", "group", { kind: "prefix", size: groupSize, source }),
  );
}

/**
 * `prefix-replay` of single steps: at a turn of a stored success, both the policy's action and the stored one
 * are continued `continuations` times. The stored trajectory has the role `expert`.
 */
export function stepReplay(continuations?: number): RolloutPart<never, "group"> {
  return definePart({ continuations: option(continuations, 3) }, (given) =>
    planned("prefix-replay", "group", { kind: "prefix", size: 1, source: "expert", ...given }),
  );
}

/**
 * `log`: stored trajectories, without the environment. For each, `proposals` actions of the policy at one of
 * its turns; the environment answers them only with `answered`.
 */
export function log(
  size?: number,
  proposals: { readonly count: number; readonly answered?: boolean } = { count: 0 },
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    planned("log", "group", { kind: "log", size, proposals }),
  );
}

/** `takeover`: after `failures` consecutive failed turns, a person takes over for `turns` turns. */
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
