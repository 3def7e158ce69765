/** Code of a page for what visitors read and decide: languages, consent and redaction. */
import type { SiteDefinition, VisitorText } from "../site-definition.ts";

/** Names in `@waggle/embed/languages`. English needs none: it is the default. */
const LANGUAGE_NAMES: { readonly [code: string]: string } = { de: "GERMAN", fr: "FRENCH" };

/** The part of a definition that visitors meet. */
type VisitorPart = Pick<SiteDefinition, "consent" | "languages" | "redaction">;

/** The module that exports `visitor`: options of `createAgent`, and `panelTexts` for `<waggle-agent>`. */
export function visitorModule({ consent, languages = ["en"], redaction }: VisitorPart): string {
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
    `const consentTexts = ${JSON.stringify(consentTexts(consent, languages))};`,
    "export const visitor = {",
    ...(consent === undefined
      ? []
      : [`  consent: ${JSON.stringify({ version: consent.version })},`]),
    `  redactionRules: [${redactionText(redaction)}],`,
    "  ...(language === null ? {} : { texts: language.agent }),",
    "  panelTexts: { ...language?.panel, ...consentTexts[code] },",
    "};",
    "",
  ].join("\n");
}

function redactionText(rules: SiteDefinition["redaction"] = []): string {
  return rules
    .map(({ type, pattern }) => `{ type: ${JSON.stringify(type)}, pattern: ${String(pattern)} }`)
    .join(", ");
}

/** By language. What the site does not write is left to the panel. */
function consentTexts(consent: SiteDefinition["consent"], languages: readonly string[]): object {
  const inLanguage = (text: VisitorText | undefined, language: string): string | undefined =>
    typeof text === "string" ? text : text?.[language as keyof typeof text];
  return Object.fromEntries(
    languages.map((language) => [
      language,
      // JSON leaves out what is undefined.
      {
        consentTitle: inLanguage(consent?.title, language),
        consentBody: inLanguage(consent?.text, language),
      },
    ]),
  );
}
