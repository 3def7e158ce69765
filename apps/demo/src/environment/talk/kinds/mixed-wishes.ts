/** Messages with something that can be done and something that cannot: the one is done, the other refused. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { DrawTurn, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { filled, fittingPatterns, isHeldOutPattern } from "../wording.ts";
import { ADDITION_TURNS } from "./additions.ts";
import { CART_TURNS } from "./cart-turns.ts";
import { OTHER_REQUEST_TURNS } from "./other-requests.ts";
import { PRODUCT_TURNS } from "./product-questions.ts";
import { RANGE_TURNS } from "./range-questions.ts";

/** A turn that occurs twice is drawn twice as often. */
const DOABLE: readonly DrawTurn[] = [
  ADDITION_TURNS.add,
  ADDITION_TURNS.add,
  ADDITION_TURNS.add,
  ADDITION_TURNS["add-n"],
  ADDITION_TURNS["add-cheapest"],
  PRODUCT_TURNS.price,
  PRODUCT_TURNS.stock,
  PRODUCT_TURNS.rating,
  RANGE_TURNS["cheapest-question"],
  CART_TURNS.remove,
];
const FOREIGN: readonly DrawTurn[] = [
  OTHER_REQUEST_TURNS["other-subject"],
  OTHER_REQUEST_TURNS["shop-service"],
];

/** A turn in words, without its end. The draws do not know the split, so a held-out pattern is never taken. */
function said(turn: TalkTurn, random: RandomSource): string {
  const known = fittingPatterns(turn).filter(({ index }) => !isHeldOutPattern(index));
  return filled(pick(random, known).pattern, turn.slots).replace(/[.!?]+$/, "");
}

const mixedWishes: DrawTurn = (random, scene) => {
  const wish = pick(random, DOABLE)(random, scene);
  const foreign = pick(random, FOREIGN)(random, scene);
  if (wish === null || foreign === null) return null;
  const { expected, near, after } = wish;
  return {
    kind: "mixed-wishes",
    slots: { wish: said(wish, random), foreign: said(foreign, random) },
    expected: { ...expected, facts: [...expected.facts, ["can't", "cannot"]] },
    conduct: async (assistant) => {
      const done = await wish.conduct(assistant);
      return assistant.errs() ? done : `${done} I can't help with the rest.`;
    },
    after,
    ...(near === undefined ? {} : { near }),
  };
};

export const MIXED_WISH_TURNS: TurnsOf<"mixed-wishes"> = { "mixed-wishes": mixedWishes };
