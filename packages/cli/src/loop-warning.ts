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
  if (rewards !== null) {
    if (rewards.steps > 0) return null;
    return (
      `warning: no step was taken from ${rewards.accepted} rewards. A step takes perturbations × tasks rewards of one version, ` +
      "two settings of the recipe; give the loop more --minutes or --pages, or write smaller training.settings"
    );
  }
  if (uploads.learned > 0) {
    if (published > 0) return null;
    return (
      `warning: ${uploads.learned} trajectories were learned from, but no version was published, because the loop ended ` +
      "before the trainer had enough steps (training.publishEvery) or had evaluated them; give the loop more --minutes"
    );
  }
  const { accepted, skipped, rejected } = uploads;
  return (
    `warning: nothing was learned from ${accepted} trajectories (${skipped} taught nothing, ${rejected} rejected). ` +
    "Rollouts that all succeed or all fail teach nothing; give the loop more --minutes, or change the tasks or the " +
    `base: ${WEAK_BASE_PAGE}`
  );
}
