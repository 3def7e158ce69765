/** What a loop's report warns about: nothing was learned or published, or too little to learn from. */
import type { LoopReport } from "@waggle/dev";
import { isTooWeak, WEAK_BASE_PAGE } from "@waggle/trainer";

/** A sentence for people; `null` if the report gives no reason for one. */
export function loopWarning({
  success,
  uploads,
  rewards,
  published,
}: Pick<LoopReport, "success" | "uploads" | "rewards" | "published">): string | null {
  const { base, final, temperatures } = success;
  const rates = [success, ...temperatures].flatMap((one) => [one.base, one.final]);
  const measured = rates.filter((rate) => rate !== null);
  if (base !== null && isTooWeak(measured)) {
    const who = final === null ? "the base solves" : "the base and the deployed version solve";
    return (
      `warning: ${who} almost no held-out task. Practice cannot improve a base ` +
      `that almost always fails. Make tasks easier or the base better: ${WEAK_BASE_PAGE}`
    );
  }
  if (rewards !== null) return rewardsWarning(rewards, published);
  if (uploads.learned > 0) {
    if (published > 0) return null;
    return (
      `warning: ${uploads.learned} trajectories were learned from, but no version was published, because the loop ended ` +
      "before the trainer had enough steps (training.publishEvery) or had evaluated them (training.evaluationTasks); give the " +
      "loop more --minutes, or the trainer fewer of both"
    );
  }
  const { accepted, skipped, rejected } = uploads;
  return (
    `warning: nothing was learned from ${accepted} trajectories (${skipped} taught nothing, ${rejected} rejected). ` +
    "Rollouts that all succeed or all fail teach nothing; give the loop more --minutes, or change the tasks or the " +
    `base: ${WEAK_BASE_PAGE}`
  );
}

/** The first version changes nothing, because pages perturb an adapter. */
function rewardsWarning(
  { accepted, steps }: NonNullable<LoopReport["rewards"]>,
  published: number,
): string | null {
  if (published === 0) {
    return (
      "warning: no version was published, so pages got no tasks. The base solved no task of the evaluation, or the loop " +
      `ended before it: make tasks easier or the base better, or give the loop more --minutes: ${WEAK_BASE_PAGE}`
    );
  }
  if (steps > 0 && published > 1) return null;
  if (steps > 0) {
    return "warning: a step was taken, but its version was not published before the loop ended; give the loop more --minutes";
  }
  return (
    `warning: no step was taken from ${accepted} rewards. A step takes perturbations × tasks rewards of one version, ` +
    "two settings of the recipe; give the loop more --minutes or --pages, or write smaller training.settings"
  );
}
