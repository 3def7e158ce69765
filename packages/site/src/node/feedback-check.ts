/** The metrics of a site that learns from visitors must fit its recipe. */
import { recipeNamed } from "@waggle/learning";
import type { SiteConfig } from "./config-file.ts";

/**
 * A request with an outcome that has a weight goes to the trainer. A recipe that reads no outcomes skips it, and a later thumb
 * is lost.
 *
 * @throws WaggleError `INVALID_ARGUMENT` with file and line.
 */
export function requireFittingMetrics({ source, definition }: SiteConfig): void {
  const { training, metrics = {} } = definition;
  if (training?.recipe === undefined || training.feedbackWaitSeconds === undefined) return;
  const { recipe, settings } = training;
  const { stages } = recipeNamed(recipe)(settings);
  const feedback = stages[0]?.reward?.feedback;
  if (feedback === undefined) return;
  const teaching = Object.keys(metrics).find((name) => metrics[name]?.weight !== 0);
  if (feedback.outcome === undefined && teaching !== undefined) {
    throw source.mistake(
      source.nodeAt(["metrics", teaching]),
      `recipe ${recipe} learns from thumbs only, and a request with an outcome of ${teaching} would be skipped before its thumb comes; write weight: 0 for this metric, or use signals-reinforce`,
    );
  }
  if (feedback.thumb === undefined && teaching === undefined) {
    throw source.mistake(
      source.nodeAt(["training", "recipe"]),
      `recipe ${recipe} learns from outcomes, and no metric has a weight above 0; declare one in metrics`,
    );
  }
}
