import { expect, test } from "vitest";
import { DEFAULT_TEXTS } from "../../packages/embed/src/element/panel-texts.ts";
import { PANEL_TEXTS } from "../../packages/site/src/panel-text.ts";

test("a config can replace every text of the panel that has no values in it", () => {
  const plain = Object.entries(DEFAULT_TEXTS).filter(([, text]) => typeof text === "string");
  const names = plain.map(([name]) => name);
  // The language of the texts is no text.
  expect([...PANEL_TEXTS, "consentTitle", "consentBody", "language"].toSorted()).toEqual(
    names.toSorted(),
  );
});
