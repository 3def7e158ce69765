/** Which kinds of turns there are alone, which two can share a message, and which follow each other. */
import type { TalkKind } from "./talk-turn.ts";

/** Names in task references by level. */
export const LEVEL_OF_TALK: readonly string[] = ["shop-talk", "shop-talk-2"];

/** The same for talks in a shop with a redrawn catalogue. */
export const LEVEL_OF_REDRAWN_TALK: readonly string[] = [
  "redrawn-shop-talk",
  "redrawn-shop-talk-2",
];

/** Further talks: in the shop that visitors see, and in one with a redrawn catalogue. */
export const LEVEL_OF_FURTHER_TALK: readonly string[] = [
  "further-shop-talk",
  "redrawn-further-shop-talk",
];

/** Kinds that stand alone; a kind that occurs twice is drawn twice as often. */
export const SINGLE_KINDS: readonly TalkKind[] = [
  "price",
  "stock",
  "rating",
  "details",
  "compare-price",
  "compare-rating",
  "list-category",
  "cheapest-question",
  "best-question",
  "under-question",
  "cart-question",
  "cart-total",
  "cart-total-currency",
  "price-in-currency",
  "price-in-currency",
  "price-of-several",
  "in-cart-question",
  "in-cart-question",
  "afford-question",
  "add",
  "add-n",
  "add-cheapest",
  "add-cheapest-limit",
  "add-best",
  "add-best-limit",
  "add-two",
  "add-three",
  "add-each",
  "add-list",
  "add-list",
  "add-list",
  "list-and-remove",
  "list-and-remove",
  "add-more",
  "add-more",
  "remove",
  "remove",
  "remove-some",
  "set-number",
  "set-number",
  "replace",
  "empty-cart",
  "add-if-under",
  "but-not",
  "all-except",
  "only-price",
  "only-price",
  "self-number",
  "self-product",
  "self-category",
  "self-cheapest",
  "keep",
  "not-wanted",
  "keep-product",
  "list-but",
  "cheapest-but",
  "ambiguous-but",
  "add-cheapest-but",
  "add-best-but",
  "add-if-stock",
  "add-if-better",
  "add-if-has",
  "suitability",
  "ambiguous",
  "missing-referent",
  "missing-referent",
  "not-sold",
  "not-sold",
  "out-of-scope",
  "out-of-scope",
  "out-of-scope",
  "mixed-scope",
  "greeting",
  "thanks",
  "who",
  "abilities",
  "bye",
  "compliment",
  "insult",
  "other-language",
  "gibberish",
];

/**
 * The same in a shop with a redrawn catalogue. Kinds whose answer must be read from what a tool has found occur more often:
 * two numbers are compared, a product is chosen from a list, or a number of pieces belongs to one of several products.
 */
export const READING_KINDS: readonly TalkKind[] = [
  ...SINGLE_KINDS,
  ...more(4, "compare-price", "compare-rating", "afford-question", "add-if-under"),
  ...more(2, "add-if-better", "add-if-stock", "add-n", "add-each", "add-more", "add-list"),
  ...more(
    2,
    "remove",
    "remove-some",
    "set-number",
    "replace",
    "but-not",
    "list-but",
    "cheapest-but",
  ),
];

/** Each kind this many times. */
function more(times: number, ...kinds: readonly TalkKind[]): TalkKind[] {
  return kinds.flatMap((kind) => Array.from({ length: times }, () => kind));
}

/** Kinds of the further talks. Each stands alone. The published default model has not seen the described ones. */
export const FURTHER_KINDS: readonly TalkKind[] = [
  // The numbers are such that a bit less than a third of the talks has something to refuse.
  ...more(
    2,
    "whichever",
    "add-or-else",
    "rank-question",
    "add-by-rank",
    "best-under-question",
    "add-both",
    "add-without",
    "sum-question",
    "remove-by-category",
    "keep-by-category",
    "relative-number",
    "swap-by-category",
    "in-cart-fact",
    "total-without",
  ),
  "half-word",
  ...more(4, "other-subject", "shop-service"),
  ...more(2, "mixed-wishes", "not-sold-one"),
  "fragment",
  ...more(2, "unknown-thing"),
  ...more(4, "several-changes"),
  ...more(4, "described-add", "described-several"),
  "described-add-n",
  "described-which",
  "described-price",
  "described-is-there",
  "described-if-any",
  "described-swap",
  "described-alike",
  // Rehearsed, because a mix with fewer of them refuses less.
  "out-of-scope",
  "mixed-scope",
  "not-sold",
  "missing-referent",
  "other-language",
];

const singles: ReadonlySet<TalkKind> = new Set([...SINGLE_KINDS, ...FURTHER_KINDS]);

/** Whether a kind can stand alone. */
export function isSingle(kind: TalkKind): boolean {
  return singles.has(kind);
}

/** Two or three of these can share a message. A kind that occurs twice is drawn twice as often. */
export const JOINABLE: readonly TalkKind[] = [
  "add",
  "add",
  "add-n",
  "add-n",
  "add-two",
  "add-list",
  "add-list",
  "add-more",
  "add-cheapest",
  "add-cheapest-limit",
  "add-best",
  "remove",
  "remove",
  "remove-some",
  "set-number",
  "replace",
  "price",
  "price",
  "stock",
  "rating",
  "compare-price",
  "cheapest-question",
  "best-question",
  "price-in-currency",
  "in-cart-question",
];

/** What a talk can be about before a visitor takes it. */
const ABOUT: readonly TalkKind[] = [
  "price",
  "only-price",
  "stock",
  "rating",
  "cheapest-question",
  "best-question",
  "price-in-currency",
  "afford-question",
];
/** What puts one piece of one product into the cart. */
const ONE: readonly TalkKind[] = ["add", "add-cheapest", "add-best", "but-not"];

/** Kinds that follow each other. A step is one kind or a choice. */
export const PATHS: readonly (readonly (TalkKind | readonly TalkKind[])[])[] = [
  [ONE, "follow-make-it"],
  [ONE, "follow-make-it"],
  [ONE, "follow-remove-again"],
  [ONE, "correct-other"],
  [ONE, "correct-other"],
  [["add", "add-best"], "correct-cheaper"],
  [["add", "add-best"], "correct-cheaper"],
  ["add-n", "correct-number"],
  ["add-n", "follow-remove-again"],
  ["add-n", "correct-number"],
  [ONE, "follow-what-bought"],
  [["add-n", "add-two", "add-each"], "follow-what-bought"],
  [["add-two", "add-three", "add-each"], "follow-together"],
  [ONE, "follow-other-too"],
  [ONE, "follow-other-too", "follow-together"],
  [ONE, "follow-other-too", "follow-remove-again"],
  [ABOUT, "follow-take-it"],
  [ABOUT, "follow-take-it"],
  [ABOUT, "follow-take-it", "follow-make-it"],
  ["ambiguous", "choose-ordinal"],
  ["ambiguous", "choose-ordinal"],
  ["list-category", "choose-ordinal"],
  ["ambiguous", "choose-ordinal", ["follow-make-it", "follow-remove-again"]],
  ["ambiguous", "choose-ordinal", "follow-other-too"],
  [
    ["greeting", "abilities"],
    ["add", "price", "ambiguous", "stock"],
  ],
  [ONE, ["thanks", "bye", "compliment"]],
  [
    ["price", "stock"],
    ["thanks", "out-of-scope"],
  ],
  ["not-sold", ["add", "list-category", "cheapest-question"]],
  ["out-of-scope", ["add", "price"]],
  ["add", "price"],
  ["price", "stock"],
  [ONE, "cart-total"],
  [ONE, "keep"],
  [ABOUT, ["keep", "decline"]],
  [["ambiguous", "list-category", "under-question"], "decline"],
  [ONE, "check-added"],
  [ABOUT, "check-added", "follow-take-it"],
  [ONE, "check-number"],
  ["add-n", ["check-added", "check-number"]],
  ["add-n", "check-number", "follow-remove-again"],
  [
    ["self-product", "add-best-but"],
    ["follow-make-it", "follow-remove-again"],
  ],
  ["self-number", ["follow-what-bought", "check-number"]],
  ["self-category", "choose-ordinal"],
  [
    ["suitability", "cheapest-but"],
    ["follow-take-it", "decline"],
  ],
];

/** The same for further talks. */
export const FURTHER_PATHS: typeof PATHS = [
  ["described-add", "choose-described"],
  ["described-add", "choose-described"],
  [["described-which", "described-is-there"], "choose-described"],
  [["ambiguous", "list-category"], "choose-described"],
  ["described-add", "choose-ordinal"],
  ["described-add", "choose-described", ["follow-make-it", "follow-remove-again"]],
  [["described-which", "described-price", "described-is-there"], "follow-take-it"],
  [["described-which", "described-price"], "follow-take-it", "follow-make-it"],
  ["described-add", ["follow-make-it", "follow-remove-again", "follow-other-too"]],
  ["described-add-n", ["correct-number", "follow-remove-again"]],
  [ONE, "follow-question"],
  [ABOUT, "follow-question"],
  [ABOUT, "follow-question", "follow-take-it"],
  [ONE, "follow-question", "follow-remove-again"],
  [ONE, "follow-relative"],
  ["add-n", "follow-relative"],
  ["add-n", "follow-relative", "follow-question"],
  [ABOUT, "follow-take-it", "follow-relative"],
  [
    ["other-subject", "shop-service", "unknown-thing"],
    ["add", "price", "several-changes"],
  ],
  [ONE, ["other-subject", "shop-service"]],
  ["several-changes", "cart-total"],
];
