/**
 * The question whether data may be collected. It shows its whole text above an empty conversation, and one line with
 * the two buttons beside answers, so that it never hides an answer.
 */
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import type { PanelTexts } from "./panel-texts.ts";

/** The card of the consent question. */
export type ConsentCard = {
  readonly element: HTMLElement;
  /** Folds the text when answers need the room. The visitor can unfold it. */
  readonly setBrief: (isBrief: boolean) => void;
};

/** Builds the card. @param onDecided - called after a click on one of the buttons */
export function createConsentCard(
  agent: Agent,
  texts: PanelTexts,
  onDecided: () => void,
): ConsentCard {
  const decide = (choice: () => void) => (): void => {
    choice();
    onDecided();
  };
  const accept = h(
    "button",
    { class: "button primary", type: "button", click: decide(() => void agent.consent.grant()) },
    texts.consentAccept,
  );
  const decline = h(
    "button",
    { class: "button", type: "button", click: decide(() => agent.consent.withdraw()) },
    texts.consentDecline,
  );
  const more = h(
    "details",
    { open: true },
    h("summary", {}, texts.consentMore),
    h("p", {}, texts.consentBody),
  );
  let wasBrief = false;
  return {
    element: h(
      "section",
      { class: "consent", "aria-label": texts.consentTitle },
      h("h3", {}, texts.consentTitle),
      more,
      h("div", { class: "row" }, accept, decline),
    ),
    setBrief(isBrief) {
      if (isBrief === wasBrief) return;
      wasBrief = isBrief;
      more.open = !isBrief;
    },
  };
}
