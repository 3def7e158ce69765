/** What a page says about redaction, compared with the kinds of data that the rules find. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../packages/collector/src/redaction/built-in-rules.ts";
import { DEFAULT_TEXTS } from "../../packages/embed/src/element/panel-texts.ts";
import { FRENCH } from "../../packages/embed/src/languages/french.ts";
import { GERMAN } from "../../packages/embed/src/languages/german.ts";

const KINDS = [...new Set(BUILT_IN_RULES.map(({ type }) => type))].toSorted();

test("the page about personal data lists the kinds that the rules find, and no other", () => {
  const path = join(import.meta.dirname, "../../docs/how-to/privacy.md");
  const listed = readFileSync(path, "utf8").matchAll(/^\| `([A-Z_]+)` \|/gm);
  expect([...listed].map(([, kind]) => kind).toSorted()).toEqual(KINDS);
});

/** How each language names a kind. */
const NAMED: { readonly [kind: string]: { readonly [language: string]: RegExp } } = {
  ADDRESS: { en: /(?<!e-mail )addresses/, de: /(?<!E-Mail-)Adressen/, fr: /adresses(?! e-mail)/ },
  API_KEY: { en: /keys/, de: /Schlüssel/, fr: /clés/ },
  CARD: { en: /card/, de: /Karten-/, fr: /de carte/ },
  EMAIL: { en: /e-mail addresses/, de: /E-Mail-Adressen/, fr: /adresses e-mail/ },
  IBAN: { en: /account/, de: /Kontonummern/, fr: /de compte/ },
  NAME: { en: /Names/, de: /Namen/, fr: /noms/ },
  NATIONAL_ID: { en: /id numbers/, de: /amtliche Kennnummern/, fr: /d'identité/ },
  PASSWORD: { en: /passwords/, de: /Passwörter/, fr: /mots de passe/ },
  PHONE: { en: /phone/, de: /Telefon-/, fr: /de téléphone/ },
};

test.each([DEFAULT_TEXTS, GERMAN.panel, FRENCH.panel])(
  "the text of consent in $language names each of these kinds, and promises no more than the rules find",
  ({ language, consentBody }) => {
    expect(Object.keys(NAMED)).toEqual(KINDS);
    const missing = KINDS.filter((kind) => !NAMED[kind]?.[language]?.test(consentBody));
    expect(missing).toEqual([]);
    expect(consentBody).toMatch(
      /where they are recognized|soweit sie erkannt werden|s'ils sont reconnus/,
    );
  },
);
