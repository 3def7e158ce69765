/** The audit log: actor, time, decision and reason. And the logins of operators. */
import type { AuditEntry, OperatorLogin } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatAgo } from "./format.ts";
import { rowsTable } from "./rows-table.ts";

const LABELS: { readonly [action: string]: string } = {
  publish: "published to the canary channel",
  promote: "promoted",
  "roll-back": "rolled back",
  sign: "signed",
  "set-share": "changed the share of visitors",
  freeze: "froze promotions",
  unfreeze: "lifted the freeze",
  "kill-switch-on": "switched pages off",
  "kill-switch-off": "switched pages on",
  "stop-signal": "stopped learning from a signal",
  "start-signal": "started learning from a signal",
  "delete-visitor": "deleted a visitor",
  "export-visitor": "exported a visitor",
  "write-answer": "wrote what an answer should have been",
  "write-comment": "commented on a trajectory",
  "retry-dead-letter": "retried a dead letter",
  "release-sender": "ended a quarantine",
  "delete-dead-letter": "deleted a dead letter",
  "delete-unfinished-object": "deleted an unfinished upload",
  repair: "repaired what was stored",
  "back-up": "backed the site up",
  restore: "restored a backup",
  "create-site": "created the site",
  "change-site": "changed settings",
  "disable-site": "disabled the site",
  "enable-site": "enabled the site",
  "rotate-credential": "replaced a credential",
};

function timeCell(at: string, now: number): HTMLElement {
  const time = h("time", { datetime: at, title: at }, `${formatAgo(at, now)} ago`);
  return h("td", { class: "quiet nowrap" }, time);
}

function auditRow({ at, by, action, version, reason }: AuditEntry, now: number): HTMLElement {
  return h(
    "tr",
    {},
    timeCell(at, now),
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

/** Builds the table of logins. @param now - for relative times, in milliseconds */
export function loginTable(logins: readonly OperatorLogin[], now: number): HTMLElement {
  if (logins.length === 0) return h("p", { class: "empty" }, "No logins yet.");
  const rows = logins.map(({ by, network, firstAt, lastAt }) =>
    h(
      "tr",
      {},
      timeCell(lastAt, now),
      h("th", { scope: "row" }, by),
      h("td", { class: "mono" }, network),
      timeCell(firstAt, now),
    ),
  );
  return rowsTable(["Last", "Who", "Network", "First"], h("tbody", {}, ...rows));
}
