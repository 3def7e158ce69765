import { expect, test } from "vitest";
import type { SiteDefinition } from "../site-definition.ts";
import { visitorModule } from "./visitor-module.ts";

const TITLE = { en: "May we keep this?", de: "Dürfen wir das aufheben?" };
/** The module's values in a browser with these languages. */
function visitorOf(
  definition: Partial<SiteDefinition>,
  languages: readonly string[],
): { [name: string]: unknown } {
  const code = visitorModule(definition)
    .replace(/^import .*$/m, 'const GERMAN = { panel: { send: "Senden" } };')
    .replace("export const visitor =", "return");
  // The module has no imports left: what it exports is returned.
  // oxlint-disable-next-line no-implied-eval -- the module under test is text
  const run = new Function("navigator", code) as (navigator: object) => { [name: string]: unknown };
  return run({ languages });
}

test.each([
  [["de-AT", "en"], { send: "Senden", consentTitle: TITLE.de }],
  [["fr", "en-GB"], { consentTitle: TITLE.en }],
  [["ja"], { consentTitle: TITLE.en }],
])("a visitor who reads %j gets the consent text in that language", (visitor, texts) => {
  const definition = { consent: { version: "1", title: TITLE }, languages: ["en", "de"] as const };
  const { panelTexts, language } = visitorOf(definition, visitor);
  expect(panelTexts).toEqual(texts);
  expect(language).toBe("send" in texts ? "de" : "en");
});

test("a site with one language has one text, and the panel's where it has none", () => {
  const definition = { consent: { version: "3", text: "We keep it." } };
  expect(visitorOf(definition, ["de"])).toEqual({
    consent: { version: "3" },
    language: "en",
    redactionRules: [],
    panelTexts: { consentBody: "We keep it." },
    suggestions: [],
  });
});

test("a page sends the texts that its site shares, and no others", () => {
  const consent = { version: "3", text: "We keep it.", choices: true };
  const shared = { ...consent, shareCorrections: true, shareMessages: false };
  expect(visitorOf({ consent: shared }, ["en"])).toMatchObject({
    consent: { version: "3", choices: true },
    shareCorrections: true,
  });
  for (const [given, names] of [
    [shared, ["consent", "shareCorrections"]],
    [{ ...consent, shareMessages: true }, ["consent", "shareMessages"]],
    [consent, ["consent"]],
  ] as const) {
    const of = Object.keys(visitorOf({ consent: given }, ["en"]));
    expect(of.filter((name) => name === "consent" || name.startsWith("share"))).toEqual(names);
  }
});

test("the rules of redaction are expressions", () => {
  const redaction = [{ type: "BAG", pattern: /BX-\d+/i }];
  expect(visitorOf({ redaction }, ["en"])).toEqual({
    language: "en",
    redactionRules: redaction,
    panelTexts: {},
    suggestions: [],
  });
});

test("the panel gets the site's own texts and suggestions in the visitor's language", () => {
  const definition = {
    panel: {
      texts: { title: { en: "Planner", de: "Planer" }, send: { en: "Go", de: "Los" } },
      suggestions: { en: ["Move it."], de: ["Verschieb es."] },
    },
    languages: ["en", "de"] as const,
  };
  expect(visitorOf(definition, ["de"])).toMatchObject({
    panelTexts: { title: "Planer", send: "Los" },
    suggestions: ["Verschieb es."],
  });
  expect(visitorOf(definition, ["ja"])).toMatchObject({
    panelTexts: { title: "Planner", send: "Go" },
    suggestions: ["Move it."],
  });
  const one = { panel: { texts: { title: "Planner" }, suggestions: ["Move it."] } };
  expect(visitorOf(one, ["de"])).toMatchObject({
    panelTexts: { title: "Planner" },
    suggestions: ["Move it."],
  });
  expect(visitorOf({}, ["de"]).suggestions).toEqual([]);
});
