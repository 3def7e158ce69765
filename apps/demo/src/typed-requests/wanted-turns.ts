/** Which turns of a rollout change the cart as its task wants, for a calibration of calls. */
import { turnConfidences } from "@waggle/agent";
import type { ToolArguments } from "@waggle/environments";
import type { Prediction } from "@waggle/evaluation";
import type { TaskReference, Trajectory } from "@waggle/protocol";
import type { CartLine } from "../environment/shop.ts";
import { createShop } from "../environment/shop.ts";
import { shopInstance } from "../environment/shop-errands.ts";
import { CHANGING_TOOLS, runPageTool } from "../environment/shop-tools.ts";
import { talkOf } from "../environment/talk/talk-instance.ts";
import { SHOP_TALK } from "../environment/talk/talk-spec.ts";
import { createAskedPerson } from "./asked-person.ts";

/**
 * The turns with calls that change the cart: their confidence, and whether `AskedPerson` would say yes to each such call.
 * Calls with invalid arguments are left out: they do not run, so the page does not ask about them.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a rollout of another environment.
 */
export function wantedTurns(record: Pick<Trajectory, "segments" | "task" | "turns">): Prediction[] {
  if (record.task === null) return [];
  const { cart, expectedCart } = cartsOf(record.task);
  const shop = createShop(cart);
  const person = createAskedPerson([expectedCart.map(typedLine)], shop);
  const confidences = turnConfidences(record);
  return record.turns.flatMap(({ toolCalls, toolResults }, nth) => {
    const results = new Map(toolResults.map((result) => [result.callId, result]));
    const asked = toolCalls.filter(({ id, name }) => {
      const result = results.get(id);
      const isValid = result?.ok === true || result?.error.code === "TOOL_FAILED";
      return CHANGING_TOOLS.has(name) && isValid;
    });
    person.startTurn();
    const answers = asked.map((call) => person.wants(call.name, call.arguments, false));
    for (const call of asked) {
      if (results.get(call.id)?.ok) runPageTool(shop, call.name, call.arguments as ToolArguments);
    }
    if (asked.length === 0) return [];
    return [{ confidence: confidences[nth] ?? 0, success: answers.every(Boolean) }];
  });
}

/** The cart before a task, and the one that it wants. Of talks, only those with one message have one. */
function cartsOf(task: TaskReference): {
  readonly cart: readonly CartLine[];
  readonly expectedCart: readonly CartLine[];
} {
  if (task.environment !== SHOP_TALK.name) return shopInstance(task);
  const { cart, messages } = talkOf(task);
  return { cart, expectedCart: messages.at(-1)?.at(-1)?.expected.cart ?? cart };
}

function typedLine({ id: product, quantity }: CartLine) {
  return { product, quantity };
}
