/** What a stage is rewarded by: the components of its reward, and the feedback that they read. */
import type { FeedbackWeights, RewardPart, Stage, StateName } from "@waggle/learning";

/** The reward of a stage, or the components of a combined one. */
export function simpleRewards({ reward }: Pick<Stage, "reward">): RewardPart<StateName>[] {
  if (reward === null) return [];
  const joined = (reward.around ?? []).filter(
    (part): part is RewardPart<StateName> => "rewards" in part,
  );
  return joined.length === 0
    ? [reward]
    : joined.flatMap((component) => simpleRewards({ reward: component }));
}

/** Weights of the feedback that rewards the stage; `null` if a verifier rewards it. */
export function feedbackWeights(stage: Pick<Stage, "reward">): FeedbackWeights | null {
  const read = simpleRewards(stage).flatMap(({ feedback }) => feedback ?? []);
  return read.length === 0 ? null : Object.assign({}, ...read);
}
