/** Texts that visitors read: a site has them in each of its languages, and in no other. */
import type { SiteDefinition, VisitorText } from "../site-definition.ts";
import type { Mistake } from "./field-check.ts";

/** @param definition - its fields are valid. */
export function languageMistakes({
  consent,
  languages = ["en"],
}: SiteDefinition): readonly Mistake[] {
  return (["title", "text"] as const).flatMap((field) => {
    const text = consent?.[field];
    const message = text === undefined ? null : mistakeIn(text, languages);
    if (message === null) return [];
    const instead = languages.map((language) => `${language}: "…"`).join(", ");
    return {
      path: ["consent", field],
      message: `consent.${field} ${message}; write ${field}: { ${instead} }`,
    };
  });
}

function mistakeIn(text: VisitorText, languages: readonly string[]): string | null {
  const named = `languages names ${languages.join(", ")}`;
  if (typeof text === "string") return languages.length === 1 ? null : `is one text, and ${named}`;
  const missing = languages.filter((language) => !(language in text));
  if (missing.length > 0) return `has no text in ${missing.join(", ")}, and ${named}`;
  const more = Object.keys(text).filter((language) => !languages.includes(language));
  return more.length === 0 ? null : `has a text in ${more.join(", ")}, and ${named}`;
}
