/** The wordings: slots that their kind knows, no repetitions, enough of each, and synonyms that are clear. */
import { describe, expect, test } from "vitest";
import { CATALOGUE } from "../../catalogue-data.ts";
import { SYNONYMS } from "../../synonyms.ts";
import {
  CHOICES,
  nounOf,
  NUMBER_CHANGES,
  OTHER_SUBJECTS,
  SHOP_SERVICES,
  SINGLE_THINGS,
  THINGS,
  type WordingKind,
  WORDINGS,
} from "./index.ts";

/** One of the slots of these subjects. */
function oneOf(subjects: typeof OTHER_SUBJECTS): string {
  return subjects.map(({ slot }) => slot).join("|");
}

/** Slots that each pattern of a kind needs. `what|category` is one of two; `attribute?` may be missing. */
const SLOTS: { readonly [kind in WordingKind]: string } = {
  price: "name",
  stock: "name",
  rating: "name",
  details: "name attribute?",
  "compare-price": "name other",
  "compare-rating": "name other",
  "list-category": "what|category attribute?",
  "cheapest-question": "what|category",
  "best-question": "what|category",
  "under-question": "what|category limit",
  "cart-question": "",
  "cart-total": "",
  "cart-total-currency": "currency",
  "price-in-currency": "name currency",
  "price-of-several": "name n",
  "in-cart-question": "name",
  "afford-question": "name limit",
  add: "name",
  "add-n": "name n",
  "add-two": "name other",
  "add-three": "name other third",
  "add-each": "name other n m?",
  "add-list": "list",
  "list-and-remove": "list gone",
  "add-more": "name more",
  "add-cheapest": "what|category",
  "add-cheapest-limit": "what|category limit",
  "add-best": "what|category",
  "add-best-limit": "what|category limit",
  remove: "name",
  "remove-some": "name n",
  "set-number": "name n",
  replace: "name other",
  "empty-cart": "",
  "add-if-under": "name limit",
  "but-not": "name other",
  "all-except": "name",
  "only-price": "name",
  "remove-by-category": "line|what|category kept?",
  "keep-by-category": "line",
  "relative-number": "line|pieces n?",
  "swap-by-category": "line attribute?",
  "in-cart-fact": "line",
  "total-without": "line",
  "self-number": "name m n",
  "self-product": "name other",
  "self-category": "wrong what",
  "self-cheapest": "wrong what",
  keep: "",
  decline: "",
  "not-wanted": "name",
  "keep-product": "name",
  "list-but": "what|category without",
  "ambiguous-but": "what|category without",
  "cheapest-but": "what|category without",
  "add-cheapest-but": "what|category without",
  "add-best-but": "what|category other",
  "add-if-stock": "name n?",
  "add-if-better": "name other",
  "add-if-has": "name attribute",
  "check-added": "",
  "check-number": "n",
  suitability: "name",
  "correct-cheaper": "",
  "correct-other": "other",
  "correct-number": "n",
  "follow-make-it": "n",
  "follow-remove-again": "",
  "follow-together": "",
  "follow-what-bought": "",
  "follow-take-it": "",
  "follow-other-too": "other",
  ambiguous: "what|category",
  "choose-ordinal": "",
  "missing-referent": "",
  "not-sold": "thing",
  "out-of-scope": "",
  "mixed-scope": "name",
  greeting: "",
  thanks: "",
  who: "",
  abilities: "",
  bye: "",
  compliment: "",
  insult: "",
  "other-language": "",
  whichever: "name other more|wins",
  "add-or-else": "name other fits|fails",
  "rank-question": "what|category rank",
  "add-by-rank": "what|category rank",
  "best-under-question": "what|category limit",
  "add-both": "what|category attribute second",
  "add-without": "what|category attribute without second?",
  "sum-question": "list",
  "unknown-thing": "thing",
  "several-changes": "changes",
  "follow-question": "attribute? currency?",
  "follow-relative": "n?",
  "other-subject": oneOf(OTHER_SUBJECTS),
  "shop-service": oneOf(SHOP_SERVICES),
  "mixed-wishes": "wish foreign",
  "not-sold-one": "one",
  fragment: "",
  "half-word": "half",
  "described-add": "described|head|Specs what? specs? Specs?",
  "described-add-n": "described|head specs? Specs?",
  "described-if-any": "described|head what? specs? Specs?",
  "described-swap": "line described",
  "described-which": "described|several",
  "described-price": "described",
  "described-is-there": "described|several what?",
  "described-several": "list",
  "described-alike": "heads both each",
  "choose-described": "choice",
};

/** Smallest number of patterns, 25 where nothing is said. */
const MINIMUM: { readonly [kind in WordingKind]?: number } = {
  "self-number": 60,
  "self-product": 60,
  "self-category": 60,
  "self-cheapest": 60,
  keep: 60,
  decline: 60,
  "not-wanted": 60,
  "keep-product": 60,
  "list-but": 60,
  "ambiguous-but": 60,
  "cheapest-but": 60,
  "add-cheapest-but": 60,
  "add-best-but": 60,
  "add-if-stock": 60,
  "add-if-better": 60,
  "add-if-has": 60,
  "check-added": 60,
  "check-number": 60,
  suitability: 60,
  "remove-by-category": 48,
  "keep-by-category": 48,
  "relative-number": 48,
  "swap-by-category": 48,
  "in-cart-fact": 48,
  "total-without": 48,
  "out-of-scope": 150,
  greeting: 30,
  thanks: 30,
  who: 30,
  abilities: 30,
  bye: 30,
  compliment: 30,
  insult: 30,
  "other-language": 80,
  whichever: 48,
  "add-or-else": 48,
  "rank-question": 48,
  "add-by-rank": 48,
  "best-under-question": 48,
  "add-both": 48,
  "add-without": 48,
  "sum-question": 48,
  "unknown-thing": 40,
  "several-changes": 40,
  "follow-question": 80,
  "follow-relative": 60,
  "other-subject": 480,
  "shop-service": 290,
  "mixed-wishes": 40,
  "not-sold-one": 60,
  fragment: 60,
  "described-add": 80,
  "described-add-n": 80,
  "described-if-any": 80,
  "described-swap": 80,
  "described-which": 80,
  "described-price": 80,
  "described-is-there": 80,
  "described-several": 80,
  "described-alike": 36,
  "choose-described": 80,
};

const kinds = Object.keys(WORDINGS) as WordingKind[];

function slotsOf(pattern: string): string[] {
  return [...pattern.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] as string);
}

/** A text without any word is one itself. */
function wordsOf(text: string): string[] {
  const words = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}{}+&<= ]/gu, "")
    .split(" ")
    .filter((word) => word !== "");
  return words.length === 0 ? [text] : words;
}

function repeated(texts: readonly string[]): string[] {
  const plain = texts.map((text) => wordsOf(text).join(" "));
  return plain.filter((text, at) => plain.indexOf(text) !== at);
}

/** Words that one text must insert, delete or replace to become the other. */
function wordDistance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, at) => at + 1);
  row.unshift(0);
  for (const [i, word] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries()) {
      const same = (row[j] as number) + (word === other ? 0 : 1);
      next.push(Math.min(same, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}

/** Words that do not make two patterns different. */
const FILLERS = new Set(
  "a and basket cart erm have hm hmm i in just me my no now oh ok please pls the then to um wanna".split(
    " ",
  ),
);

function contentOf(words: readonly string[]): string {
  const content = words.filter((word) => !FILLERS.has(word));
  return (content.length === 0 ? words : content).join(" ");
}

/** Whether two patterns differ by too few words for their length. */
function areClose(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.max(a.length, b.length);
  const few = length > 4 ? 2 : 1;
  if (length < 4 || Math.abs(a.length - b.length) > few) return false;
  // A word that only one of them has costs at least one change.
  if (a.filter((word) => !b.includes(word)).length > few) return false;
  return wordDistance(a, b) <= few;
}

describe("the wordings", () => {
  test.each(kinds)("%s has enough patterns with the slots of the kind", (kind) => {
    const rules = SLOTS[kind].split(" ").filter((rule) => rule !== "");
    const known = rules.flatMap((rule) => rule.replace("?", "").split("|"));
    const needed = rules.filter((rule) => !rule.endsWith("?")).map((rule) => rule.split("|"));
    expect(WORDINGS[kind].length).toBeGreaterThanOrEqual(MINIMUM[kind] ?? 25);
    const wrong = WORDINGS[kind].filter((pattern) => {
      const slots = slotsOf(pattern);
      const unknown = slots.some((slot) => !known.includes(slot));
      return unknown || needed.some((rule) => !rule.some((slot) => slots.includes(slot)));
    });
    expect(wrong).toEqual([]);
  });

  test("repeat nothing, in a kind or between kinds", () => {
    // "How much is it?" needs a product that was spoken of. Without one it is a kind of its own.
    const others = kinds.filter((kind) => kind !== "follow-question");
    expect(repeated(others.flatMap((kind) => WORDINGS[kind]))).toEqual([]);
    expect(repeated(WORDINGS["follow-question"])).toEqual([]);
  });

  test("have no two patterns of a kind that differ by a word or two", () => {
    const close = kinds.flatMap((kind) => {
      const patterns = WORDINGS[kind].map(wordsOf);
      expect(repeated(patterns.map(contentOf))).toEqual([]);
      return patterns.flatMap((words, at) =>
        patterns
          .slice(at + 1)
          .filter((other) => areClose(words, other))
          .map((other) => `${kind}: ${words.join(" ")} = ${other.join(" ")}`),
      );
    });
    expect(close).toEqual([]);
  });

  test("have choices for each position", () => {
    expect(WORDINGS["choose-ordinal"]).toEqual(Object.values(CHOICES).flat());
  });
});

describe("the wordings of a change of number", () => {
  test.each(Object.entries(NUMBER_CHANGES))(
    "%s say a number where one is needed",
    (change, patterns) => {
      const needed = change !== "half" && change !== "double";
      expect(patterns.filter((pattern) => slotsOf(pattern).includes("n") !== needed)).toEqual([]);
    },
  );
});

describe.each([
  ["other subjects", OTHER_SUBJECTS],
  ["services", SHOP_SERVICES],
])("the %s", (_, subjects) => {
  test("have one slot each, which all of their patterns have", () => {
    expect(repeated(subjects.map(({ slot }) => slot))).toEqual([]);
    const wrong = subjects.flatMap(({ slot, patterns }) =>
      patterns.filter(
        (pattern) => new Set(slotsOf(pattern)).size !== 1 || !slotsOf(pattern).includes(slot),
      ),
    );
    expect(wrong).toEqual([]);
  });

  test("have enough values, or draw them from the goods", () => {
    const fromGoods = ["name", "what", "category"];
    for (const { slot, values } of subjects) {
      expect(repeated(values)).toEqual([]);
      expect([slot, values.length === 0]).toEqual([slot, fromGoods.includes(slot)]);
    }
    const messages = subjects.map(({ values, patterns }) => values.length * patterns.length);
    expect(messages.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(4000);
  });
});

describe("the words for things", () => {
  const categories = [...new Set(CATALOGUE.map((item) => item.category))];
  const attributes = [...new Set(CATALOGUE.flatMap((item) => item.attributes))];
  const synonyms = Object.values(SYNONYMS).flatMap((words) => Object.values(words).flat());

  test("are of the catalogue's categories and attributes", () => {
    expect(Object.keys(SYNONYMS.categories).toSorted()).toEqual(categories.toSorted());
    expect(attributes).toEqual(expect.arrayContaining(Object.keys(SYNONYMS.attributes)));
  });

  test("lead to exactly one category or attribute", () => {
    expect(repeated([...synonyms, ...categories, ...attributes])).toEqual([]);
    const foreign = Object.entries(SYNONYMS.categories).flatMap(([category, words]) =>
      words.filter((text) =>
        wordsOf(text).some(
          (word) => word !== category && [...categories, ...attributes].includes(word),
        ),
      ),
    );
    expect(foreign).toEqual([]);
  });

  test("that the shop does not sell are not in the catalogue", () => {
    expect(THINGS.length).toBeGreaterThanOrEqual(120);
    expect(repeated(THINGS)).toEqual([]);
    const sold = new Set([...categories, ...synonyms, ...synonyms.map((word) => `${word}s`)]);
    for (const category of categories) sold.add(`${category}s`);
    const things = [...THINGS, ...SINGLE_THINGS];
    expect(things.filter((thing) => wordsOf(thing).some((word) => sold.has(word)))).toEqual([]);
    expect(SINGLE_THINGS.length).toBeGreaterThanOrEqual(300);
    expect(repeated(SINGLE_THINGS.map(nounOf))).toEqual([]);
  });
});
