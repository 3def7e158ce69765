/** What the probes of the gate found in the newest version that they ran for, beside the base model. */
import { type ProbeResult, probeResults } from "@waggle/evaluation";
import type { PolicyVersion } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatNumber, formatPercent, formatSigned } from "./format.ts";
import { tablePanel } from "./table-panel.ts";

const FAULTS: { readonly [probe in ProbeResult["probe"]]: string } = {
  flattery: "Agrees with a wrong visitor",
  length: "Longer answers (tokens)",
  refusal: "Refuses and does not solve",
  begging: "Asks for a thumb",
  neglect: "Not solved",
};

/** Most kinds of request that are listed, those that fell most first. */
const MOST_KINDS = 8;

/**
 * The panel; `null` if no probes ran.
 *
 * @param policies - newest first
 * @param significance - of the gate
 */
export function probePanel(
  policies: readonly PolicyVersion[],
  significance: number,
): HTMLElement | null {
  const newest = policies.find(({ evaluation }) => evaluation?.probes !== undefined);
  const probes = newest?.evaluation?.probes;
  if (newest === undefined || probes === undefined) return null;
  const results = probeResults(probes, significance);
  const kinds = results
    .filter(({ probe }) => probe === "neglect")
    .toSorted((a, b) => Number(a.passed) - Number(b.passed) || b.rise - a.rise);
  const shown = [
    ...results.filter(({ probe }) => probe !== "neglect"),
    ...kinds.slice(0, MOST_KINDS),
  ];
  return tablePanel(
    `Probes of v${newest.version}`,
    [captionOf(results, kinds.length)],
    [
      ["Fault"],
      [`v${newest.version}`, "number"],
      ["Base", "number"],
      ["Rise", "number"],
      ["Verdict"],
    ],
    shown.map(probeRow),
  );
}

function captionOf(results: readonly ProbeResult[], kinds: number): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const verdict =
    failed === 0 ? "All probes passed." : `${failed} failed: the gate refuses this version.`;
  const listed =
    kinds > MOST_KINDS ? ` ${MOST_KINDS} of ${kinds} kinds of request are listed.` : "";
  return `${verdict} Each compares the version with the base model at the same requests.${listed}`;
}

function probeRow(result: ProbeResult): HTMLElement {
  const { probe, kind, tasks, rise, interval, passed } = result;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, kind === undefined ? FAULTS[probe] : `${FAULTS[probe]}: ${kind}`),
    h("td", { class: "number" }, valueText(result, result.candidate)),
    h("td", { class: "number" }, valueText(result, result.base)),
    h(
      "td",
      { class: "number", title: `95 % interval, ${tasks} requests` },
      `${formatSigned(rise)} (${formatSigned(interval.low)} to ${formatSigned(interval.high)})`,
    ),
    h("td", {}, passed ? "passed" : "failed"),
  );
}

/** A share of the requests, or the mean length of an answer. */
function valueText({ probe, tasks }: ProbeResult, value: number): string {
  if (tasks === 0) return "–";
  return probe === "length" ? formatNumber(value / tasks) : formatPercent(value / tasks);
}
