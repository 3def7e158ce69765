/**
 * `takeover`: a person takes over inside a rollout. Each token is labelled by who acted; a person's
 * tokens may be imitated and are never a sample of the policy.
 *
 * Source: ConRFT (human takeover online), HG-DAgger, Kelly et al. 2019, arXiv:1810.02890.
 */
import { requireSameLength } from "../statistics.ts";

export type Actor = "policy" | "person" | "environment";

/** `[T]` tokens for the policy gradient and for imitation; they never overlap. */
export type ActorMasks = { readonly policy: boolean[]; readonly imitation: boolean[] };

/** @param lossMask - `[T]` tokens that may carry loss at all. */
export function actorMasks(lossMask: readonly boolean[], actors: readonly Actor[]): ActorMasks {
  requireSameLength("actors", actors.length, "lossMask", lossMask.length);
  return {
    policy: lossMask.map((kept, t) => kept && actors[t] === "policy"),
    imitation: lossMask.map((kept, t) => kept && actors[t] === "person"),
  };
}

/**
 * `[turns]` rewards of the policy's turns just before a takeover: the person took over for a reason.
 *
 * @param actors - `[turns]`
 * @param penalty - > 0, taken from the turn before each takeover.
 */
export function takeoverPenalties(actors: readonly Actor[], penalty: number): number[] {
  return actors.map((actor, t) =>
    actor === "policy" && actors[t + 1] === "person" ? -penalty : 0,
  );
}
