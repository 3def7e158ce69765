/** Texts of the agent and its panel in languages other than English. They are not part of the page's main bundle. */
export { FRENCH } from "./french.ts";
export { GERMAN } from "./german.ts";
export type { Language } from "./language.ts";
