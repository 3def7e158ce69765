/** The shop as an `EnvironmentSpec`: combines its tasks, environment, verifier and demonstrator. */
import type { RandomSource, TaskReference } from "@waggle/protocol";
import { NEW_PRODUCTS, goodsOf } from "./new-products.ts";
import { demonstrate, type ShopSkill } from "./shop-demonstrator.ts";
import { createShopEnvironment } from "./shop-environment.ts";
import { SHOP_ENVIRONMENT, SHOP_LEVELS, shopInstance, shopLevel } from "./shop-errands.ts";
import { shopTask } from "./shop-task.ts";
import { verifyShop } from "./shop-verifier.ts";
import type { Demonstrator, EnvironmentSpec } from "@waggle/environments";

/** Each level adds one wish. Wishes of all nine kinds, easy and hard, occur at every level. */
export const SHOP: EnvironmentSpec = {
  name: SHOP_ENVIRONMENT,
  environments: SHOP_LEVELS,
  levels: SHOP_LEVELS.length,
  reference: (seed, split, level) => ({
    environment: SHOP_LEVELS[level] ?? SHOP_ENVIRONMENT,
    seed: seed >>> 0,
    split,
  }),
  levelOf: shopLevel,
  maxTurns: 8,
  contextLength: 1024,
  task: shopTask,
  startState: (reference) => ({ cart: shopInstance(reference).cart }),
  create: (reference) => {
    const environment = createShopEnvironment(reference);
    return {
      environment,
      judge: (finalText) => verifyShop(reference, { finalText, state: environment.shop.state }),
    };
  },
  demonstrator: (reference, random, mistakes) => {
    const right = 1 - mistakes;
    return demonstrated(reference, random, {
      sort: right,
      limit: right,
      quantity: right,
      convert: right,
      match: right,
      look: right,
      both: right,
    });
  },
};

/** The shop whose held-out requests are about products and values that training lacks. It has one level. */
export const NEW_PRODUCTS_SHOP: EnvironmentSpec = {
  ...SHOP,
  name: NEW_PRODUCTS,
  environments: [NEW_PRODUCTS],
  levels: 1,
  reference: (seed, split) => ({ environment: NEW_PRODUCTS, seed: seed >>> 0, split }),
  startState: (reference) => ({
    cart: shopInstance(reference).cart,
    goods: goodsOf(reference),
  }),
};

/** Repeats a demonstration. It depends on the seed alone, so its turns fit every environment of the task. */
export async function demonstrated(
  reference: TaskReference,
  random: RandomSource,
  skill: ShopSkill,
): Promise<Demonstrator> {
  const { turns } = await demonstrate(reference, random, skill);
  let next = 0;
  return () => {
    const { text, toolCalls } = turns[next] ?? { text: "", toolCalls: [] };
    next += 1;
    return {
      text,
      calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    };
  };
}
