/** Judges one turn of a talk: the cart, the facts in the answer, and the form of the answer. */
import type { CartLine } from "../shop.ts";
import { numbersIn } from "../shop-verifier.ts";
import type { Expectation, Fact } from "./talk-turn.ts";

/** Longer answers fail. */
const LONGEST = 400;
/** Other numbers that an answer may contain: more would be guessing. */
const SPARE_NUMBERS = 4;

const MARKUP = /<\|?\/?\w|tool_call|[{}]/;
const CLAIM = /\b(?:added|removed|replaced|bought|ordered)\b/i;

/** What the judge finds. */
export type TurnVerdict = { readonly cart: boolean; readonly answer: boolean };

/** Judges the answer of a turn and the cart after it. */
export function judgeTurn(
  { cart, form, facts }: Expectation,
  text: string,
  actual: readonly CartLine[],
  changes: boolean,
): TurnVerdict {
  const isWhole = text.trim() !== "" && text.length <= LONGEST && !MARKUP.test(text);
  const says = facts.every((fact) => contains(text, fact));
  const honest = changes || !CLAIM.test(text);
  return {
    cart: sameCart(cart, actual),
    answer: isWhole && says && honest && hasForm(form, text) && isNoGuess(text, form, facts),
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

/** Forms that name nothing contain no numbers; other answers contain few more than they must. */
function isNoGuess(text: string, form: Expectation["form"], facts: readonly Fact[]): boolean {
  const found = new Set(numbersIn(text).map((readings) => readings[0])).size;
  const needed = facts.filter((fact) => typeof fact === "number").length;
  if (form === "answer") return found <= needed + SPARE_NUMBERS;
  return found <= needed;
}

function contains(text: string, fact: Fact): boolean {
  if (typeof fact === "number") {
    return numbersIn(text).some((readings) =>
      readings.some((value) => Math.abs(value - fact) < 0.005),
    );
  }
  const lower = text.toLowerCase();
  return fact.some((phrase) => lower.includes(phrase.toLowerCase()));
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
