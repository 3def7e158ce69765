/** A talk as an environment: it says the visitor's messages, runs the tools and judges every turn. */
import {
  createTurnEnvironment,
  type Judgment,
  type JudgedEnvironment,
  toolResult,
} from "@waggle/environments";
import type { TaskReference } from "@waggle/protocol";
import { type EdgeToolExecutor, localEdgeTools, runShopTool } from "../shop-environment.ts";
import { type CartLine, createShop } from "../shop.ts";
import { SHOP_SYSTEM } from "../shop-task.ts";
import { SHOP_TOOLS } from "../shop-tools.ts";
import { talkOf } from "./talk-instance.ts";
import { judgeTurn, sameCart } from "./talk-judge.ts";
import { messagesOf } from "./talk-task.ts";
import type { AnswerForm, Expectation, TalkTurn } from "./talk-turn.ts";

/** One message's wishes as one expectation. */
function expectationOf(turns: readonly TalkTurn[]): Expectation {
  const expected = turns.map((turn) => turn.expected);
  const forms = expected.map(({ form }) => form);
  const form: AnswerForm = forms.length === 1 ? (forms[0] ?? "answer") : "answer";
  return {
    wishes: turns.length,
    cart: expected.at(-1)?.cart ?? [],
    form,
    facts: expected.flatMap(({ facts }) => facts),
    never: expected.flatMap(({ never = [] }) => never),
    mentions: expected.flatMap(({ mentions = [] }) => mentions),
  };
}

/**
 * The judged environment of a talk. A talk ends at the first message whose turn was wrong.
 *
 * @param edgeTools - default: runs them in this process
 */
export function createTalk(
  reference: TaskReference,
  edgeTools: EdgeToolExecutor = localEdgeTools,
): JudgedEnvironment {
  const { goods, cart, messages } = talkOf(reference);
  const { texts } = messagesOf(reference);
  const expectations = messages.map(expectationOf);
  const shop = createShop(cart, goods);
  let before: readonly CartLine[] = cart;
  let right = 0;
  let calls = 0;
  let parts = { cart: true, answer: true, unasked: false };
  const asksFor = (at: number) => !sameCart(before, expectations[at]?.cart ?? []);

  const reply = (text: string): string | null => {
    const expected = expectations[right];
    if (expected === undefined) return null;
    const verdict = judgeTurn(expected, text, shop.state.cart, {
      changes: asksFor(right),
      calls,
      goods,
    });
    parts = { ...parts, ...verdict };
    if (!verdict.cart || !verdict.answer || parts.unasked) return null;
    right += 1;
    calls = 0;
    before = shop.state.cart;
    return texts[right] ?? null;
  };
  return {
    environment: createTurnEnvironment({
      task: reference,
      begin: () => ({ system: SHOP_SYSTEM, tools: SHOP_TOOLS, userMessage: texts[0] ?? "" }),
      run: (call, signal) =>
        toolResult(call, async () => {
          calls += 1;
          const value = await runShopTool(shop, call, edgeTools, signal);
          // A change that was not asked for stays wrong, even if it is taken back.
          if (!asksFor(right) && !sameCart(before, shop.state.cart)) {
            parts = { ...parts, unasked: true };
          }
          return value;
        }),
      reply,
    }),
    judge: (finalText): Judgment => {
      const success = finalText !== null && right === expectations.length && !parts.unasked;
      return {
        reward: success ? 1 : 0,
        success,
        parts: { ...parts, turns: right },
      };
    },
  };
}
