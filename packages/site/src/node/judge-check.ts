/** Whether a site's judge has something to do that fits its recipe. */
import type { SiteConfig } from "./config-file.ts";
import { feedbackOf } from "./feedback-check.ts";

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function requireFittingJudge({ source, definition }: SiteConfig): void {
  const { judge, recipe, feedbackWaitSeconds } = definition.training ?? {};
  if (judge === undefined) return;
  const { messages = false, requestTrials, readOnlyTools } = judge;
  const refuse = (name: string, why: string): never => {
    throw source.mistake(source.nodeAt(["training", "judge", name]), why);
  };
  if (!messages && requestTrials === undefined) {
    const at = source.nodeAt(["training", "judge"]);
    throw source.mistake(at, "training.judge has nothing to do; set messages or requestTrials");
  }
  if (messages && feedbackOf(definition)?.message === undefined) {
    refuse(
      "messages",
      `recipe ${recipe ?? "dr-grpo-tis"} does not learn from visitors' messages; use messages-reinforce or signals-reinforce with feedbackWaitSeconds`,
    );
  }
  if (requestTrials !== undefined && feedbackWaitSeconds !== undefined) {
    refuse(
      "requestTrials",
      "requestTrials tries requests without feedback, and feedbackWaitSeconds keeps these from the trainer until they have some; remove one of the two",
    );
  }
  if (readOnlyTools !== undefined && requestTrials === undefined) {
    refuse("readOnlyTools", "readOnlyTools is about new trials; set requestTrials");
  }
}
