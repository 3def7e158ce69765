/** The audit log: actor, time, decision and reason. */
import type { AuditEntry } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatAgo } from "./format.ts";
import { rowsTable } from "./rows-table.ts";

const LABELS: { readonly [action: string]: string } = {
  publish: "published to the canary channel",
  promote: "promoted",
  "roll-back": "rolled back",
  freeze: "froze promotions",
  unfreeze: "lifted the freeze",
  "kill-switch-on": "switched pages off",
  "kill-switch-off": "switched pages on",
  "delete-visitor": "deleted a visitor",
  "export-visitor": "exported a visitor",
  "retry-dead-letter": "retried a dead letter",
  "delete-dead-letter": "deleted a dead letter",
  "delete-unfinished-object": "deleted an unfinished upload",
};

function auditRow({ at, by, action, version, reason }: AuditEntry, now: number): HTMLElement {
  return h(
    "tr",
    {},
    h(
      "td",
      { class: "quiet nowrap" },
      h("time", { datetime: at, title: at }, `${formatAgo(at, now)} ago`),
    ),
    h("th", { scope: "row" }, by),
    h("td", {}, LABELS[action] ?? action),
    h("td", {}, version === null ? "" : `v${version}`),
    h("td", { class: "wrap" }, reason),
  );
}

/** Builds the table. @param now - for relative times, in milliseconds */
export function auditTable(entries: readonly AuditEntry[], now: number): HTMLElement {
  if (entries.length === 0) return h("p", { class: "empty" }, "No entries yet.");
  const body = h("tbody", {}, ...entries.map((entry) => auditRow(entry, now)));
  return rowsTable(["When", "Who", "What", "Version", "Reason"], body);
}
