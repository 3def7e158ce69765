/** Trajectories that could not be processed, with buttons to retry or delete them. */
import type { DeadLetter, DeadLettersResponse } from "@waggle/protocol";
import { confirmDeletion } from "./confirm-deletion.ts";
import { h } from "@waggle/embed/dom";
import { formatAgo, formatBytes, shortId } from "./format.ts";
import { describeError, placeholder, poll, type View, type ViewContext } from "./view.ts";
import { ACTIONS, rowsTable } from "./rows-table.ts";

/** A short explanation of each reason. */
const MEANINGS: { readonly [reason: string]: string } = {
  "lease-failed": "no trainer finished a lease of it",
  "check-failed": "its check threw an exception",
  "check-crashed": "its check crashed the trainer",
  unreadable: "the trainer cannot read it",
  "object-missing": "its object is missing",
  "object-damaged": "its object has other content",
  "object-unreadable": "its object cannot be read",
  "object-too-large": "its object exceeds the upload limit",
  "schema-unsupported": "it was written under another schema version",
  "schema-invalid": "it violates the present schema",
};

type Decide = (verb: "retry" | "delete", letter: DeadLetter) => void;

function letterRow(letter: DeadLetter, now: number, decide: Decide): HTMLElement {
  const action = (verb: "retry" | "delete", label: string) =>
    h("button", { type: "button", click: () => decide(verb, letter) }, label);
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#/trajectories/${letter.digest}`, class: "mono" }, shortId(letter.digest)),
    ),
    h("td", {}, letter.reason, h("span", { class: "reason roomy" }, MEANINGS[letter.reason] ?? "")),
    h("td", { class: "number" }, String(letter.failedLeases)),
    h("td", { class: "quiet nowrap" }, `${formatAgo(letter.diedAt, now)} ago`),
    h("td", { class: "quiet nowrap roomy" }, `${formatAgo(letter.receivedAt, now)} ago`),
    h("td", { class: "number roomy" }, formatBytes(letter.sizeBytes)),
    h("td", { class: "actions" }, action("retry", "Retry"), action("delete", "Delete")),
  );
}

const COLUMNS = [
  "Id",
  "Reason",
  { label: "Failed leases", class: "number" },
  "Given up",
  { label: "Received", class: "roomy" },
  { label: "Size", class: "number roomy" },
  ACTIONS,
] as const;

/** Creates the Dead letters page. */
export function createDeadLetters(context: ViewContext): View {
  const notice = h("div", { "aria-live": "polite" });
  const tbody = h("tbody", {});
  const table = rowsTable(COLUMNS, tbody);
  const empty = h("p", { class: "empty" }, "All trajectories were processed.");
  const more = h("p", { class: "more", hidden: true }, "More letters appear when these are gone.");
  const panel = h("section", { class: "panel flush", hidden: true }, table, empty);
  const element = h(
    "div",
    {},
    h("header", { class: "page-head" }, h("h1", {}, "Dead letters")),
    notice,
    panel,
    more,
  );

  async function decide(verb: "retry" | "delete", letter: DeadLetter): Promise<void> {
    const question = `Delete ${shortId(letter.digest)}? Its content cannot be restored.`;
    if (verb === "delete" && !(await confirmDeletion(question))) return;
    try {
      if (verb === "retry") await context.api.retryDeadLetter(letter.digest);
      else await context.api.deleteDeadLetter(letter.digest);
      notice.replaceChildren();
      await poller.refresh();
    } catch (error) {
      notice.replaceChildren(h("p", { class: "notice bad", role: "alert" }, describeError(error)));
    }
  }

  let shown = "";
  const poller = poll<DeadLettersResponse>(
    context,
    () => context.api.deadLetters(),
    (state) => {
      if (state.data === null) notice.replaceChildren(placeholder(state));
      else if (panel.hidden) notice.replaceChildren();
      panel.hidden = state.data === null;
      if (state.data === null) return;
      const { rows, nextCursor } = state.data;
      const text = JSON.stringify(state.data);
      if (text === shown) return;
      shown = text;
      const now = Date.now();
      tbody.replaceChildren(
        ...rows.map((row) => letterRow(row, now, (verb, letter) => void decide(verb, letter))),
      );
      empty.hidden = rows.length > 0;
      table.hidden = rows.length === 0;
      more.hidden = nextCursor === null;
    },
  );
  return { element, title: "Dead letters", dispose: () => poller.stop() };
}
