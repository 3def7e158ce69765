/** Do rewards for single steps help, and does that depend on the algorithm? */
import { groupReinforcement, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, type Study } from "./study.ts";

const plain = { groupSize: 8, steps: 10, learningRate: 3e-3 };
/** Outcome reward on the last turn only, without rewards for earlier turns. */
const sparse = () =>
  parts.rewardPart("outcome", ({ verification, turns }) => {
    const reward = verification.success ? 1 : 0;
    return {
      total: reward,
      turnRewards: turns.map((_, i) => (i === turns.length - 1 ? reward : 0)),
    };
  });

const actorCritic = (reward: ReturnType<typeof parts.outcome>) =>
  rewardStage({
    rollout: parts.single(),
    reward,
    advantage: parts.gae(),
    losses: [parts.pgClip(), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
    state: { critic: parts.valueHead },
    steps: plain.steps,
    settings: { tasksPerStep: 96, learningRate: plain.learningRate },
  });

export const denseReward: Study = {
  name: "dense-reward",
  question: "Are rewards for single steps better than the outcome alone?",
  sides: [
    {
      says: "yes, most of all for small models",
      sources: "Planner-R1, SPA-RL, OPRL, Environment Tuning",
    },
    {
      says: "only the outcome; process rewards alone can mislead; it depends on the algorithm",
      sources: "ARTIST, ARPO, PPR, meow-tea-taro",
    },
  ],
  environment: "form",
  tokens: 32_000,
  arms: [
    arm("outcome, groups", ["one"], [groupReinforcement({ ...plain, reward: sparse() }), 1]),
    arm(
      "steps summed, groups",
      ["one"],
      [groupReinforcement({ ...plain, reward: parts.progress() }), 1],
    ),
    arm(
      "steps, groups by turn",
      ["one"],
      [groupReinforcement({ ...plain, reward: parts.progress(), advantage: parts.turnLevel() }), 1],
    ),
    arm("outcome, critic", ["one"], [actorCritic(sparse()), 1]),
    arm("steps, critic", ["one"], [actorCritic(parts.progress()), 1]),
  ],
  measures: ["success"],
  limits: [],
};
