/** Changes of the cart in which a person names a line by its category: "take the mug out again". */
import { pick } from "@waggle/environments";
import { removed } from "../answers.ts";
import { removeCall } from "../assistant.ts";
import { type Line, linesOf, next, singleLines, withPieces } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { type CategoryWords, categoryWords } from "../values.ts";
import { clear } from "./cart-turns.ts";

/** Slots that name a line. `{line}` fits any number of pieces, `{what}` is for one piece and `{category}` for several. */
function lineSlots({ one, several }: CategoryWords, quantity: number) {
  return quantity === 1 ? { line: one, what: one } : { line: several, category: several };
}

const remove: DrawTurn = (random, scene) => {
  const single = singleLines(scene);
  if (scene.cart.length < 2 || single.length === 0) return null;
  const line = pick(random, single);
  const { item, quantity } = line;
  const others = single.filter((other) => other !== line);
  const kept: Line | undefined = others.length === 0 ? undefined : pick(random, others);
  const cart = withPieces(scene.cart, item, 0);
  return {
    kind: "remove-by-category",
    slots: {
      ...lineSlots(categoryWords(item, random), quantity),
      ...(kept === undefined
        ? {}
        : { kept: lineSlots(categoryWords(kept.item, random), kept.quantity).line }),
    },
    expected: {
      cart,
      form: "answer",
      facts: [[item.name]],
      never: ["not in"],
      mentions: linesOf({ ...scene, cart }).map((other) => other.item),
    },
    conduct: async (assistant) => {
      const seen = assistant.choose((await assistant.cart()).lines, item);
      await assistant.act(removeCall(seen));
      return removed([seen]);
    },
    after: next(scene, { cart, last: null }),
  };
};

const keep: DrawTurn = (random, scene) => {
  const single = singleLines(scene);
  if (scene.cart.length < 2 || single.length === 0) return null;
  const { item, quantity } = pick(random, single);
  const cart = [{ id: item.id, quantity }];
  return {
    kind: "keep-by-category",
    slots: lineSlots(categoryWords(item, random), quantity),
    expected: { cart, form: "answer", facts: linesOf(scene).map((line) => [line.item.name]) },
    conduct: (assistant) => clear(assistant, item),
    after: next(scene, { cart, last: null }),
  };
};

export const CART_LINE_TURNS: TurnsOf<"remove-by-category" | "keep-by-category"> = {
  "remove-by-category": remove,
  "keep-by-category": keep,
};
