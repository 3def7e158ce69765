/** What the site stores of this visitor, and a button that saves all of it as one file of JSON lines. */
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { saveAs } from "./save-as.ts";
import { setText } from "./set-text.ts";

/** The part of the privacy view that reads from the edge. */
export type StoredView = {
  readonly element: HTMLElement;
  /** @param sent - entries sent so far; `null`: there is nothing to read. Reads again only after this changed. */
  update(sent: number | null): Promise<void>;
};

/** Builds the view. */
export function createStoredView(
  agent: Pick<Agent, "stored" | "receipts">,
  texts: PanelTexts,
): StoredView {
  const said = h("p");
  const save = h("button", { class: "button", type: "button" }, texts.saveStored);
  const element = h("div", { class: "stored", hidden: true }, said, save);
  let read: number | null = null;

  const saveAll = async (): Promise<void> => {
    let page = await agent.stored();
    let text = page.text;
    while (page.next !== null) {
      page = await agent.stored(page.next);
      text += page.text;
    }
    // This browser's own copies, whatever the site keeps.
    for (const receipt of await agent.receipts()) {
      text += `${JSON.stringify({ kind: "kept-receipt", receipt })}\n`;
    }
    saveAs("stored.jsonl", text, "application/x-ndjson");
  };
  save.addEventListener("click", () => {
    save.disabled = true;
    saveAll()
      .catch(() => setText(said, texts.storedUnknown))
      .finally(() => {
        save.disabled = false;
      });
  });

  return {
    element,
    async update(sent) {
      element.hidden = sent === null;
      if (sent === read) return;
      read = sent;
      if (sent === null) return;
      const counts = await agent.stored().then(
        (page) => page.counts,
        () => null,
      );
      // It is read again at the next update.
      if (counts === null) read = null;
      setText(said, counts === null ? texts.storedUnknown : texts.stored(counts));
    },
  };
}
