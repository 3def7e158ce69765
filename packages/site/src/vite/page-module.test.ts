import { expect, test } from "vitest";
import type { SiteDefinition } from "../site-definition.ts";
import { pageModule } from "./page-module.ts";

const TITLE = { en: "May we keep this?", de: "Dürfen wir das aufheben?" };
const FILES = { tools: null, edgeTools: null, environment: null, reward: null };

/** The texts of the panel in a browser with these languages. */
function panelTexts(definition: Partial<SiteDefinition>, visitor: readonly string[]): unknown {
  const code = pageModule(
    {
      folder: "",
      configFile: "",
      definition: { id: "planner", name: "Planner", prompt: "You plan.", ...definition },
      pageTools: [],
      edgeTools: [],
      start: null,
      environment: null,
      files: FILES,
    },
    {},
  )
    .replace(/^import .*$/m, 'const GERMAN = { panel: { send: "Senden" } };')
    .replace("export const site =", "return");
  // The module has no imports left: what it exports is returned.
  // oxlint-disable-next-line no-implied-eval -- the module under test is text
  const run = new Function("navigator", code) as (navigator: object) => { panelTexts: unknown };
  return run({ languages: visitor }).panelTexts;
}

test.each([
  [["de-AT", "en"], { send: "Senden", consentTitle: TITLE.de }],
  [["fr", "en-GB"], { consentTitle: TITLE.en }],
  [["ja"], { consentTitle: TITLE.en }],
])("a visitor who reads %j gets the consent text in that language", (visitor, texts) => {
  const definition = { consent: { version: "1", title: TITLE }, languages: ["en", "de"] as const };
  expect(panelTexts(definition, visitor)).toEqual(texts);
});

test("a site with one language has one text, and the panel's where it has none", () => {
  expect(panelTexts({ consent: { version: "1", text: "We keep it." } }, ["de"])).toEqual({
    consentBody: "We keep it.",
  });
});
