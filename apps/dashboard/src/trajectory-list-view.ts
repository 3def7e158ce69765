/** The list of trajectories, newest first. Its filters are kept in the address. */
import { reasonText } from "./reason-text.ts";
import type { TrajectoriesResponse, TrajectoryRow } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatAgo, formatNumber, formatSigned, shortId } from "./format.ts";
import type { TrajectoryQuery } from "./operator-api.ts";
import {
  describeError,
  placeholder,
  poll,
  statusChip,
  type View,
  type ViewContext,
} from "./view.ts";
import { rowsTable } from "./rows-table.ts";

const PAGE = 50;

const FILTERS: readonly { name: string; label: string; choices: readonly [string, string][] }[] = [
  {
    name: "status",
    label: "Status",
    choices: [
      ["", "any"],
      ["waiting", "waiting"],
      ["leased", "leased"],
      ["learned", "learned"],
      ["skipped", "skipped"],
      ["rejected", "rejected"],
    ],
  },
  {
    name: "success",
    label: "Outcome",
    choices: [
      ["", "any"],
      ["true", "solved"],
      ["false", "unsolved"],
    ],
  },
];

function outcomeMark(row: TrajectoryRow): string {
  if (row.success === null) return "";
  return row.success ? "✓ " : "✗ ";
}

function rowElement(row: TrajectoryRow, now: number): HTMLElement {
  const task = row.task === null ? "live request" : `${row.task.environment} ${row.task.seed}`;
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#/trajectories/${row.digest}`, class: "mono" }, shortId(row.digest)),
    ),
    h(
      "td",
      { class: "quiet nowrap roomy" },
      h("time", { datetime: row.receivedAt }, formatAgo(row.receivedAt, now)),
    ),
    h("td", {}, `v${row.policyVersion}`),
    h("td", { class: "roomy" }, task),
    h(
      "td",
      {},
      statusChip(row.status),
      row.reason === null
        ? ""
        : h("span", { class: "reason", title: row.reason }, reasonText(row.reason)),
    ),
    h(
      "td",
      { class: `number ${row.success === null ? "" : row.success ? "good-text" : "bad-text"}` },
      outcomeMark(row),
      formatNumber(row.reward),
    ),
    h("td", { class: "number" }, formatSigned(row.advantage)),
    h("td", { class: "number roomy" }, String(row.tokens)),
    h("td", { class: "number roomy" }, formatNumber(row.logProbGapMean, 2)),
    h("td", { class: "number roomy" }, row.staleness === null ? "–" : String(row.staleness)),
    h("td", { class: "roomy quiet" }, row.stopReason),
  );
}

const COLUMNS = [
  "Id",
  { label: "Age", class: "roomy" },
  "Policy",
  { label: "Task", class: "roomy" },
  "Status",
  { label: "Reward", class: "number" },
  { label: "Adv.", class: "number" },
  { label: "Tokens", class: "number roomy" },
  { label: "Gap", class: "number roomy" },
  { label: "Stale", class: "number roomy" },
  { label: "Ended by", class: "roomy" },
] as const;

/** Form of the filters. A change updates the address, which opens a new view. */
function filterForm(query: URLSearchParams): HTMLElement {
  const go = (form: HTMLFormElement) => {
    const next = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === "string" && value.trim() !== "") next.set(name, value.trim());
    }
    location.hash = `#/trajectories${next.size === 0 ? "" : `?${next}`}`;
  };
  const form = h(
    "form",
    {
      class: "filters",
      change: () => go(form),
      submit: (event) => {
        event.preventDefault();
        go(form);
      },
    },
    ...FILTERS.map(({ name, label, choices }) =>
      h(
        "label",
        {},
        label,
        h(
          "select",
          { name },
          ...choices.map(([value, text]) =>
            h("option", { value, selected: query.get(name) === value }, text),
          ),
        ),
      ),
    ),
    h(
      "label",
      {},
      "Policy",
      h("input", {
        name: "version",
        inputmode: "numeric",
        pattern: "[0-9]*",
        placeholder: "any",
        size: 5,
        value: query.get("version") ?? "",
      }),
    ),
    h(
      "label",
      {},
      "Reason",
      h("input", {
        name: "reason",
        placeholder: "any",
        size: 14,
        value: query.get("reason") ?? "",
      }),
    ),
    h("a", { href: "#/trajectories", class: "button" }, "Clear"),
  );
  return form;
}

/** Creates the Trajectories page. */
export function createTrajectoryList(context: ViewContext, search: URLSearchParams): View {
  const query: TrajectoryQuery = {
    status: search.get("status") ?? undefined,
    success: search.get("success") ?? undefined,
    version: search.get("version") ?? undefined,
    reason: search.get("reason") ?? undefined,
    limit: PAGE,
  };
  const tbody = h("tbody", {});
  const notice = h("div", {});
  const empty = h("p", { class: "empty", hidden: true }, "No trajectory matches these filters.");
  const table = rowsTable(COLUMNS, tbody);
  const more = h(
    "button",
    { type: "button", hidden: true, click: () => void loadMore() },
    "Show older",
  );
  const element = h(
    "div",
    {},
    h("header", { class: "page-head" }, h("h1", {}, "Trajectories"), filterForm(search)),
    notice,
    h("section", { class: "panel flush" }, table, empty),
    h("p", { class: "more" }, more),
  );

  /** Rows after the first page; only the first page is polled. */
  let older: TrajectoryRow[] = [];
  let newest: TrajectoriesResponse | null = null;
  let cursor: string | null = null;

  function show(): void {
    const now = Date.now();
    const first = newest?.rows ?? [];
    const known = new Set(first.map((row) => row.digest));
    const rows = [...first, ...older.filter((row) => !known.has(row.digest))];
    const focused = document.activeElement?.getAttribute("href");
    tbody.replaceChildren(...rows.map((row) => rowElement(row, now)));
    if (focused) tbody.querySelector<HTMLElement>(`[href="${CSS.escape(focused)}"]`)?.focus();
    empty.hidden = rows.length > 0;
    table.hidden = rows.length === 0;
    more.hidden = cursor === null;
  }

  async function loadMore(): Promise<void> {
    if (cursor === null) return;
    more.disabled = true;
    try {
      const page = await context.api.trajectories({ ...query, cursor });
      // Copy the first page, so that rows it later drops are not lost between the two.
      if (older.length === 0) older = [...(newest?.rows ?? [])];
      older.push(...page.rows);
      cursor = page.nextCursor;
      show();
    } catch (error) {
      notice.replaceChildren(h("p", { class: "notice bad", role: "alert" }, describeError(error)));
    } finally {
      more.disabled = false;
    }
  }

  const poller = poll<TrajectoriesResponse>(
    context,
    () => context.api.trajectories(query),
    (state) => {
      notice.replaceChildren(...(state.data === null ? [placeholder(state)] : []));
      if (state.data === null || state.error !== null) return;
      newest = state.data;
      if (older.length === 0) cursor = newest.nextCursor;
      show();
    },
  );
  table.hidden = true;
  return { element, title: "Trajectories", dispose: () => poller.stop() };
}
