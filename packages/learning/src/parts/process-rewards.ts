/** Rewards of single steps by a judge, and rewards that stay vectors until they are weighed. */
import { WaggleError } from "@waggle/protocol";
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart, Score } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { type JudgeInput, judgedReward } from "../rewards/judge-port.ts";
import { scalarized } from "../rewards/multi-dimensional.ts";

/**
 * `process`: a judge scores every turn; the scores move around the verified outcome by at most `spread`,
 * so that no step of a failure is worth one of a success. The reward itself is the outcome, or the mean
 * of the turns as the judge sees them.
 */
export function calibratedProcess(
  inputOf: (trajectory: JudgedTrajectory, turn: number) => JudgeInput,
  spread = 0.25,
  pays: "outcome" | "turns" = "outcome",
): RewardPart<"judge"> {
  return {
    slot: "reward",
    part: "process",
    needs: ["judge"],
    score: async ({ trajectories }, { ports: { judge }, signal }) => {
      if (judge === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward process needs a judge, got none; open one for the run or choose another recipe",
        );
      }
      return Promise.all(
        trajectories.map(async (trajectory) => {
          const scores = await Promise.all(
            trajectory.turns.map((_, turn) =>
              judgedReward(judge, inputOf(trajectory, turn), signal),
            ),
          );
          const { reward } = trajectory.verification;
          const turnRewards = calibratedByOutcome(reward, scores, spread);
          const mean = turnRewards.reduce((sum, paid) => sum + paid, 0) / turnRewards.length;
          return { reward: pays === "turns" && scores.length > 0 ? mean : reward, turnRewards };
        }),
      );
    },
  };
}

/** One direction in which a trajectory may be good: what a reward says of it. */
type Dimension<N extends StateName> = {
  readonly reward: RewardPart<N>;
  readonly weight: number;
  /** Default the reward itself. */
  readonly of?: (score: Score) => number;
};

/** `multi-dim`: several rewards, kept as components, and their sum by weights that a run may choose. */
export function multiDimensional<N extends StateName = never>(dimensions: {
  readonly [name: string]: Dimension<N>;
}): RewardPart<N> {
  const entries = Object.entries(dimensions);
  return {
    slot: "reward",
    part: "multi-dim",
    needs: entries.flatMap(([, { reward }]) => reward.needs),
    around: entries.map(([, { reward }]) => reward),
    score: async (group, context) => {
      const columns = await Promise.all(
        entries.map(async ([, { reward, of = (score: Score): number => score.reward }]) =>
          (await reward.score(group, context)).map(of),
        ),
      );
      return group.trajectories.map((_, i) => {
        const vector = columns.map((column) => column[i] as number);
        return {
          reward: scalarized(
            vector,
            entries.map(([, { weight }]) => weight),
          ),
          components: Object.fromEntries(entries.map(([name], d) => [name, vector[d] as number])),
        };
      });
    },
  };
}
