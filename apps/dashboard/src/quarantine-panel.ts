/** Visitors and networks in quarantine, with the reason and a button that ends it. */
import type { QuarantineResponse } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatAgo, formatCount, shortId } from "./format.ts";
import { reasonText } from "./reason-text.ts";
import { ACTIONS, rowsTable } from "./rows-table.ts";

type Sender = QuarantineResponse["senders"][number];

const COLUMNS = [
  "Sender",
  "Last reason",
  { label: "Verified", class: "number" },
  { label: "Forged", class: "number" },
  { label: "Dropped", class: "number roomy" },
  { label: "Last record", class: "roomy" },
  ACTIONS,
] as const;

function textOf({ kind, reason }: Sender): string {
  const last = reason === null ? "unknown" : reasonText(reason);
  return kind === "network" ? `${last} (new visitors wait)` : last;
}

/**
 * The table of those in quarantine.
 * @param release - called with the id of a sender whose quarantine is to end.
 */
export function quarantinePanel(
  { senders }: QuarantineResponse,
  now: number,
  release: (id: string) => void,
): HTMLElement {
  if (senders.length === 0) return h("p", { class: "empty" }, "Nobody is in quarantine.");
  const number = (count: number, kind = "number") => h("td", { class: kind }, formatCount(count));
  const rows = senders.map((sender) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        `${sender.kind} `,
        h("span", { class: "mono" }, shortId(sender.id)),
      ),
      h("td", {}, textOf(sender)),
      number(sender.verified),
      number(sender.forged),
      number(sender.dropped, "number roomy"),
      h("td", { class: "quiet nowrap roomy" }, `${formatAgo(sender.changedAt, now)} ago`),
      h(
        "td",
        { class: "actions" },
        h("button", { type: "button", click: () => release(sender.id) }, "Release"),
      ),
    ),
  );
  return rowsTable(COLUMNS, h("tbody", {}, ...rows));
}
