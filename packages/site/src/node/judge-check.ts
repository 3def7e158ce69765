/** Whether a site's judge has something to do that fits its recipe. */
import type { SiteConfig } from "./config-file.ts";
import { feedbackOf } from "./feedback-check.ts";

/** Verdicts that the edge's gate needs, where a site does not say. */
const MIN_TASKS = 64;

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function requireFittingJudge({ source, definition }: SiteConfig): void {
  const { judge, recipe, feedbackWaitSeconds } = definition.training ?? {};
  if (judge === undefined) return;
  const { messages = false, requestTrials, readOnlyTools, comparisons } = judge;
  const refuse = (name: string, why: string): never => {
    throw source.mistake(source.nodeAt(["training", "judge", name]), why);
  };
  if (!messages && requestTrials === undefined && comparisons === undefined) {
    const at = source.nodeAt(["training", "judge"]);
    throw source.mistake(
      at,
      "training.judge has nothing to do; set messages, requestTrials or comparisons",
    );
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
  if (readOnlyTools !== undefined && requestTrials === undefined && comparisons === undefined) {
    refuse("readOnlyTools", "readOnlyTools is about new trials; set requestTrials or comparisons");
  }
  if (comparisons === undefined) return;
  if (definition.environment !== undefined) {
    refuse(
      "comparisons",
      "comparisons is for a site without an environment, and this one is evaluated on its tasks; remove one of the two",
    );
  }
  const { minTasks = MIN_TASKS } = definition.gate ?? {};
  if (comparisons < minTasks) {
    refuse(
      "comparisons",
      `the gate needs ${minTasks} verdicts, so ${comparisons} requests can never be enough; set comparisons to ${2 * minTasks}, because a judge can abstain, or lower gate.minTasks`,
    );
  }
}
