/** Texts that visitors read: a site has them in each of its languages, and in no other. */
import type { SiteDefinition, VisitorText, VisitorTexts } from "../site-definition.ts";
import type { Mistake } from "./field-check.ts";

/** A text, or a list of texts, and where it is. */
type Written = {
  readonly path: readonly string[];
  readonly value: VisitorText | VisitorTexts | undefined;
};

/** @param definition - its fields are valid. */
export function languageMistakes(definition: SiteDefinition): readonly Mistake[] {
  const { languages = ["en"] } = definition;
  return writtenIn(definition).flatMap(({ path, value }) => {
    const isList = path.at(-1) === "suggestions";
    const noun = isList ? "list" : "text";
    const message = value === undefined ? null : languageMistake(value, noun, languages);
    if (message === null) return [];
    const one = isList ? '["…"]' : '"…"';
    const instead = languages.map((language) => `${language}: ${one}`).join(", ");
    return {
      path,
      message: `${path.join(".")} ${message}; write ${path.at(-1)}: { ${instead} }`,
    };
  });
}

function writtenIn({ consent, panel }: SiteDefinition): readonly Written[] {
  const texts = Object.entries(panel?.texts ?? {});
  return [
    { path: ["consent", "title"], value: consent?.title },
    { path: ["consent", "text"], value: consent?.text },
    ...texts.map(([name, value]) => ({ path: ["panel", "texts", name], value })),
    { path: ["panel", "suggestions"], value: panel?.suggestions },
  ];
}

/** `has no text in de, and languages names en, de`; `null` if the value has a text in each language, and in no other. */
export function languageMistake(
  value: VisitorText | VisitorTexts,
  noun: string,
  languages: readonly string[],
): string | null {
  const named = `languages names ${languages.join(", ")}`;
  if (typeof value === "string" || Array.isArray(value)) {
    return languages.length === 1 ? null : `is one ${noun}, and ${named}`;
  }
  const missing = languages.filter((language) => !(language in value));
  if (missing.length > 0) return `has no ${noun} in ${missing.join(", ")}, and ${named}`;
  const more = Object.keys(value).filter((language) => !languages.includes(language));
  return more.length === 0 ? null : `has a ${noun} in ${more.join(", ")}, and ${named}`;
}
