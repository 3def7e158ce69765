/** Overview panels: trajectories without effect on training, and whether a trainer runs. */
import type { OperatorHealth, OperatorSummary } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount } from "./format.ts";
import { reasonText } from "./reason-text.ts";
import { trainerStatus } from "./trainer-status.ts";

const OPERATIONS: { readonly [operationId: string]: string } = {
  uploadTrajectories: "upload",
  createSession: "session",
  createAssignment: "task",
  giveFeedback: "feedback",
  reportOutcome: "outcome",
  deleteVisitor: "deletion",
  getPolicy: "policy",
};

type Bar = { readonly label: string; readonly count: number; readonly href?: string };

/** Labeled counts as bars, or the sentence `empty` if there are none. */
export function bars(rows: readonly Bar[], empty: string): HTMLElement {
  if (rows.length === 0) return h("p", { class: "empty" }, empty);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return h(
    "ul",
    { class: "bars" },
    ...rows.map(({ label, count, href }) =>
      h(
        "li",
        {},
        h(
          "a",
          { ...(href === undefined ? {} : { href }), style: `--share:${count / most}` },
          h("span", {}, label),
          h("b", {}, formatCount(count)),
        ),
      ),
    ),
  );
}

function trainerPanel(health: OperatorHealth): HTMLElement {
  const { isRunning, detail } = trainerStatus(health);
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Trainer"),
    h("p", { class: `chip ${isRunning ? "good" : "bad"}` }, isRunning ? "running" : "not running"),
    h("p", { class: "empty" }, detail),
  );
}

function refusalPanel({ refusals, days }: OperatorHealth): HTMLElement {
  const rows = refusals.map(({ operation, reason, count }) => ({
    label: `${OPERATIONS[operation] ?? operation}: ${reason}`,
    count,
  }));
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Refused by the edge"),
    bars(rows, `Nothing was refused in the last ${days} days.`),
  );
}

function skippedPanel({ skippedByReason = [] }: OperatorSummary): HTMLElement {
  const live = skippedByReason.find(({ reason }) => reason === "no-verifier")?.count ?? 0;
  const rows = skippedByReason.map(({ reason, count }) => ({
    label: reasonText(reason),
    count,
    href: `#/trajectories?status=skipped&reason=${encodeURIComponent(reason)}`,
  }));
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Stored, but not learned from"),
    bars(rows, "Nothing was skipped."),
    live === 0
      ? null
      : h(
          "p",
          { class: "empty" },
          `Visitors' own requests: ${formatCount(live)}. They have no verifier, so they are stored but not used for training.`,
        ),
  );
}

/** The second row of the overview. An edge of the previous release has no health data. */
export function healthPanels(
  summary: OperatorSummary,
  health: OperatorHealth | null,
): HTMLElement[] {
  return [
    skippedPanel(summary),
    ...(health === null ? [] : [refusalPanel(health), trainerPanel(health)]),
  ];
}
