/** A loop's report as lines for people. */
import type { LoopReport } from "@waggle/dev";

const percent = (value: number | null) => (value === null ? "–" : `${(value * 100).toFixed(1)} %`);

/** One line for each part of the report. */
export function loopTable({
  uploads,
  rewards,
  pages,
  training,
  live,
  ...report
}: LoopReport): string[] {
  const { accepted, learned, skipped, rejected, waiting, lost, twice } = uploads;
  return [
    ...successLines(report),
    `policies          ${report.published} published, ${report.promoted} promoted`,
    rewards === null
      ? `trajectories      ${accepted} accepted, ${learned} learned, ${skipped} taught nothing, ${rejected} rejected, ${waiting} still waiting, ${lost} lost, ${twice} twice`
      : `rewards           ${rewards.accepted} accepted, ${rewards.steps} steps`,
    ...(live === null
      ? []
      : [
          `people            ${live.requests} requests, ${live.good} said good, ${live.bad} bad, ${live.feedbackToPageSeconds.median?.toFixed(0) ?? "–"} s to a page (median)`,
        ]),
    `training          ${training.tokens} tokens, ${training.tokensPerSecond ?? "–"} a second`,
    `pages             ${pages.onNewest} of ${pages.open} on the newest version, ${pages.reloads} reloads, ${report.backend}`,
    `time              ${report.minutes.toFixed(1)} min`,
  ];
}

/** Pages sample at temperature 1. The others show whether the model has become better or only surer. */
function named(temperature: string): string {
  return (temperature === "greedy" ? "  greedily" : `  temperature ${temperature}`).padEnd(18);
}

/** If no new version is deployed, only the base has figures. */
function successLines({ success }: Pick<LoopReport, "success">): string[] {
  const { base, final, tasks, temperatures, unseenPatterns: unseen } = success;
  if (base !== null && final === null) {
    return [
      `held-out success  ${percent(base)} of ${tasks} tasks by the base; no new version was deployed, so there is no comparison`,
      ...(unseen === null
        ? []
        : [`unseen patterns   ${percent(unseen.base)} of ${unseen.tasks} of these tasks`]),
    ];
  }
  return [
    `held-out success  ${percent(base)} → ${percent(final)} over ${tasks} paired tasks`,
    ...temperatures.map(
      ({ temperature, base: before, final: after }) =>
        `${named(temperature)}${percent(before)} → ${percent(after)}`,
    ),
    ...(unseen === null
      ? []
      : [
          `unseen patterns   ${percent(unseen.base)} → ${percent(unseen.final)} over ${unseen.tasks} of these tasks`,
        ]),
  ];
}
