/**
 * The running or last release: share, requests of both versions, the means of each metric with their intervals, the
 * difference, and the last decision.
 */
import type { Release } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatAgo, formatCount, formatPercent, formatSigned } from "./format.ts";
import { tablePanel } from "./table-panel.ts";

type Metric = Release["metrics"][number];

const ARM_TITLE = "95 % interval, with each visitor as one; the release does not decide by it";

/** The panel; `null` if there was no release. @param releases - newest first */
export function releasePanel(releases: readonly Release[], now: number): HTMLElement | null {
  const [release] = releases;
  if (release === undefined) return null;
  const { version, stable, metrics } = release;
  return tablePanel(
    `Release of v${version}`,
    [progressText(release, now), decisionText(release, now)],
    [["Metric"], [`v${version}`, "number"], [`v${stable}`, "number"], ["Difference", "number"]],
    metrics.map(metricRow),
  );
}

function metricRow({ name, candidate, stable, difference }: Metric): HTMLElement {
  const interval =
    difference === null
      ? "too few visitors"
      : `${formatSigned(difference.mean)} (${formatSigned(difference.low)} to ${formatSigned(difference.high)})`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", { class: "number", title: ARM_TITLE }, meanText(candidate)),
    h("td", { class: "number", title: ARM_TITLE }, meanText(stable)),
    h("td", { class: "number", title: "interval that holds at all times together" }, interval),
  );
}

function meanText({ mean, interval, values, visitors }: Metric["candidate"]): string {
  const limits =
    interval === null ? "" : ` (${formatPercent(interval.low)} to ${formatPercent(interval.high)})`;
  return `${formatPercent(mean)}${limits} of ${formatCount(values)} from ${formatCount(visitors)} visitors`;
}

function progressText({ state, share, stages, horizon, startedAt }: Release, now: number): string {
  const sum = (arm: "candidate" | "stable"): number =>
    stages.reduce((all, stage) => all + stage[arm], 0);
  const [candidate, stable] = [sum("candidate"), sum("stable")];
  const stage = stages.at(-1);
  const atShare =
    state === "running" && stage !== undefined
      ? `, ${formatCount(stage.candidate)} of ${formatCount(stage.needed)} at this share`
      : "";
  const serves = state === "running" ? "serves" : "served";
  return (
    `${state}, began ${formatAgo(startedAt, now)} ago, ${serves} ${formatPercent(share, 0)} of visitors: ` +
    `${formatCount(candidate)} requests${atShare}, and ${formatCount(stable)} of the stable version; ` +
    `the horizon is ${formatCount(horizon)} of both.`
  );
}

function decisionText({ decision, state }: Release, now: number): string {
  if (decision === null) {
    return state === "running" ? "No decision yet." : "An operator or the trainer ended it.";
  }
  return `Last decision, ${formatAgo(decision.at, now)} ago: ${decision.action}, because ${decision.reason}.`;
}
