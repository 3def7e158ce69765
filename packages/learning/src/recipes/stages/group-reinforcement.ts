/**
 * The stage that many recipes have: plain GRPO on groups that carry a signal, with the reward or the
 * schedule that a paper changes. Not a recipe.
 */
import type {
  AdvantagePart,
  FilterPart,
  LossPart,
  RewardPart,
  RolloutPart,
} from "../../composition/part.ts";
import { rewardStage, type SchedulePart, type Stage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

type GroupReinforcement = {
  readonly groupSize: number;
  readonly steps: number;
  readonly learningRate: number;
  /** Default the stage's own. */
  readonly name?: string;
  /** Default `groupSize` trajectories from the same start. */
  readonly rollout?: RolloutPart<never, "group">;
  /** Before groups without a signal are left out; default none. */
  readonly filters?: readonly FilterPart[];
  /** Default the verifier's word. */
  readonly reward?: RewardPart;
  /** Default the ratio clipped at 1 ± 0.2. */
  readonly loss?: LossPart;
  /** Default against the siblings. */
  readonly advantage?: AdvantagePart<never, "group">;
  readonly schedule?: readonly SchedulePart[];
  /** Difficulty level of the tasks; default: all levels. */
  readonly difficulty?: number;
};

export function groupReinforcement(options: GroupReinforcement): Stage {
  const { groupSize, steps, learningRate, name, reward, loss, schedule = [], difficulty } = options;
  return rewardStage({
    ...(name === undefined ? {} : { name }),
    rollout: options.rollout ?? parts.group(groupSize),
    filters: [...(options.filters ?? []), parts.mixedGroup()],
    reward: reward ?? parts.outcome(),
    advantage: options.advantage ?? parts.groupAdvantage(),
    losses: [loss ?? parts.pgClip()],
    schedule,
    steps,
    settings: {
      tasksPerStep: 12,
      learningRate,
      ...(difficulty === undefined ? {} : { difficulty }),
    },
  });
}
