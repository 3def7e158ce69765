/** The question of a tool that may run only if the visitor allows it. */
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { setText } from "./set-text.ts";

/** The card of the open question; hidden while there is none. */
export type QuestionCard = { readonly element: HTMLElement; readonly update: () => void };

/** Builds the card. */
export function createQuestionCard(agent: Agent, texts: PanelTexts): QuestionCard {
  const text = h("p");
  const answer = (isAllowed: boolean) => (): void => agent.confirmation?.answer(isAllowed);
  const deny = h(
    "button",
    { class: "button", type: "button", click: answer(false) },
    texts.dontAllow,
  );
  const allow = h(
    "button",
    { class: "button primary", type: "button", click: answer(true) },
    texts.allow,
  );
  const element = h(
    "section",
    { class: "question", role: "alertdialog", "aria-label": texts.assistant, hidden: true },
    text,
    h("div", { class: "row" }, allow, deny),
  );
  let shown: string | null = null;
  return {
    element,
    update() {
      const { confirmation } = agent;
      element.hidden = confirmation === null;
      setText(text, confirmation?.question ?? "");
      // Declining is the safe choice for someone who presses Enter without reading.
      if (confirmation !== null && confirmation.id !== shown) deny.focus();
      shown = confirmation?.id ?? null;
    },
  };
}
