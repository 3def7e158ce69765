/** The uses that a visitor can agree to one by one. Pages load it only if their site offers choices. */
import type { Consent } from "@waggle/protocol";
import { h } from "../dom.ts";
import type { PanelTexts } from "./panel-texts.ts";

/** Two boxes below the question whether data may be kept. */
export type ConsentChoices = {
  readonly element: HTMLElement;
  /** What is agreed to if the visitor agrees now. */
  scopes(): Consent["scopes"];
  /** Shows the consent in force. */
  show(consent: Consent | null): void;
};

/** Builds the boxes. None is ticked before the visitor does so. */
export function createConsentChoices(texts: PanelTexts): ConsentChoices {
  const train = h("input", { type: "checkbox" });
  const feedback = h("input", { type: "checkbox" });
  return {
    element: h(
      "div",
      { class: "choices" },
      h("label", {}, train, texts.consentTrain),
      h("label", {}, feedback, texts.consentFeedback),
    ),
    scopes: () => [
      "collect",
      ...(train.checked ? (["train"] as const) : []),
      ...(feedback.checked ? (["feedback"] as const) : []),
    ],
    show(consent) {
      train.checked = consent?.scopes.includes("train") ?? false;
      feedback.checked = consent?.scopes.includes("feedback") ?? false;
    },
  };
}
