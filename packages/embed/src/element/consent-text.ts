/** What a visitor reads before agreeing, as one text for the receipt. */
import type { ConsentStore, ShownText } from "@waggle/collector";
import type { PanelTexts } from "./panel-texts.ts";

/** Title, explanation and, if the site offers choices, their labels, each on a line of its own. */
export function consentText(
  { consentTitle, consentBody, consentTrain, consentFeedback, language }: PanelTexts,
  { hasChoices }: Pick<ConsentStore, "hasChoices">,
): ShownText {
  const choices = hasChoices ? [consentTrain, consentFeedback] : [];
  return { text: [consentTitle, consentBody, ...choices].join("\n"), language };
}
