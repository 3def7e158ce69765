/** What a version learned from, and its answers beside those of the version before it. */
import {
  type LearnedFrom,
  type PolicyVersion,
  type VersionReport,
  type VersionReportResponse,
  WaggleError,
} from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { changedFirst, hasChanged } from "./answer-changes.ts";
import { formatCount, formatNumber, formatPercent } from "../format.ts";
import type { OperatorApi } from "../operator-api.ts";
import { signalText } from "./signal-text.ts";
import { tablePanel } from "../table-panel.ts";
import { describeError, statusChip } from "../view.ts";

type Answers = NonNullable<VersionReport["answers"]>;
type Answer = Answers["pairs"][number]["before"];

/** Opens the dialog. It is removed when it is closed. */
export async function showVersion(
  api: Pick<OperatorApi, "versionReport">,
  policy: PolicyVersion,
): Promise<void> {
  const body = h("div", { class: "report" }, h("p", { role: "status" }, "Loading …"));
  const dialog = h(
    "dialog",
    {
      class: "version-dialog",
      "aria-labelledby": "version-title",
      close: () => {
        dialog.remove();
      },
    },
    h(
      "header",
      {},
      h("h2", { id: "version-title" }, `Version ${policy.version}`),
      h("button", { type: "button", click: () => dialog.close() }, "Close"),
    ),
    body,
  );
  document.body.append(dialog);
  dialog.showModal();
  try {
    const found = await api.versionReport(policy.version);
    body.replaceChildren(...reportSections(found, policy));
  } catch (error) {
    const text = WaggleError.is(error, "NOT_FOUND")
      ? "There is no report about this version. The trainer sends one with each version that it trains."
      : describeError(error);
    body.replaceChildren(h("p", { class: "notice", role: "alert" }, text));
  }
}

function reportSections(
  { report: { learnedFrom, answers }, visitors }: VersionReportResponse,
  policy: PolicyVersion,
): HTMLElement[] {
  return [
    learnedFrom === undefined
      ? h("p", { class: "caption" }, "It was trained elsewhere, so its signals are not known.")
      : learnedPanel(learnedFrom, visitors, policy),
    answers === undefined
      ? h("p", { class: "caption" }, "No answers were kept to compare it with.")
      : answerSection(answers, policy.version),
  ];
}

function learnedPanel(learned: LearnedFrom, visitors: number, policy: PolicyVersion): HTMLElement {
  const { recipe, steps, trajectories, signals, consents, prompts = [] } = learned;
  const all = signals.reduce((sum, { weight }) => sum + weight, 0);
  const since = policy.parent === null ? "" : ` since v${policy.parent}`;
  const counted = (all: typeof consents): string =>
    all.map((one) => `${one.version} (${formatCount(one.trajectories)} trajectories)`).join(", ");
  const judged = prompts.length === 0 ? "" : ` Prompts of the judge: ${counted(prompts)}.`;
  return tablePanel(
    "Learned from",
    [
      `${formatCount(steps)} steps of ${recipe}${since}: ${formatCount(trajectories)} trajectories of ${formatCount(visitors)} visitors. Consent versions: ${counted(consents) || "none"}.${judged}`,
      "Weight is the absolute advantage of the tokens times their share of the loss, as far as the signal caused it.",
    ],
    [["Signal"], ["Trajectories", "number"], ["Weight", "number roomy"], ["Share", "number"]],
    signals.map((one) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, signalText(one.signal)),
        h("td", { class: "number" }, formatCount(one.trajectories)),
        h("td", { class: "number roomy" }, formatNumber(one.weight)),
        h("td", { class: "number" }, formatPercent(all === 0 ? null : one.weight / all)),
      ),
    ),
  );
}

function answerSection({ pairs, comparedWith }: Answers, version: number): HTMLElement {
  const changed = pairs.filter(hasChanged).length;
  return h(
    "section",
    {},
    h("h2", {}, "Answers"),
    h(
      "p",
      { class: "caption" },
      `${changed} of ${pairs.length} answers to frozen tasks changed. No visitor asked them.`,
    ),
    ...changedFirst(pairs).map((pair) =>
      h(
        "article",
        { class: `answer-pair ${hasChanged(pair) ? "" : "same"}` },
        h("p", { class: "asked" }, pair.before.request),
        h(
          "div",
          { class: "sides" },
          answerSide(`v${comparedWith}`, pair.before),
          answerSide(`v${version}`, pair.after),
        ),
      ),
    ),
  );
}

function answerSide(label: string, { text, calls, success }: Answer): HTMLElement {
  return h(
    "div",
    {},
    h("h3", {}, label, " ", statusChip(success ? "solved" : "failed")),
    ...calls.map((call) => h("p", { class: "mono wrap" }, call)),
    h("p", { class: `wrap ${text === null ? "quiet" : ""}` }, text ?? "no answer"),
  );
}
