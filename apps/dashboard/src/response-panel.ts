/** The share of visitors' requests with feedback, by signal and by kind of request. */
import type { OperatorSummary } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount, formatPercent } from "./format.ts";
import { rateBar } from "./rate-bar.ts";
import { tablePanel } from "./table-panel.ts";

/** The panel; `null` before there is a request, and at an edge of the previous release. */
export function responsePanel({ responses }: OperatorSummary): HTMLElement | null {
  if (responses === undefined || responses.requests === 0) return null;
  const { requests, bySignal, byStratum } = responses;
  return tablePanel(
    "Who gives feedback",
    [
      "Requests of visitors who agreed. One without feedback is missing and not counted as a failure.",
      "The trainer weighs kinds of requests that seldom get feedback more. It cannot correct feedback that depends on the answer.",
    ],
    [["Requests"], ["Share", "wide"], ["With feedback", "number"], ["n", "number"]],
    [
      ...bySignal.map((one) => responseRow(one.signal, one.requests, requests)),
      ...byStratum.map((one) => responseRow(one.stratum, one.answered, one.requests)),
    ],
  );
}

function responseRow(name: string, part: number, whole: number): HTMLElement {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", { class: "wide" }, rateBar(part, whole)),
    h("td", { class: "number" }, `${formatCount(part)} (${formatPercent(part / whole)})`),
    h("td", { class: "number quiet" }, formatCount(whole)),
  );
}
