/** The module that a page imports as `virtual:waggle/site`. */
import type { LoadedSite } from "../node/load-site.ts";
import type { SiteDefinition, VisitorText } from "../site-definition.ts";

/** Names in `@waggle/embed/languages`. English needs none: it is the default. */
const LANGUAGE_NAMES: { readonly [code: string]: string } = { de: "GERMAN", fr: "FRENCH" };

/** The edge of `waggle dev`. */
export const LOCAL_EDGE = "http://localhost:8787";

/** @param environment - `WAGGLE_EDGE_URL` and `WAGGLE_SITE_KEY` replace what the config says. */
export function pageModule(
  { definition, files, edgeTools }: LoadedSite,
  environment: { readonly [name: string]: string | undefined },
): string {
  const { id, name, prompt, edge = {}, mcpServers, consent, languages = ["en"] } = definition;
  const data = {
    name,
    edgeUrl: environment["WAGGLE_EDGE_URL"] ?? edge.url ?? LOCAL_EDGE,
    siteKey: environment["WAGGLE_SITE_KEY"] ?? edge.siteKey ?? `local-${id}`,
    system: prompt,
    edgeTools: edgeTools.map((tool) => tool.definition.name),
    mcpServers,
    ...(consent === undefined ? {} : { consent: { version: consent.version } }),
  };
  const translated = languages.flatMap((code) => LANGUAGE_NAMES[code] ?? []);
  return [
    ...(files.tools === null ? [] : [`import tools from ${JSON.stringify(files.tools)};`]),
    ...(translated.length === 0
      ? []
      : [`import { ${translated.join(", ")} } from "@waggle/embed/languages";`]),
    `const languages = { ${languages.map((code) => `${code}: ${LANGUAGE_NAMES[code] ?? "null"}`).join(", ")} };`,
    // The first of the site's languages, if the visitor reads none of them.
    "const known = navigator.languages.map((one) => one.slice(0, 2)).find((one) => one in languages);",
    `const code = known ?? ${JSON.stringify(languages[0])};`,
    "const language = languages[code];",
    `const consentTexts = ${JSON.stringify(consentTexts(consent, languages))};`,
    "export const site = {",
    `  ...${JSON.stringify(data)},`,
    `  tools: ${files.tools === null ? "[]" : "tools"},`,
    `  redactionRules: [${redactionText(definition.redaction)}],`,
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
