/**
 * Judges a rollout of a shop task by its effect on the shop, as replayed here. A browser's own claim of
 * success is never read. Reward is 0 or 1.
 */
import type { TaskReference, Verification } from "@waggle/protocol";
import { shopInstance } from "./shop-errands.ts";
import type { CartLine, ShopState } from "./shop.ts";

/** The result of a rollout that the verifier judges. */
type ShopRollout = {
  /** Text of the last turn; `null` if the rollout was cut before it answered. */
  readonly finalText: string | null;
  /** State after the last call, from a replay or the live shop. */
  readonly state: ShopState;
};

/** Longer answers fail. */
const MAX_ANSWER_LENGTH = 1000;
/** Answers with more different numbers than this count as guessing. */
const MAX_ANSWER_NUMBERS = 3;

/**
 * Reward 1 if the final cart is exactly the expected one and, for a question, the answer contains the
 * number. A rollout without a final answer gets 0.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function verifyShop(reference: TaskReference, rollout: ShopRollout): Verification {
  const { expectedCart, expectedNumber } = shopInstance(reference);
  const answered = rollout.finalText !== null;
  const cart = sameCart(rollout.state.cart, expectedCart);
  const answer = expectedNumber === null || says(rollout.finalText ?? "", expectedNumber);
  const success = answered && cart && answer;
  return { reward: success ? 1 : 0, success, parts: { answered, cart, answer } };
}

function sameCart(a: readonly CartLine[], b: readonly CartLine[]): boolean {
  const key = (cart: readonly CartLine[]) =>
    cart
      .map((line) => `${line.id} ${line.quantity}`)
      .sort()
      .join(",");
  return key(a) === key(b);
}

function says(text: string, expected: number): boolean {
  if (text.length > MAX_ANSWER_LENGTH) return false;
  const numbers = numbersIn(text);
  if (new Set(numbers.map((readings) => readings[0])).size > MAX_ANSWER_NUMBERS) return false;
  return numbers.some((readings) => readings.some((value) => Math.abs(value - expected) < 0.005));
}

/**
 * The numbers in a text, each with its possible readings: `1,234.50`, `1.234,50` and `1 234.50` all mean
 * 1234.5; `1,234` means 1234 or 1.234.
 */
export function numbersIn(text: string): number[][] {
  const found = text.match(/(?<![\w.,])-?\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?(?!\w)/g) ?? [];
  return found.map((written) => {
    const plain = written.replace(/[' ]/g, "");
    const readings = [plain.replaceAll(",", ""), plain.replaceAll(".", "").replace(",", ".")].map(
      Number,
    );
    return [...new Set(readings.filter(Number.isFinite))];
  });
}
