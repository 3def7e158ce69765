/** A checker whose verdict is the feedback's. The tokens of its trajectories are random, so log-probs are not compared. */
import type { Trajectory, Verification } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { createFeedbackCheck } from "../check/feedback-check.ts";
import { givenVerdict, rejection, wantedId, withLastAnswerAlone } from "../check/edited-answer.ts";
import { type LearnableTrajectory, learnableTrajectory } from "../check/learnable-group.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";

const format = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});

/** Tokens of every answer that somebody wrote in place of the policy's. */
export const WRITTEN = [4, 8, 15, 1];

/** Both sides of a preference, as the trainer's own check makes them. */
export function learnablePair(
  digest: string,
  edited: Trajectory,
  given: Trajectory,
  verdict: Verification,
): readonly LearnableTrajectory[] {
  const chosen = learnableTrajectory(digest, edited, verdict);
  const alone = withLastAnswerAlone(given);
  if (alone === null) throw new Error("the last turn is no plain answer");
  const rejected = learnableTrajectory(digest, alone, rejection(verdict));
  const trajectory = { ...chosen.trajectory, id: wantedId(digest) };
  return [{ ...chosen, trajectory, given: rejected }, rejected];
}

export const feedbackChecker = ({ feedback, stage }: EdgeRecipe): TrajectoryChecker => ({
  check: async (leased) => {
    const { digest, trajectory, visitorId } = leased;
    const encodeAssistant = () => WRITTEN;
    const check = createFeedbackCheck(feedback ?? {}, { ...format, encodeAssistant }, undefined);
    const checked = await check(leased);
    if (!checked.holds) {
      const { status, reason } = checked;
      return { trajectory: null, outcome: { digest, status, reason } };
    }
    const { verification, edited } = checked;
    const { reward, success } = givenVerdict(verification);
    const outcome = { digest, status: "learned", reward, success } as const;
    if (stage.learns === "pairs" && edited !== undefined) {
      const sides = learnablePair(digest, edited, trajectory, verification);
      return { trajectory: null, trials: sides.map((side) => ({ ...side, visitorId })), outcome };
    }
    return { trajectory: learnableTrajectory(digest, trajectory, verification), outcome };
  },
});
