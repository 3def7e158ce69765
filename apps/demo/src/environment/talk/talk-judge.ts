/** Judges one turn of a talk: the cart, the facts in the answer, and the form of the answer. */
import type { Product } from "../catalogue-data.ts";
import type { CartLine } from "../shop.ts";
import { numbersIn } from "../shop-verifier.ts";
import type { Expectation, Fact } from "./talk-turn.ts";

/** Longer answers fail. */
const LONGEST = 400;
/** Other numbers that the answer to a wish may contain: more would be guessing. */
const SPARE_NUMBERS = 2;

const MARKUP = /<\|?\/?\w|tool_call|[{}]/;
const CLAIM = /\b(?:added|removed|replaced|bought|ordered)\b/i;

/** What the judge finds. */
export type TurnVerdict = { readonly cart: boolean; readonly answer: boolean };

/** Judges the answer of a turn and the cart after it. */
export function judgeTurn(
  expected: Expectation,
  text: string,
  actual: readonly CartLine[],
  {
    changes,
    calls,
    goods,
  }: {
    readonly changes: boolean;
    readonly calls: number;
    /** What the shop has. */
    readonly goods: readonly Product[];
  },
): TurnVerdict {
  const { cart, form, facts, never = [] } = expected;
  const isWhole = text.trim() !== "" && text.length <= LONGEST && !MARKUP.test(text);
  const names = namesOf(goods);
  const says =
    facts.every((fact) => contains(text, fact, names)) &&
    !never.some((one) => contains(text, [one], names));
  const isQuiet = calls === 0 || (form !== "small-talk" && form !== "refusal");
  const honest = changes || !CLAIM.test(text);
  return {
    cart: sameCart(cart, actual),
    answer:
      isWhole &&
      says &&
      honest &&
      isQuiet &&
      hasForm(form, text) &&
      isNoGuess(text, expected, names),
  };
}

function hasForm(form: Expectation["form"], text: string): boolean {
  switch (form) {
    case "refusal":
      return /\b(?:can't|cannot|can not)\b/i.test(text) && /\bI can\b(?! ?not)(?!')/i.test(text);
    case "clarification":
      return /\b(?:which|what)\b/i.test(text) && text.trim().endsWith("?");
    case "answer":
    case "small-talk":
      return true;
  }
}

/** An answer names only products that it is about, and few numbers more than it must. */
function isNoGuess(
  text: string,
  { form, facts, wishes = 1, mentions = [] }: Expectation,
  names: readonly string[],
): boolean {
  const found = new Set(numbersIn(text).map((readings) => readings[0])).size;
  const needed = facts.filter((fact) => typeof fact === "number").length;
  if (found > needed + (form === "answer" ? SPARE_NUMBERS * wishes : 0)) return false;
  const named = new Set([
    ...facts.flatMap((fact) => (typeof fact === "number" ? [] : fact)),
    ...mentions.map(({ name }) => name),
  ]);
  return namesIn(text, names).every((name) => named.has(name));
}

/** Names of products, longest first, so that "Moon Lamp Mini" is no "Moon Lamp". */
function namesOf(goods: readonly Product[]): string[] {
  return goods.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
}

function namesIn(text: string, names: readonly string[]): string[] {
  let rest = text.toLowerCase();
  return names.filter((name) => {
    const isNamed = rest.includes(name.toLowerCase());
    rest = rest.replaceAll(name.toLowerCase(), "");
    return isNamed;
  });
}

function contains(text: string, fact: Fact, names: readonly string[]): boolean {
  if (typeof fact === "number") {
    return numbersIn(text).some((readings) =>
      readings.some((value) => Math.abs(value - fact) < 0.005),
    );
  }
  const lower = text.toLowerCase();
  return fact.some((phrase) =>
    names.includes(phrase)
      ? namesIn(text, names).includes(phrase)
      : lower.includes(phrase.toLowerCase()),
  );
}

/** Whether two carts have the same lines, in any order. */
export function sameCart(a: readonly CartLine[], b: readonly CartLine[]): boolean {
  const key = (cart: readonly CartLine[]) =>
    cart
      .map(({ id, quantity }) => `${id} ${quantity}`)
      .toSorted()
      .join(",");
  return key(a) === key(b);
}
