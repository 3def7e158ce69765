/** The shop as a family of tasks: its environment, verifier and demonstrator under the common names. */
import { demonstrate } from "./shop-demonstrator.ts";
import { createShopEnvironment } from "./shop-environment.ts";
import { SHOP_ENVIRONMENT } from "./shop-instance.ts";
import { shopTask } from "./shop-task.ts";
import { verifyShop } from "./shop-verifier.ts";
import { leveledReferences, type TaskFamily } from "./task-family.ts";

/** One level: the shop's tasks are of nine families, hard and easy ones among each. */
export const SHOP: TaskFamily = {
  ...leveledReferences(SHOP_ENVIRONMENT, 1),
  maxTurns: 8,
  task: shopTask,
  world: (reference) => {
    const environment = createShopEnvironment(reference);
    return {
      environment,
      judge: (finalText) => verifyShop(reference, { finalText, state: environment.shop.state }),
    };
  },
  demonstrator: async (reference, random, mistakes) => {
    const right = 1 - mistakes;
    const { turns } = await demonstrate(reference, random, {
      ...{ sort: right, limit: right, quantity: right, convert: right },
      ...{ match: right, look: right, both: right },
    });
    // A demonstration depends on the seed alone, so its turns are those that this world asks for.
    let next = 0;
    return () => {
      const { text, toolCalls } = turns[next] ?? { text: "", toolCalls: [] };
      next += 1;
      return {
        text,
        calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      };
    };
  },
};
