/** Outcomes by metric and source, and the share of visitors' requests that have any. */
import { successRate } from "@waggle/evaluation";
import type { OperatorSummary, StoredOutcome } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { rateBar } from "./rate-bar.ts";
import { tablePanel } from "./table-panel.ts";

type Outcomes = NonNullable<OperatorSummary["outcomes"]>;
type Metric = Outcomes["declared"][string];
type Row = Outcomes["byMetric"][number];

/** The panel; `null` for a site without metrics and outcomes, and at an edge of the previous release. */
export function outcomePanel({ outcomes }: OperatorSummary): HTMLElement | null {
  if (outcomes === undefined) return null;
  const { declared, byMetric } = outcomes;
  const silent = Object.keys(declared).filter((name) =>
    byMetric.every((row) => row.metric !== name),
  );
  if (byMetric.length === 0 && silent.length === 0) return null;
  return tablePanel(
    "Outcomes",
    [responseText(outcomes)],
    [
      ["Metric"],
      ["From"],
      ["Share", "wide"],
      ["Value", "number"],
      ["n", "number"],
      ["Better", "roomy"],
      ["Weight", "number roomy"],
    ],
    [
      ...byMetric.map((row) => valueRow(row, declaredOf(declared, row.metric))),
      ...silent.map((name) => silentRow(name, declaredOf(declared, name))),
    ],
  );
}

function declaredOf(declared: Outcomes["declared"], name: string): Metric | undefined {
  return Object.hasOwn(declared, name) ? declared[name] : undefined;
}

/** A metric from one source. */
function valueRow({ metric, type, source, count, mean, deviation }: Row, now?: Metric) {
  const isShare = type === "boolean";
  const spread = deviation === null ? "" : ` ± ${formatNumber(deviation)}`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, metric),
    h("td", {}, source),
    h("td", { class: "wide" }, isShare ? rateBar(Math.round(mean * count), count) : ""),
    h(
      "td",
      {
        class: "number",
        title: isShare ? "share of true" : "mean ± standard deviation of the values",
      },
      isShare ? formatPercent(mean) : `${formatNumber(mean)}${spread}`,
    ),
    h("td", { class: "number quiet" }, formatCount(count)),
    ...declarationCells(now),
  );
}

/** A metric without outcomes: its value is missing, not 0. */
function silentRow(name: string, now?: Metric): HTMLElement {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", {}, "–"),
    h("td", { class: "wide" }, ""),
    h("td", { class: "number" }, "–"),
    h("td", { class: "number quiet" }, "0"),
    ...declarationCells(now),
  );
}

function declarationCells(now?: Metric): HTMLElement[] {
  return [
    h("td", { class: "roomy" }, now?.better ?? "no longer declared"),
    h("td", { class: "number roomy" }, formatNumber(now && (now.weight ?? 1))),
  ];
}

function responseText({ liveTrajectories, withOutcome }: Outcomes): string {
  if (liveTrajectories === 0) return "No requests of visitors are stored.";
  const answered = Array.from({ length: liveTrajectories }, (_, i) => i < withOutcome);
  const { rate, interval } = successRate(answered);
  const range = `${formatPercent(interval.low, 0)} to ${formatPercent(interval.high, 0)}`;
  return (
    `${formatCount(withOutcome)} of ${formatCount(liveTrajectories)} requests of visitors who agreed have an outcome: ` +
    `${formatPercent(rate)} (95 % interval ${range}). A request without one is not counted as a failure.`
  );
}

/** The outcomes of one trajectory, as text. */
export function outcomeText(outcomes: readonly StoredOutcome[] = []): string {
  const texts = outcomes.map(({ metric, value, source, turn }) => {
    const shown = typeof value === "number" ? formatNumber(value) : String(value);
    return `${metric} ${shown} (${source}${turn === undefined ? "" : `, turn ${turn}`})`;
  });
  return texts.join(", ") || "none";
}
