/** Says a description as people do: with pieces before and behind a noun, or as a noun and a list of conditions. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { SYNONYMS } from "../../synonyms.ts";
import { attributeWord, countOf, pluralOf, synonym } from "../values.ts";
import { isHeldOutPattern } from "../wording.ts";
import {
  type AttributeClass,
  UNWANTED_AFTER,
  UNWANTED_ALONE,
  WANTED_AFTER,
  WANTED_ALONE,
} from "../wordings/described/attribute-pieces.ts";
import type { Described } from "./description.ts";
import {
  LIMITS,
  RANK_AFTER,
  RANK_BEFORE,
  RANK_EACH,
  SECOND,
} from "../wordings/described/rank-pieces.ts";

/** How a phrase is built. */
export type Form = {
  /** Pieces; more than one makes a plural. Default 1. */
  readonly count?: number;
  /** Whether to say the things in the plural without a number. */
  readonly isOpen?: boolean;
  /** Instead of a word for the category, such as "one". */
  readonly noun?: string;
  /** Whether the thing is one that is known, as in "how much is the red lamp". */
  readonly isKnown?: boolean;
};

/** The words of a description for the slots of a pattern. */
export type Phrase = {
  /** All of it as one noun phrase. */
  readonly described: string;
  /** The noun alone. */
  readonly what: string;
  /** The noun with its number. */
  readonly head: string;
  /** The conditions as a list, with and without a capital. */
  readonly specs: string;
  readonly Specs: string;
};

const CLASSES: readonly (readonly [AttributeClass, readonly string[]])[] = [
  ["color", ["black", "white", "red", "green", "blue"]],
  ["material", ["wool", "cotton", "leather", "wood", "steel", "glass"]],
];
/** Other nouns for a material. */
const MATERIALS: { readonly [material in string]?: readonly string[] } = {
  leather: ["leather", "leather", "real leather"],
  wood: ["wood", "wood", "timber"],
  steel: ["steel", "stainless steel", "metal"],
};
/** How the pieces agree with one thing and with several. */
const AGREEMENT: { readonly [token in string]?: readonly [string, string] } = {
  is: ["is", "are"],
  isnt: ["isn't", "aren't"],
  s: ["'s", " are"],
  has: ["has", "have"],
  hasnt: ["hasn't", "haven't"],
  it: ["it", "they"],
  them: ["it", "them"],
  one: ["one", "ones"],
  comes: ["comes", "come"],
  t: ["s", ""],
  costs: ["costs", "cost"],
  doesnt: ["doesn't", "don't"],
};
const SHARE = { wantedBefore: 0.6, unwantedBefore: 0.04, rankBefore: 0.65, comma: 0.35, bare: 0.2 };

/** What an attribute is about. */
export function classOf(attribute: string): AttributeClass {
  return CLASSES.find(([, words]) => words.includes(attribute))?.[0] ?? "property";
}

/** A piece that is held out, or one that is not. */
export function piece(random: RandomSource, pieces: readonly string[], unseen: boolean): string {
  return pick(
    random,
    pieces.filter((_, at) => isHeldOutPattern(at) === unseen),
  );
}

/** A piece with its words, for one thing or for several. */
export function filled(
  text: string,
  random: RandomSource,
  {
    attribute = "",
    limit = null,
    several = false,
  }: {
    readonly attribute?: string;
    readonly limit?: number | null;
    readonly several?: boolean;
  },
): string {
  return text
    .replace("{a}", () => attributeWord(attribute, random))
    .replace("{m}", () => pick(random, MATERIALS[attribute] ?? [attribute]))
    .replace("{l}", String(limit))
    .replace("{second}", () => pick(random, SECOND))
    .replaceAll(/\{(\w+)\}/g, (_, token: string) => AGREEMENT[token]?.[several ? 1 : 0] ?? "");
}

function afterPieces(
  pieces: typeof WANTED_AFTER,
  attribute: string,
  random: RandomSource,
): readonly string[] {
  return random() < 0.5 ? pieces.any : pieces[classOf(attribute)];
}

function shuffled(random: RandomSource, list: readonly string[]): string[] {
  return list
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** Pieces behind a noun, with commas where they need some. */
function behind(noun: string, pieces: readonly string[], random: RandomSource): string {
  return pieces.reduce((text, one, at) => {
    if (one.startsWith(",")) return text + one;
    return at > 0 && random() < SHARE.comma ? `${text}, ${one}` : `${text} ${one}`;
  }, noun);
}

function numbered(random: RandomSource, noun: string, count: number, isRanked: boolean): string {
  if (!isRanked) return `${countOf(count, random)} ${noun}`;
  return pick(random, [
    `${countOf(count, random)} of ${noun}`,
    `${count}x ${noun}`,
    `${count} x ${noun}`,
    `${countOf(count, random)} pieces of ${noun}`,
    `${noun} times ${countOf(count, random)}`,
    `${noun} (${count})`,
    `${countOf(count, random)} times ${noun}`,
  ]);
}

/** The noun phrase. */
function nounPhrase(
  { category, wanted, unwanted, limit, rank }: Described,
  { count = 1, isOpen = false, noun, isKnown = false }: Form,
  random: RandomSource,
  unseen: boolean,
): string {
  const several = rank === null && (count > 1 || isOpen);
  const before: string[] = [];
  const after: string[] = [];
  for (const attribute of wanted) {
    if (random() < SHARE.wantedBefore) before.push(attributeWord(attribute, random));
    else {
      const chosen = piece(random, afterPieces(WANTED_AFTER, attribute, random), unseen);
      after.push(filled(chosen, random, { attribute, several }));
    }
  }
  if (unwanted !== null && random() < SHARE.unwantedBefore) before.unshift(`non-${unwanted}`);
  else if (unwanted !== null) {
    const chosen = piece(random, afterPieces(UNWANTED_AFTER, unwanted, random), unseen);
    after.push(filled(chosen, random, { attribute: unwanted, several }));
  }
  if (limit !== null) after.push(filled(piece(random, LIMITS, unseen), random, { limit, several }));
  const isFirst = rank !== null && random() < SHARE.rankBefore;
  const order = shuffled(random, after);
  if (rank !== null && !isFirst)
    order.push(filled(piece(random, RANK_AFTER[rank], unseen), random, {}));
  const one = noun ?? synonym(random, SYNONYMS.categories, category);
  // "Red and blue scarves" could be two sorts of them.
  const joints = several ? [" ", ", "] : [" ", ", ", " and "];
  const named = [before.join(pick(random, joints)), several ? pluralOf(one) : one];
  if (isFirst) named.unshift(filled(piece(random, RANK_BEFORE[rank], unseen), random, {}));
  const text = behind(named.filter((word) => word !== "").join(" "), order, random);
  if (several) return count > 1 ? numbered(random, text, count, false) : text;
  if (isFirst || isKnown) {
    const definite = random() < SHARE.bare && !isKnown ? text : `the ${text}`;
    return count > 1 ? numbered(random, definite, count, true) : definite;
  }
  if (count > 1) return numbered(random, text, count, true);
  if (noun !== undefined) return text.startsWith(noun) ? text : `a ${text}`;
  return random() < SHARE.bare ? text : `${pick(random, ["a", "a", "a", "one"])} ${text}`;
}

/** The conditions as a list that stands alone. */
function listOf(
  { wanted, unwanted, limit, rank }: Described,
  random: RandomSource,
  unseen: boolean,
): string {
  const items = [
    ...wanted.map((attribute) =>
      filled(piece(random, WANTED_ALONE, unseen), random, { attribute }),
    ),
    ...(unwanted === null ? [] : [unwantedAlone(unwanted, random, unseen)]),
    ...(limit === null ? [] : [filled(piece(random, LIMITS, unseen), random, { limit })]),
  ];
  const last = rank === null ? [] : [filled(piece(random, RANK_AFTER[rank], unseen), random, {})];
  return [...shuffled(random, items), ...last]
    .map((item) => item.replace(/^, /, ""))
    .join(pick(random, [", ", ", ", ", ", ". ", " and "]));
}

function unwantedAlone(attribute: string, random: RandomSource, unseen: boolean): string {
  const ofClass = UNWANTED_AFTER[classOf(attribute)].filter((text) => text.startsWith(","));
  const pieces = random() < 0.5 && !unseen ? ofClass : UNWANTED_ALONE;
  return filled(piece(random, pieces, unseen), random, { attribute });
}

/** The description in words. @param unseen - whether to take pieces that are held out */
export function phraseOf(
  described: Described,
  form: Form,
  random: RandomSource,
  unseen: boolean,
): Phrase {
  const { count = 1, isOpen = false } = form;
  const what = form.noun ?? synonym(random, SYNONYMS.categories, described.category);
  const specs = listOf(described, random, unseen);
  const article = pick(random, ["a", "a", "one"]);
  return {
    described: nounPhrase(described, form, random, unseen),
    what,
    head:
      count > 1
        ? numbered(random, pluralOf(what), count, false)
        : isOpen
          ? pluralOf(what)
          : `${article} ${what}`,
    specs,
    Specs: specs.slice(0, 1).toUpperCase() + specs.slice(1),
  };
}

/** Things of two categories with the same attributes and the same rank: what they are, and the conditions. */
export function alikePhrase(
  things: readonly Described[],
  rank: keyof typeof RANK_EACH,
  random: RandomSource,
  unseen: boolean,
): { readonly heads: string; readonly both: string; readonly each: string } {
  const [a = "", b = ""] = things.map(({ category }) =>
    synonym(random, SYNONYMS.categories, category),
  );
  const words = (things[0]?.wanted ?? []).map((attribute) => attributeWord(attribute, random));
  const heads = pick(random, [`a ${a} and a ${b}`, `one ${a} and one ${b}`, `a ${a} plus a ${b}`]);
  const each = piece(random, RANK_EACH[rank], unseen);
  return { heads, both: words.join(" and "), each };
}
