/** What a site that learns from visitors learns from, and whether its metrics fit. */
import { type FeedbackWeights, recipeNamed } from "@waggle/learning";
import type { SiteDefinition } from "../site-definition.ts";
import type { SiteConfig } from "./config-file.ts";

/** Weights of the feedback that the site's recipe reads; `null` for a site that does not learn from visitors. */
export function feedbackOf({
  training = {},
}: Pick<SiteDefinition, "training">): FeedbackWeights | null {
  const { recipe, settings, feedbackWaitSeconds } = training;
  if (recipe === undefined || feedbackWaitSeconds === undefined) return null;
  return recipeNamed(recipe)(settings).stages[0]?.reward?.feedback ?? null;
}

/** @throws WaggleError `INVALID_ARGUMENT` with file and line for a recipe that reads outcomes without a metric that teaches. */
export function requireFittingMetrics({ source, definition }: SiteConfig): void {
  const { training, metrics = {} } = definition;
  const read = Object.keys(feedbackOf(definition) ?? {});
  const teaching = Object.values(metrics).some(({ weight }) => weight !== 0);
  if (read.join() !== "outcome" || teaching) return;
  throw source.mistake(
    source.nodeAt(["training", "recipe"]),
    `recipe ${training?.recipe} learns from outcomes, and no metric has a weight above 0; declare one in metrics`,
  );
}
