/** A checker whose verdict is the feedback's. The tokens of its trajectories are random, so log-probs are not compared. */
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { createFeedbackCheck } from "../check/feedback-check.ts";
import { learnableTrajectory } from "../check/learnable-group.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";

const format = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});

export const feedbackChecker = ({ feedback }: EdgeRecipe): TrajectoryChecker => ({
  check: async (leased) => {
    const { digest, trajectory } = leased;
    const check = createFeedbackCheck(feedback ?? {}, format, undefined);
    const checked = await check(leased);
    if (!checked.holds) {
      const { status, reason } = checked;
      return { trajectory: null, outcome: { digest, status, reason } };
    }
    const { reward, success } = checked.verification;
    return {
      trajectory: learnableTrajectory(digest, trajectory, checked.verification),
      outcome: { digest, status: "learned", reward, success },
    };
  },
});
