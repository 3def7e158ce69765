/** What the text of an answer says: whether it has a fact, refuses, asks back or shows markup. It reads words, no model. */
import { SHOP_TOOLS } from "../environment/shop-tools.ts";

const NUMBER = /^[\d.,]+$/;
const NUMBER_WORD = /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$/;

/**
 * Whether the answer contains the fact, without regard to case. A number, in digits or as a word, counts only as a whole:
 * 54 is in "54.00" and "€54", but not in "154", "54.5" or "p54".
 */
export function saysFact(answer: string, fact: string): boolean {
  const [text, wanted] = [plain(answer), plain(fact)];
  if (NUMBER_WORD.test(wanted)) return new RegExp(String.raw`\b${wanted}\b`).test(text);
  if (!NUMBER.test(wanted)) return text.includes(wanted);
  const digits = wanted.replaceAll(".", String.raw`\.`);
  return new RegExp(
    String.raw`(?<![a-z\d]|\d[.,])${digits}(?:[.,]0+)?(?!\d|[.,]\d|(?!eur)[a-z])`,
  ).test(text);
}

/** Phrases that say that something cannot be done or is not there. */
const REFUSALS = new RegExp(
  [
    String.raw`\b(?:can|couldn|don|doesn|didn|isn|aren|won|haven|hasn)'?t\b`,
    String.raw`\b(?:cannot|unable|unfortunately|afraid|sorry)\b`,
    String.raw`\b(?:can|do|does|did|am|are|have|has|will|could) not\b`,
    String.raw`\bnot (?:able|available|possible|sold|something|in (?:stock|the shop))\b`,
    String.raw`\b(?:i|we) can only\b|\bonly (?:help|speak|answer|sell|understand)\b`,
    String.raw`\b(?:there (?:is|are)|there's|we have|i have|found|has) no\b|\bno (?:such|matching)\b`,
    String.raw`\bnothing (?:like|under|below|for|of|that|matches|matching|found)\b`,
    String.raw`\bnone\b|\bout of (?:stock|scope)\b`,
  ].join("|"),
);

/** Whether it says that the assistant cannot do this, or that the shop does not have it. */
export function refuses(answer: string): boolean {
  return REFUSALS.test(plain(answer));
}

/** Questions at the end of an answer that ask for no detail. */
const OFFER = /anything else|something else|can i help|may i help|help you|more i can/;

/** Whether it asks back: a sentence ends with a question mark and is not an offer of further help. */
export function asksBack(answer: string): boolean {
  const questions = plain(answer).match(/[^.!?\n]+\?/g) ?? [];
  return questions.some((question) => !OFFER.test(question));
}

const MARKUP = new RegExp(
  [
    // A brace, a tag or the beginning of one, a special token.
    String.raw`[{}]|<\/?[a-z_|｜]|[|｜]>|<[|｜]|<$`,
    // Markers in brackets, calls in brackets, keys of JSON.
    String.raw`\[\/?(?:tool_|args\]|inst\])|\[\s*\w+\(|"\w+"\s*:`,
    // Names that only markup has.
    String.raw`\b(?:tool_call|tool_response|im_start|im_end|arguments"|${snakeCaseNames()})`,
  ].join("|"),
);

/**
 * Whether the text has a part of a tool call: a tag, a brace, a special token, a key of JSON, or the name of a tool as
 * code spells it.
 */
export function showsMarkup(text: string): boolean {
  return MARKUP.test(plain(text));
}

function snakeCaseNames(): string {
  return SHOP_TOOLS.map(({ name }) => name)
    .filter((name) => name.includes("_"))
    .join("|");
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[’‘]/g, "'").trim();
}
