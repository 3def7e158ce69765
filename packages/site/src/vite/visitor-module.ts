/** Code of a page for what visitors read and decide: languages, consent, redaction and the panel. */
import type { SiteDefinition, VisitorText, VisitorTexts } from "../site-definition.ts";

/** Names in `@waggle/embed/languages`. English needs none: it is the default. */
const LANGUAGE_NAMES: { readonly [code: string]: string } = { de: "GERMAN", fr: "FRENCH" };

/** The part of a definition that visitors meet. */
type VisitorPart = Pick<SiteDefinition, "consent" | "languages" | "panel" | "redaction">;

/** The module that exports `visitor`: options of `createAgent`, with `panelTexts` and `suggestions` for `<waggle-agent>`. */
export function visitorModule(part: VisitorPart): string {
  const { consent, languages = ["en"], redaction } = part;
  const translated = languages.flatMap((code) => LANGUAGE_NAMES[code] ?? []);
  return [
    ...(translated.length === 0
      ? []
      : [`import { ${translated.join(", ")} } from "@waggle/embed/languages";`]),
    `const languages = { ${languages.map((code) => `${code}: ${LANGUAGE_NAMES[code] ?? "null"}`).join(", ")} };`,
    // The first of the site's languages, if the visitor reads none of them.
    "const known = navigator.languages.map((one) => one.slice(0, 2)).find((one) => one in languages);",
    `const code = known ?? ${JSON.stringify(languages[0])};`,
    "const language = languages[code];",
    `const ofSite = ${JSON.stringify(ofLanguages(part, languages))}[code];`,
    "export const visitor = {",
    ...(consent === undefined ? [] : consentOptions(consent)),
    `  redactionRules: [${redactionText(redaction)}],`,
    "  language: code,",
    "  ...(language === null ? {} : { texts: language.agent }),",
    "  panelTexts: { ...language?.panel, ...ofSite.texts },",
    "  suggestions: ofSite.suggestions,",
    "};",
    "",
  ].join("\n");
}

/** Options of `createAgent`: `consent`, and which texts the page sends. The consent's own texts depend on the language. */
function consentOptions(consent: NonNullable<SiteDefinition["consent"]>): string[] {
  const { title: _title, text: _text, shareCorrections, shareMessages, ...options } = consent;
  return [
    `  consent: ${JSON.stringify(options)},`,
    ...(shareCorrections === true ? ["  shareCorrections: true,"] : []),
    ...(shareMessages === true ? ["  shareMessages: true,"] : []),
  ];
}

function redactionText(rules: SiteDefinition["redaction"] = []): string {
  return rules
    .map(({ type, pattern }) => `{ type: ${JSON.stringify(type)}, pattern: ${String(pattern)} }`)
    .join(", ");
}

/** What the site writes, by language. The panel has the other texts. */
function ofLanguages(
  { consent, panel }: VisitorPart,
  languages: readonly string[],
): { readonly [code: string]: object } {
  const texts = Object.entries(panel?.texts ?? {});
  return Object.fromEntries(
    languages.map((language) => [
      language,
      {
        // JSON leaves out what is undefined.
        texts: {
          ...Object.fromEntries(texts.map(([name, text]) => [name, inLanguage(text, language)])),
          consentTitle: inLanguage(consent?.title, language),
          consentBody: inLanguage(consent?.text, language),
        },
        suggestions: listIn(panel?.suggestions, language),
      },
    ]),
  );
}

function inLanguage(text: VisitorText | undefined, language: string): string | undefined {
  return typeof text === "string" ? text : text?.[language as keyof typeof text];
}

function listIn(texts: VisitorTexts = [], language: string): readonly string[] {
  if ("length" in texts) return texts;
  return texts[language as keyof typeof texts] ?? [];
}
