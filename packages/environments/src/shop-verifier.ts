/**
 * Judges an attempt at a shop task from what it did, replayed here; nothing that a browser claims
 * about success is read. Reward is 0 or 1.
 */
import { canonicalJson, WaggleError } from "@waggle/protocol";
import type { TaskReference, ToolResult, Turn, Verification } from "@waggle/protocol";
import { createShopEnvironment } from "./shop-environment.ts";
import { shopInstance } from "./shop-errands.ts";
import type { CartLine, ShopState } from "./shop.ts";

/** What a verifier needs of a recorded turn. */
export type RecordedTurn = Pick<Turn, "toolCalls" | "toolResults">;

export type ShopReplay = {
  readonly state: ShopState;
  /** Results as the environment gives them, per turn. */
  readonly results: readonly (readonly ToolResult[])[];
  /** True when every recorded result is the one that the environment gives. */
  readonly matches: boolean;
};

export type ShopAttempt = {
  /** Text of the last turn; `null` where the attempt was cut before it answered. */
  readonly finalText: string | null;
  /** State after the last call, from `replayShop` or the live shop. */
  readonly state: ShopState;
};

/** A longer answer is no answer. */
const MAX_ANSWER_LENGTH = 1000;
/** More different numbers than this are a list of guesses. */
const MAX_ANSWER_NUMBERS = 3;

/** Failures of the world, not of the policy: what came after cannot be replayed. */
const UNJUDGEABLE: ReadonlySet<string> = new Set(["TOOL_UNAVAILABLE", "TIMEOUT", "NETWORK"]);

/**
 * Runs recorded calls again and compares what they gave. Failed calls are compared by code.
 * @throws WaggleError `REWARD_UNAVAILABLE` where a recorded result is a failure of the world, and
 *   `INVALID_ARGUMENT` for a reference of another environment.
 */
export async function replayShop(
  reference: TaskReference,
  turns: readonly RecordedTurn[],
): Promise<ShopReplay> {
  const environment = createShopEnvironment(reference);
  await environment.observe();
  const signal = new AbortController().signal;
  const results: (readonly ToolResult[])[] = [];
  let matches = true;
  for (const turn of turns) {
    const called = new Set(turn.toolCalls.map((call) => call.id));
    // The loop answers text that held no readable call by itself; the shop never saw that.
    const recorded = turn.toolResults.filter((result) => result.ok || called.has(result.callId));
    if (turn.toolCalls.length === 0) {
      results.push([]);
      matches &&= recorded.length === 0;
      continue;
    }
    const broken = recorded.find((result) => !result.ok && UNJUDGEABLE.has(result.error.code));
    if (broken) {
      throw new WaggleError(
        "REWARD_UNAVAILABLE",
        `a replay needs results of the shop, got a tool that was unavailable in call ${broken.callId}; leave this attempt out`,
      );
    }
    const { toolResults } = await environment.step({ text: "", toolCalls: turn.toolCalls }, signal);
    results.push(toolResults);
    matches &&= comparable(toolResults) === comparable(recorded);
  }
  return { state: environment.shop.state, results, matches };
}

function comparable(results: readonly ToolResult[]): string {
  return canonicalJson(
    results.map((result) =>
      result.ok
        ? { id: result.callId, value: result.value }
        : { id: result.callId, code: result.error.code },
    ),
  );
}

/**
 * Reward 1 when the final cart is exactly the wanted one and, for a question, the answer says the
 * number. An attempt without a final answer has not finished.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function verifyShop(reference: TaskReference, attempt: ShopAttempt): Verification {
  const { expectedCart, expectedNumber } = shopInstance(reference);
  const answered = attempt.finalText !== null;
  const cart = sameCart(attempt.state.cart, expectedCart);
  const answer = expectedNumber === null || says(attempt.finalText ?? "", expectedNumber);
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
 * The numbers of a text, each with its possible readings: `1,234.50`, `1.234,50` and `1 234.50`
 * are 1234.5; `1,234` is 1234 or 1.234.
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
