/**
 * The question whether data may be collected. A long text is folded, so that the card leaves room for answers until the
 * visitor decides.
 */
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import type { ConsentChoices } from "./consent-choices.ts";
import { consentText } from "./consent-text.ts";
import type { PanelTexts } from "./panel-texts.ts";

/** Most characters of a text that is not folded, about six lines of a panel. */
const SHORT = 300;

/** Builds the card. @param onDecided - called after a click on one of the buttons */
export function createConsentCard(
  agent: Agent,
  texts: PanelTexts,
  onDecided: () => void,
): HTMLElement {
  const decide = (choice: () => void) => (): void => {
    choice();
    onDecided();
  };
  let choices: ConsentChoices | null = null;
  const accept = h(
    "button",
    {
      class: "button primary",
      type: "button",
      click: decide(
        () => void agent.consent.grant(choices?.scopes(), consentText(texts, agent.consent)),
      ),
    },
    texts.consentAccept,
  );
  const decline = h(
    "button",
    { class: "button", type: "button", click: decide(() => agent.consent.withdraw()) },
    texts.consentDecline,
  );
  const text = h("p", {}, texts.consentBody);
  const isShort = texts.consentBody.length <= SHORT;
  const row = h("div", { class: "row" }, accept, decline);
  if (agent.consent.hasChoices) {
    // Nobody can agree before the choices are shown.
    accept.disabled = true;
    import("./consent-choices.ts")
      .then(({ createConsentChoices }) => {
        choices = createConsentChoices(texts);
        row.before(choices.element);
        accept.disabled = false;
      })
      .catch(() => row.before(h("p", { role: "alert" }, texts.notShown)));
  }
  return h(
    "section",
    { class: "consent", "aria-label": texts.consentTitle },
    h("h3", {}, texts.consentTitle),
    isShort ? text : h("details", {}, h("summary", {}, texts.consentMore), text),
    row,
  );
}
