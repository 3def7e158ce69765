/** What visitors read about tools. Without schemas, because every page loads it. */

/** A text that visitors read: one text, or one for each language, such as `{ en: "Searching", de: "Suche läuft" }`. */
export type ToolText = string | { readonly [language: string]: string };

/** Name in `_meta` of a tool that an edge lists over MCP: its titles by language, since MCP has one `title`. */
export const TOOL_TITLES = "waggle/titles";

/** The text in a language; the first one if it has none in this language. */
export function toolText(text: ToolText, language: string = ""): string {
  return typeof text === "string" ? text : (text[language] ?? Object.values(text)[0] ?? "");
}
