/**
 * Situations of a self-aware agent: it can go on, must think again, or must ask. The policy's own rollouts at
 * a task determine its situation.
 *
 * Source: KnowSelf (situation tokens on self-explored runs).
 */
import { derivedSeed, seededRandom, type Trajectory } from "@waggle/protocol";
import { verifiedWorth } from "../composition/judged-trajectory.ts";
import type { RewardedGroup, RewardedTrajectory, RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";

type Situation = "go-on" | "rethink" | "ask";
type SituationWords = { readonly [situation in Exclude<Situation, "go-on">]: string };

/**
 * Two rollouts of the policy, the second told `rethink`; then a replay of each and a demonstration. The second replay
 * and the demonstration say the words of their situation before their first call.
 */
function situatedStrategy(rethink: string, words: SituationWords): RolloutStrategy {
  return {
    name: "situated",
    options: { rethink, words },
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const first = await driver.rollOut(task, [at, 0], { role: "student" });
        const told = rethink === "" ? {} : { told: rethink };
        const second = await driver.rollOut(task, [at, 1], { role: "student", ...told });
        const seed = derivedSeed(driver.seed, at);
        const said = (role: Situation, how: { repeats?: Trajectory; says?: string }) =>
          driver.demonstrate(task, { random: seededRandom(seed), role, ...how });
        return [
          first,
          second,
          await said("go-on", { repeats: first.record }),
          await said("rethink", { repeats: second.record, says: words.rethink }),
          await said("ask", { says: words.ask }),
        ];
      }),
  };
}

/** `single`: two rollouts of the policy at a task, and rollouts that start with each situation's words. */
export function selfExplored(rethink: string, words: SituationWords): RolloutPart<never, "single"> {
  return {
    slot: "rollout",
    part: "single",
    start: "single",
    needs: [],
    strategy: () => situatedStrategy(rethink, words),
  };
}

/** The situation that two rollouts show: right at once, right after thinking again, or wrong. */
export function situationOf({ trajectories }: RewardedGroup, threshold: number): Situation {
  const [first, second] = trajectories.filter(({ trajectory }) => trajectory.role === "student");
  const isRight = (rewarded: RewardedTrajectory | undefined): boolean =>
    rewarded !== undefined && verifiedWorth(rewarded.trajectory) >= threshold;
  if (isRight(first)) return "go-on";
  return isRight(second) ? "rethink" : "ask";
}

export function isOf(situation: Situation): (rewarded: RewardedTrajectory) => boolean {
  return ({ trajectory }) => trajectory.role === situation;
}
