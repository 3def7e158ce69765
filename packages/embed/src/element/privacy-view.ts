/** Lists collected trajectories, with the consent choice and "Forget me". `sent-detail.ts` shows one of them. */
import type { OutboxEntry } from "@waggle/collector";
import type { Consent } from "@waggle/protocol";
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import { createConsentChoices } from "./consent-choices.ts";
import { consentText } from "./consent-text.ts";
import { setText } from "./set-text.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { createStoredView } from "./stored-view.ts";

/** The privacy view of the panel. */
export interface PrivacyView {
  readonly element: HTMLElement;
  /** Reads the outbox again. */
  refresh(): Promise<void>;
}

/** Builds the view. */
export function createPrivacyView(
  agent: Agent,
  texts: PanelTexts,
  isForDeveloper: boolean,
): PrivacyView {
  const consentState = h("p");
  // What the button "Agree" agrees to.
  const asked = h("p", {}, texts.consentTitle, h("br"), texts.consentBody);
  const receiptState = h("p", { class: "receipt" });
  const agree = h("button", { class: "button primary", type: "button" }, texts.consentAccept);
  const withdraw = h("button", { class: "button", type: "button" }, texts.withdraw);
  const choices = agent.consent.hasChoices ? createConsentChoices(texts) : null;
  let shownConsent: Consent | null = null;
  const summary = h("p");
  const stored = createStoredView(agent, texts);
  const entries = h("ul", { class: "entries" });
  const forget = h("button", { class: "button danger", type: "button" }, texts.forgetMe);
  const confirm = h("button", { class: "button danger", type: "button" }, texts.deleteEverything);
  const cancel = h("button", { class: "button", type: "button" }, texts.keepIt);
  const question = h("div", { class: "row", hidden: true }, confirm, cancel);
  const outcome = h("p", { role: "status" });
  const rows = new Map<string, { element: HTMLElement; state: string }>();

  const element = h(
    "div",
    { class: "view privacy" },
    h(
      "section",
      {},
      h("h3", {}, texts.yourChoice),
      consentState,
      receiptState,
      asked,
      choices?.element ?? null,
      h("div", { class: "row" }, agree, withdraw),
    ),
    h("section", {}, h("h3", {}, texts.whatISent), summary, stored.element, entries),
    h(
      "section",
      {},
      h("h3", {}, texts.forgetMe),
      h("p", {}, texts.forgetExplained),
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
        ? texts.notAgreed + (agent.consent.isWithdrawing ? ` ${texts.withdrawing}` : "")
        : texts.agreed(new Date(granted.grantedAt).toLocaleString(), granted.version),
    );
    const receipts = granted === null ? [] : await agent.receipts();
    const receipt = receipts.findLast(({ consent }) => consent.grantedAt === granted?.grantedAt);
    receiptState.hidden = granted === null;
    setText(
      receiptState,
      receipt === undefined
        ? texts.noReceipt
        : texts.receipt(new Date(receipt.recordedAt).toLocaleString()),
    );
    asked.hidden = granted !== null && choices === null;
    // A refresh must not undo what the visitor has ticked since.
    if (granted?.grantedAt !== shownConsent?.grantedAt) choices?.show(granted);
    shownConsent = granted;
    agree.hidden = granted !== null && choices === null;
    setText(agree, granted === null ? texts.consentAccept : texts.saveChoice);
    withdraw.hidden = granted === null;
    const [counts, list] = await Promise.all([agent.outbox(), agent.sent(100)]);
    // Without a sent entry or a receipt there is no visitor at the edge whose data could be read.
    const isKnown = counts.sent > 0 || receipt !== undefined;
    void stored.update(granted !== null && isKnown ? counts.sent : null);
    const problem = { ok: "", full: texts.storageFull, unavailable: texts.storageMissing };
    const isEmpty = counts.waiting + counts.sent + counts.rejected === 0;
    const collected = isEmpty ? texts.nothingCollected : texts.collected(counts);
    setText(summary, [collected, problem[counts.storage]].filter(Boolean).join(" "));
    const present = new Set(list.map((entry) => entry.digest));
    for (const [digest, row] of rows) {
      if (present.has(digest)) continue;
      row.element.remove();
      rows.delete(digest);
    }
    for (const [index, entry] of list.entries()) {
      let row = rows.get(entry.digest);
      if (row === undefined || row.state !== entry.state) {
        const fresh = {
          element: entryRow(agent, entry, { texts, isForDeveloper }),
          state: entry.state,
        };
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
    agent.consent.grant(choices?.scopes(), consentText(texts, agent.consent));
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
    setText(outcome, texts.deleting);
    agent
      .forgetMe()
      .then(({ deletedTrajectories, learnedBy }) => {
        setText(outcome, texts.deleted(deletedTrajectories, learnedBy));
        return refresh();
      })
      .catch(() => {
        setText(outcome, texts.notDeleted);
      })
      .finally(() => {
        confirm.disabled = false;
        ask(false);
      });
  });

  return { element, refresh };
}

function entryRow(
  agent: Agent,
  entry: OutboxEntry,
  { texts, isForDeveloper }: { readonly texts: PanelTexts; readonly isForDeveloper: boolean },
): HTMLElement {
  const body = h("div", { class: "body" });
  const details = h(
    "details",
    { class: "entry", "data-state": entry.state },
    h(
      "summary",
      {},
      h("span", { class: "badge" }, texts[entry.state]),
      h("span", {}, new Date(entry.enqueuedAt).toLocaleTimeString()),
      h(
        "span",
        { class: "meta" },
        (isForDeveloper ? `policy ${entry.policyVersion} · ` : "") + texts.size(entry.sizeBytes),
      ),
    ),
    body,
  );
  let isShown = false;
  const show = async (): Promise<void> => {
    // Few visitors open an entry, so a page loads the code for it then.
    const { createSentDetail } = await import("./sent-detail.ts");
    const detail = await agent.sentDetail(entry.digest);
    body.replaceChildren(createSentDetail(entry, detail, { texts, isForDeveloper }));
  };
  details.addEventListener("toggle", () => {
    if (!details.open || isShown) return;
    isShown = true;
    show().catch(() => {
      isShown = false;
      body.replaceChildren(h("p", { class: "note" }, texts.notShown));
    });
  });
  return h("li", {}, details);
}
