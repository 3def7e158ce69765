/** Shows collected trajectories with everything that was sent, the consent choice, and "Forget me". */
import type { OutboxEntry } from "@waggle/collector";
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import { setText } from "./set-text.ts";
import { formatBytes } from "./texts.ts";
import type { PanelTexts } from "./texts.ts";

/** The privacy view of the panel. */
export interface PrivacyView {
  readonly element: HTMLElement;
  /** Reads the outbox again. */
  refresh(): Promise<void>;
}

const STATES = { waiting: "Waiting", sent: "Sent", rejected: "Not accepted" } as const;

/** Builds the view. */
export function createPrivacyView(agent: Agent, texts: PanelTexts): PrivacyView {
  const consentState = h("p");
  const agree = h("button", { class: "button primary", type: "button" }, texts.consentAccept);
  const withdraw = h("button", { class: "button", type: "button" }, "Withdraw");
  const summary = h("p");
  const entries = h("ul", { class: "entries" });
  const forget = h("button", { class: "button danger", type: "button" }, "Forget me");
  const confirm = h("button", { class: "button danger", type: "button" }, "Delete everything");
  const cancel = h("button", { class: "button", type: "button" }, "Keep it");
  const question = h("div", { class: "row", hidden: true }, confirm, cancel);
  const outcome = h("p", { role: "status" });
  const rows = new Map<string, { element: HTMLElement; state: string }>();

  const element = h(
    "div",
    { class: "view privacy" },
    h(
      "section",
      {},
      h("h3", {}, "Your choice"),
      consentState,
      h("div", { class: "row" }, agree, withdraw),
    ),
    h("section", {}, h("h3", {}, "What I sent"), summary, entries),
    h(
      "section",
      {},
      h("h3", {}, "Forget me"),
      h(
        "p",
        {},
        "Deletes the data that this site has about you, and everything the assistant keeps in this browser.",
      ),
      h("div", { class: "row" }, forget),
      question,
      outcome,
    ),
  );

  let refreshing = false;
  const refresh = async (): Promise<void> => {
    if (refreshing) return;
    refreshing = true;
    try {
      await read();
    } finally {
      refreshing = false;
    }
  };

  const read = async (): Promise<void> => {
    const granted = agent.consent.get();
    setText(
      consentState,
      granted === null
        ? "You have not agreed. Nothing leaves this page except calls to the site's own tools."
        : `You agreed on ${new Date(granted.grantedAt).toLocaleString()} (text ${granted.version}). Withdrawing stops sending and removes this browser's id. To delete what was already sent, choose "Forget me" before you leave this page.`,
    );
    agree.hidden = granted !== null;
    withdraw.hidden = granted === null;
    const [counts, list] = await Promise.all([agent.outbox(), agent.sent(100)]);
    const storage =
      counts.storage === "ok"
        ? ""
        : counts.storage === "full"
          ? " The browser's storage is full, so new data is not kept."
          : " This browser keeps no data for this page.";
    const damaged =
      counts.damaged === 0 ? "" : ` ${counts.damaged} damaged in this browser and removed.`;
    setText(
      summary,
      counts.waiting + counts.sent + counts.rejected === 0
        ? `Nothing was collected.${storage}`
        : `${counts.sent} sent, ${counts.waiting} waiting, ${counts.rejected} not accepted.${damaged}${storage}`,
    );
    const present = new Set(list.map((entry) => entry.digest));
    for (const [digest, row] of rows) {
      if (present.has(digest)) continue;
      row.element.remove();
      rows.delete(digest);
    }
    for (const [index, entry] of list.entries()) {
      let row = rows.get(entry.digest);
      if (row === undefined || row.state !== entry.state) {
        const fresh = { element: entryRow(agent, entry), state: entry.state };
        row?.element.replaceWith(fresh.element);
        rows.set(entry.digest, fresh);
        row = fresh;
      }
      if (entries.children[index] !== row.element) {
        entries.insertBefore(row.element, entries.children[index] ?? null);
      }
    }
  };

  const ask = (open: boolean): void => {
    question.hidden = !open;
    forget.hidden = open;
    (open ? cancel : forget).focus();
  };
  agree.addEventListener("click", () => {
    agent.consent.grant();
    void refresh();
  });
  withdraw.addEventListener("click", () => {
    agent.consent.withdraw();
    void refresh();
  });
  forget.addEventListener("click", () => ask(true));
  cancel.addEventListener("click", () => ask(false));
  confirm.addEventListener("click", () => {
    confirm.disabled = true;
    setText(outcome, "Deleting.");
    agent
      .forgetMe()
      .then(({ deletedTrajectories, learnedBy }) => {
        const learned =
          learnedBy.length === 0
            ? "No policy has learned from it."
            : `Policies that have learned from it: ${learnedBy.join(", ")}.`;
        setText(
          outcome,
          `Deleted ${deletedTrajectories} ${deletedTrajectories === 1 ? "trajectory" : "trajectories"} at the site and everything in this browser. ${learned}`,
        );
        return refresh();
      })
      .catch(() => {
        setText(
          outcome,
          "The site could not be reached. Nothing more will be sent; please try again when you are online.",
        );
      })
      .finally(() => {
        confirm.disabled = false;
        ask(false);
      });
  });

  return { element, refresh };
}

function entryRow(agent: Agent, entry: OutboxEntry): HTMLElement {
  const body = h("div", { class: "body" });
  const details = h(
    "details",
    { class: "entry", "data-state": entry.state },
    h(
      "summary",
      {},
      h("span", { class: "badge" }, STATES[entry.state]),
      h("span", {}, new Date(entry.enqueuedAt).toLocaleTimeString()),
      h(
        "span",
        { class: "meta" },
        `policy ${entry.policyVersion} · ${formatBytes(entry.sizeBytes)}`,
      ),
    ),
    body,
  );
  details.addEventListener("toggle", () => {
    if (!details.open || body.childElementCount > 0) return;
    void agent.sentDetail(entry.digest).then((detail) => {
      if (entry.reason !== null) {
        body.append(h("p", { class: "note bad" }, `${entry.reason.code}: ${entry.reason.message}`));
      }
      if (detail === null) {
        body.append(h("p", { class: "note" }, "Its content is no longer kept in this browser."));
        return;
      }
      if (detail.text !== null) body.append(h("pre", {}, detail.text));
      body.append(
        h(
          "details",
          {},
          h("summary", {}, "Exactly what is sent"),
          h("pre", { tabindex: "0" }, JSON.stringify(detail.trajectory, null, 1)),
        ),
      );
    });
  });
  return h("li", {}, details);
}
