/** Labels and titles of tools: one that has several languages has those of the site. */
import { isObject } from "@waggle/protocol";
import type { SiteDefinition, VisitorText } from "../site-definition.ts";
import { languageMistake } from "./language-check.ts";
import type { SiteModule } from "./site-module.ts";

/** What visitors read about a tool: its `label`, or the `title` of an edge tool. */
type Labeled = { readonly name: string; readonly text: unknown };

/**
 * One text counts for all languages, and a function is not called here.
 *
 * @throws WaggleError `INVALID_ARGUMENT` with file and line of the first tool that lacks a language.
 */
export function requireToolLanguages(
  module: SiteModule | null,
  tools: readonly Labeled[],
  { languages = ["en"] }: SiteDefinition,
): void {
  if (module === null) return;
  const field = module.field === "tools" ? "label" : "title";
  for (const { name, text } of tools) {
    if (!isObject(text)) continue;
    const message = languageMistake(text as VisitorText, "text", languages);
    if (message === null) continue;
    const instead = languages.map((language) => `${language}: "…"`).join(", ");
    throw module.mistakeAt(
      name,
      `the ${field} of the tool "${name}" ${message}; write ${field}: { ${instead} }`,
    );
  }
}
