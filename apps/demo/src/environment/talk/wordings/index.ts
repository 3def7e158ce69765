/** All hand-written wordings of the shop's visitors, by kind of request: the plain ones first, then those in a voice. */
import { LINE_FACTS as PLAIN_LINE_FACTS } from "./cart-facts.ts";
import { PLAIN, type WordingKind } from "./plain.ts";
import { NUMBER_CHANGES as PLAIN_NUMBER_CHANGES } from "./relative-numbers.ts";
import { SWAPS as PLAIN_SWAPS } from "./swaps.ts";
import { COUNTING_LINE_FACTS } from "./voices/counting/line-facts.ts";
import { COUNTING_NUMBER_CHANGES } from "./voices/counting/number-changes.ts";
import { COUNTING_SWAPS } from "./voices/counting/swaps.ts";
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

/** The patterns of each part of a kind, such as the facts that people ask for. */
type Parts<Part extends string> = { [part in Part]: readonly string[] };

/** The patterns of each part, from two tables with the same parts. */
function joined<Part extends string>(plain: Parts<Part>, voiced: Parts<Part>): Parts<Part> {
  const parts = { ...plain };
  for (const part of Object.keys(plain) as Part[]) parts[part] = [...plain[part], ...voiced[part]];
  return parts;
}

/** The patterns of questions about one thing in the cart, by the fact. */
export const LINE_FACTS: Parts<keyof typeof PLAIN_LINE_FACTS> = joined(
  PLAIN_LINE_FACTS,
  COUNTING_LINE_FACTS,
);
/** The patterns of changes of a number of pieces, by the change. */
export const NUMBER_CHANGES: Parts<keyof typeof PLAIN_NUMBER_CHANGES> = joined(
  PLAIN_NUMBER_CHANGES,
  COUNTING_NUMBER_CHANGES,
);
/** The patterns of swaps, by the order that decides. */
export const SWAPS: Parts<keyof typeof PLAIN_SWAPS> = joined(PLAIN_SWAPS, COUNTING_SWAPS);

export type { WordingKind } from "./plain.ts";
export type { Subject } from "./subject.ts";
export { FOLLOW_CHANGES, FOLLOW_QUESTIONS } from "./follow-questions.ts";
export { OTHER_SUBJECTS } from "./other-subjects/index.ts";
export { SHOP_SERVICES } from "./shop-services/index.ts";
export { nounOf, SINGLE_THINGS } from "./single-things.ts";
export { ADDING, REMOVING } from "./several-changes.ts";
export { THINGS } from "./things.ts";
export { CHOICES } from "./unclear.ts";
