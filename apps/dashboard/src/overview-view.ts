/** The overview: collected trajectories, their outcomes, and whether the policy improves. */
import { DISAGREEMENT_ADVICE, isDisagreement, reasonText } from "./reason-text.ts";
import {
  type OperatorHealth,
  type OperatorSummary,
  type PoliciesResponse,
  WaggleError,
} from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { bars, healthPanels } from "./health-panels.ts";
import { MetricHistory } from "./metric-history.ts";
import { createStepChart, type StepChartOptions } from "./step-chart.ts";
import { outcomePanel } from "./outcome-panel.ts";
import { responsePanel } from "./response-panel.ts";
import { versionTable } from "./version-table.ts";
import { placeholder, poll, type View, type ViewContext } from "./view.ts";

const number = (value: number | null) => formatNumber(value);
const percent = (value: number | null) => formatPercent(value, 0);

const CHARTS: readonly StepChartOptions[] = [
  {
    title: "Success and reward",
    caption: "Mean over the trajectories of a step",
    range: [0, 1],
    lines: [
      {
        label: "success",
        metric: "successRate",
        color: "--series-a",
        format: percent,
        smooth: true,
      },
      { label: "reward", metric: "rewardMean", color: "--series-b", format: number, smooth: true },
    ],
  },
  {
    title: "Length",
    caption: "Sampled tokens per trajectory",
    lines: [
      {
        label: "tokens",
        metric: "sampledTokensMean",
        color: "--series-a",
        format: number,
        smooth: true,
      },
    ],
  },
  {
    title: "Sampler vs. trainer",
    caption: "|behavior − re-scored| log-prob, nats",
    logarithmic: true,
    lines: [
      { label: "mean", metric: "logProbGapMean", color: "--series-a", format: number },
      { label: "max", metric: "logProbGapMax", color: "--series-b", format: number },
    ],
  },
  {
    title: "Staleness",
    caption: "Policy updates between sampling and learning",
    lines: [
      { label: "mean", metric: "stalenessMean", color: "--series-a", format: number },
      { label: "max", metric: "stalenessMax", color: "--series-b", format: number },
    ],
  },
  {
    title: "Policy drift",
    caption: "|log-prob at the step − re-scored at sampling|, nats",
    lines: [{ label: "mean", metric: "policyDriftMean", color: "--series-a", format: number }],
  },
  {
    title: "Gradient norm",
    caption: "Before clipping",
    lines: [
      { label: "norm", metric: "gradientNorm", color: "--series-a", format: number, smooth: true },
    ],
  },
];

const STAGES = ["waiting", "leased", "learned", "skipped", "rejected"] as const;

function stages({ trajectories }: OperatorSummary): HTMLElement {
  const total = Math.max(1, trajectories.received);
  return h(
    "section",
    { class: "panel stages" },
    h(
      "header",
      {},
      h("h2", {}, "Trajectories"),
      h("p", { class: "big" }, formatCount(trajectories.received), h("span", {}, " received")),
    ),
    h(
      "div",
      { class: "stage-bar", "aria-hidden": "true" },
      // Empty stages are left out, because their gaps would remain.
      ...STAGES.filter((stage) => trajectories[stage] > 0).map((stage) =>
        h("i", { class: stage, style: `flex-grow:${trajectories[stage] / total}` }),
      ),
    ),
    h(
      "ul",
      { class: "stage-list" },
      ...STAGES.map((stage) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: `#/trajectories?status=${stage}` },
            h("i", { class: `swatch ${stage}`, "aria-hidden": "true" }),
            h("span", {}, stage),
            h("b", {}, formatCount(trajectories[stage])),
          ),
        ),
      ),
    ),
  );
}

function facts(summary: OperatorSummary): HTMLElement {
  const feedback = new Map(summary.feedback.map(({ kind, count }) => [kind, count]));
  const count = (kind: string) => formatCount(feedback.get(kind) ?? 0);
  const fact = (label: string, value: string) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, value));
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Now"),
    h(
      "dl",
      { class: "facts" },
      fact("Stable", `v${summary.stable}`),
      fact("Canary", summary.canary === summary.stable ? "–" : `v${summary.canary}`),
      fact("Visitors", formatCount(summary.visitors)),
      fact("Thumbs up", count("thumb-up")),
      fact("Thumbs down", count("thumb-down")),
      fact("Retries", count("retry")),
      fact("Undone", count("undo")),
      fact("Thanked", count("next-thanks")),
      fact("Corrected", count("next-corrects")),
      fact("Contradicted", count("next-contradicts")),
      fact("Repeated", count("next-repeats")),
      fact("Edited", count("edit")),
    ),
  );
}

function refusals({ rejectedByReason }: OperatorSummary): HTMLElement {
  const rows = rejectedByReason.map(({ reason, count }) => ({
    label: reasonText(reason),
    count,
    href: `#/trajectories?status=rejected&reason=${encodeURIComponent(reason)}`,
  }));
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Rejected by the trainer"),
    bars(rows, "The trainer has rejected no trajectory."),
    rejectedByReason.some(({ reason }) => isDisagreement(reason))
      ? h("p", { class: "caption" }, DISAGREEMENT_ADVICE)
      : "",
  );
}

/** Health data; `null` at an edge of the previous release. */
async function askHealth(context: ViewContext): Promise<OperatorHealth | null> {
  try {
    return await context.api.health();
  } catch (error) {
    if (WaggleError.is(error, "NOT_FOUND")) return null;
    throw error;
  }
}

type Overview = {
  summary: OperatorSummary;
  policies: PoliciesResponse;
  health: OperatorHealth | null;
};

/** Creates the overview. */
export function createOverview(context: ViewContext): View {
  const history = new MetricHistory();
  const charts = CHARTS.map(createStepChart);
  const head = h("div", { class: "overview-head" });
  const more = h("div", { class: "overview-head overview-more" });
  const outcomes = h("div", {});
  const versions = h("section", { class: "panel versions-panel" });
  const chartGrid = h("div", { class: "charts" }, ...charts.map((chart) => chart.element));
  const body = h(
    "div",
    { class: "overview", hidden: true },
    head,
    more,
    versions,
    outcomes,
    h("h2", { class: "section" }, "Training, by optimizer step"),
    chartGrid,
  );
  const notice = h("div", {});
  const element = h("div", {}, h("h1", { class: "visually-hidden" }, "Overview"), notice, body);

  let shown = "";
  const poller = poll<Overview>(
    context,
    async () => {
      const [summary, policies, metrics, health] = await Promise.all([
        context.api.summary(),
        context.api.policies(),
        context.api.metrics(history.after),
        askHealth(context),
      ]);
      history.add(metrics.rows);
      return { summary, policies, health };
    },
    (state) => {
      notice.replaceChildren(...(state.data === null ? [placeholder(state)] : []));
      body.hidden = state.data === null;
      if (state.data === null || state.error !== null) return;
      const { summary, policies, health } = state.data;
      for (const chart of charts) chart.update(history.rows);
      // Rebuilding loses focus and selection, so rebuild only after a change.
      const text = JSON.stringify(state.data);
      if (text === shown) return;
      shown = text;
      const focused = document.activeElement?.getAttribute("href");
      head.replaceChildren(stages(summary), facts(summary), refusals(summary));
      more.replaceChildren(...healthPanels(summary, health));
      outcomes.replaceChildren(outcomePanel(summary) ?? "", responsePanel(summary) ?? "");
      versions.replaceChildren(
        h("header", {}, h("h2", {}, "Success by policy version")),
        h("div", { class: "scroll" }, versionTable(summary, policies)),
      );
      if (focused) body.querySelector<HTMLElement>(`[href="${CSS.escape(focused)}"]`)?.focus();
    },
  );
  return {
    element,
    title: "Overview",
    dispose: () => {
      poller.stop();
      for (const chart of charts) chart.dispose();
    },
  };
}
