/** Success by policy version, with confidence intervals. */
import { successRate } from "@waggle/evaluation";
import type { OperatorSummary, PoliciesResponse } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { statusChip } from "./view.ts";

/** Rate and 95 % interval as shares of the bar's width. */
function bar(successes: number, trials: number): HTMLElement {
  const { rate, interval } = successRate(Array.from({ length: trials }, (_, i) => i < successes));
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  return h(
    "span",
    {
      class: "rate-bar",
      title: `95 % interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)}`,
    },
    h("i", { class: "rate-fill", style: `width:${percent(rate)}` }),
    h("i", {
      class: "rate-interval",
      style: `left:${percent(interval.low)};width:${percent(interval.high - interval.low)}`,
    }),
  );
}

/** Newest version first. Versions without rollouts are included. */
export function versionTable(summary: OperatorSummary, policies: PoliciesResponse): HTMLElement {
  const sampled = new Map(summary.byVersion.map((row) => [row.version, row]));
  const rows = policies.policies.map(({ version, status, evaluation }) => {
    const row = sampled.get(version);
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("a", { href: `#/trajectories?version=${version}` }, `v${version}`),
      ),
      h("td", {}, statusChip(status)),
      h("td", { class: "wide" }, row ? bar(row.successes, row.trajectories) : ""),
      h("td", { class: "number" }, row ? formatPercent(row.successes / row.trajectories) : "–"),
      h("td", { class: "number quiet" }, row ? formatCount(row.trajectories) : "0"),
      h("td", { class: "number roomy" }, formatNumber(row?.meanReward)),
      h("td", { class: "number roomy" }, formatNumber(row?.meanTokens)),
      h(
        "td",
        { class: "number roomy" },
        evaluation
          ? `${formatPercent(evaluation.successes / evaluation.tasks)} of ${evaluation.tasks}`
          : "–",
      ),
    );
  });
  const head = (label: string, kind = "") => h("th", { scope: "col", class: kind }, label);
  return h(
    "table",
    { class: "versions" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head("Version"),
        head("Channel"),
        head("Success of assigned tasks", "wide"),
        head("Rate", "number"),
        head("n", "number"),
        head("Reward", "number roomy"),
        head("Tokens", "number roomy"),
        head("Held-out", "number roomy"),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}
