/** Success by policy version, with confidence intervals. */
import type { OperatorSummary, PoliciesResponse } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { rateBar } from "./rate-bar.ts";
import { statusChip } from "./view.ts";

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
      h("td", { class: "wide" }, row ? rateBar(row.successes, row.trajectories) : ""),
      h("td", { class: "number" }, row ? formatPercent(row.successes / row.trajectories) : "–"),
      h("td", { class: "number quiet" }, row ? formatCount(row.trajectories) : "0"),
      h("td", { class: "number roomy" }, formatNumber(row?.meanReward)),
      h("td", { class: "number roomy" }, formatNumber(row?.meanTokens)),
      h(
        "td",
        { class: "number roomy" },
        evaluation && evaluation.tasks > 0
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
