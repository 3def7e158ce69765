/** Changes of a number of pieces relative to what is in the cart: one more, half of them, at most two. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { addCall, removeCall } from "../assistant.ts";
import { drawNamedLine } from "../named-lines.ts";
import { next, withPieces } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { countOf } from "../values.ts";
import { NUMBER_CHANGES } from "../wordings/index.ts";

type Change = keyof typeof NUMBER_CHANGES;

/** Changes by their share: those that state a number are drawn more often. */
const CHANGES: readonly Change[] = [
  "more",
  "more",
  "fewer",
  "fewer",
  "half",
  "double",
  "most",
  "most",
  "exact",
];
/** The number that a person says, if any, and the number of pieces that results. */
function drawNumbers(
  change: Change,
  has: number,
  random: RandomSource,
): { readonly said?: number; readonly wanted: number } {
  const below = (limit: number) => 1 + Math.floor(random() * limit);
  switch (change) {
    case "more": {
      const said = random() < 0.4 ? 1 : below(4);
      return { said, wanted: has + said };
    }
    case "fewer": {
      const said = random() < 0.4 ? 1 : below(3);
      return { said, wanted: has - said };
    }
    case "half":
      return { wanted: has / 2 };
    case "double":
      return { wanted: has * 2 };
    case "most": {
      const said = below(has);
      return { said, wanted: said };
    }
    case "exact": {
      const said = below(6);
      return { said, wanted: said };
    }
  }
}

const relativeNumber: DrawTurn = (random, scene) => {
  const drawn = drawNamedLine(random, scene);
  if (drawn === null) return null;
  const { item, quantity, one, several } = drawn;
  const change = pick(random, CHANGES);
  const { said, wanted } = drawNumbers(change, quantity, random);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted === quantity || wanted > item.stock) {
    return null;
  }
  const more = wanted - quantity;
  const cart = withPieces(scene.cart, item, wanted);
  return {
    kind: "relative-number",
    slots: {
      line: quantity === 1 ? one : several,
      ...(said === undefined
        ? {}
        : { n: countOf(said, random), pieces: said === 1 ? one : several }),
    },
    patterns: NUMBER_CHANGES[change],
    expected: { cart, form: "answer", facts: [[item.name], wanted, item.price] },
    conduct: async (assistant) => {
      const line = assistant.choose((await assistant.cart()).lines, item);
      // A mistake takes what was said for the number to add or to remove.
      const by = assistant.errs() ? wanted : Math.abs(more);
      const call = more > 0 ? addCall(line, by) : removeCall(line, by);
      const [, page] = await assistant.act(call, ["open", { id: line.id }]);
      const { price } = page as { price: number };
      const each = wanted === 1 ? "" : " each";
      return `Your cart now has ${wanted} x ${line.name} (${price} EUR${each}).`;
    },
    after: next(scene, { cart, last: null }),
  };
};

export const RELATIVE_NUMBER_TURNS: TurnsOf<"relative-number"> = {
  "relative-number": relativeNumber,
};
