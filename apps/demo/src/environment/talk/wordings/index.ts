/** All hand-written wordings of the shop's visitors, by kind of request: the plain ones first, then those in a voice. */
import { PLAIN, type WordingKind } from "./plain.ts";
import { VOICES } from "./voices/index.ts";
import type { Wordings } from "./wordings.ts";

/** The patterns of a kind. */
function patternsOf(kind: WordingKind): readonly string[] {
  return [...PLAIN[kind], ...VOICES.flatMap((voice) => voice[kind] ?? [])];
}

/** The patterns of each kind. */
export const WORDINGS = Object.fromEntries(
  (Object.keys(PLAIN) as WordingKind[]).map((kind) => [kind, patternsOf(kind)]),
) as Wordings<WordingKind>;

export type { WordingKind } from "./plain.ts";
export { LINE_FACTS } from "./cart-facts.ts";
export { NUMBER_CHANGES } from "./relative-numbers.ts";
export { SWAPS } from "./swaps.ts";
export { THINGS } from "./things.ts";
export { CHOICES } from "./unclear.ts";
