/** Messages after which the cart must be as it was: what a person keeps or declines, and checks after a change. */
import { pick } from "@waggle/environments";
import type { Product } from "../../catalogue-data.ts";
import type { Assistant, SeenLine } from "../assistant.ts";
import { linesOf, next } from "../scene.ts";
import type { DrawTurn, Scene, TurnsOf } from "../talk-turn.ts";
import { countOf, drawProducts, nameOf } from "../values.ts";

const UNCHANGED = "All right, I leave your cart as it is.";

/** Says that nothing changes; a mistake takes a line out of the cart, or puts a product into it. */
async function leave(assistant: Assistant, query: string): Promise<string> {
  if (!assistant.errs()) return UNCHANGED;
  const [line] = (await assistant.cart()).lines;
  if (line !== undefined) {
    await assistant.act(["remove_from_cart", { id: line.id }]);
    return `I removed the ${line.name}.`;
  }
  const [hit] = await assistant.search({ query });
  return hit === undefined ? UNCHANGED : assistant.add(hit);
}

/** What must be true if nothing changes. The answer may name what is in the cart and what the talk was about. */
function unchanged({ goods, cart, last, listed }: Scene, ...also: readonly Product[]) {
  return {
    cart,
    form: "answer" as const,
    facts: [["as it is", "as it was", "unchanged", "nothing", "leave", "not"]],
    mentions: [
      ...linesOf({ cart, goods }).map(({ item }) => item),
      ...listed,
      ...(last === null ? [] : [last.item]),
      ...also,
    ],
  };
}

/** Nothing in the cart changes. */
const keep: DrawTurn = (_, scene) => ({
  kind: "keep",
  slots: {},
  expected: unchanged(scene),
  conduct: (assistant) => leave(assistant, ""),
  after: next(scene, { last: null }),
});

/** After an answer or a question of the assistant, a person wants nothing of it. */
const decline: DrawTurn = (_, scene) => {
  const { last, listed, turns } = scene;
  if (turns === 0 || (last !== null && last.added > 0)) return null;
  if (last === null && listed.length === 0) return null;
  return {
    kind: "decline",
    slots: {},
    expected: unchanged(scene),
    conduct: (assistant) => leave(assistant, (last?.item ?? listed[0])?.name ?? ""),
    after: next(scene, { last: null }),
    near: { id: (last?.item ?? listed[0])?.id ?? "" },
  };
};

const notWanted: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, scene) as [Product];
  return {
    kind: "not-wanted",
    slots: { name: nameOf(item, random, scene.goods) },
    expected: unchanged(scene, item),
    conduct: async (assistant) => {
      if (!assistant.errs()) return UNCHANGED;
      const [hit] = await assistant.find(item);
      return hit === undefined ? UNCHANGED : assistant.add(hit);
    },
    after: next(scene, { last: null }),
    near: { id: item.id },
  };
};

const keepProduct: DrawTurn = (random, scene) => {
  if (scene.cart.length === 0) return null;
  const { item } = pick(random, linesOf(scene));
  return {
    kind: "keep-product",
    slots: { name: nameOf(item, random, scene.goods) },
    expected: {
      ...unchanged(scene),
      facts: [[item.name], ["stay", "keep", "leave", "remain", "still"]],
    },
    conduct: async (assistant) => {
      const line = assistant.choose((await assistant.cart()).lines, item);
      if (!assistant.errs()) return `The ${line.name} stays in your cart.`;
      await assistant.act(["remove_from_cart", { id: line.id }]);
      return `I removed the ${line.name}.`;
    },
    after: next(scene, { last: null }),
  };
};

/** The line of the product that the talk was last about. */
async function lastLine(assistant: Assistant): Promise<SeenLine | undefined> {
  const { lines } = await assistant.cart();
  return lines.find(({ id }) => id === assistant.last?.id);
}

/** Pieces of the product that the talk was last about, which are in the cart. */
function quantityOf({ cart, last }: Scene): number {
  return cart.find(({ id }) => id === last?.item.id)?.quantity ?? 0;
}

const checkAdded: DrawTurn = (_, scene) => {
  const { last } = scene;
  const quantity = quantityOf(scene);
  // Pieces that were there before say nothing about what was done.
  if (last === null || quantity !== last.added) return null;
  const { name } = last.item;
  return {
    kind: "check-added",
    slots: {},
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: [[name], quantity > 0 ? quantity : ["not in", "no,", "no."]],
      never: [quantity > 0 ? "not in" : "yes"],
    },
    conduct: async (assistant) => {
      const line = await lastLine(assistant);
      if (assistant.errs() && assistant.last !== null) return assistant.add(assistant.last);
      if (line === undefined) return `No, the ${name} is not in your cart.`;
      return `Yes, your cart has ${line.quantity} x ${line.name}.`;
    },
    after: next(scene, { last }),
  };
};

const checkNumber: DrawTurn = (random, scene) => {
  const { last } = scene;
  if (last === null || last.added === 0) return null;
  const asked = random() < 0.5 ? last.added : 1 + Math.floor(random() * 4);
  const right = asked === last.added;
  return {
    kind: "check-number",
    slots: { n: countOf(asked, random) },
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: [[last.item.name], last.added, right ? ["yes"] : ["no,", "no."]],
      never: right ? ["no,", "no."] : ["yes"],
    },
    conduct: async (assistant) => {
      const line = await lastLine(assistant);
      if (line === undefined) return "Your cart is empty.";
      if (assistant.errs()) await assistant.act(["add_to_cart", { id: line.id }]);
      const says = line.quantity === asked ? "Yes" : "No";
      return `${says}, your cart has ${line.quantity} x ${line.name}.`;
    },
    after: next(scene, { last }),
  };
};

export const UNCHANGED_TURNS: TurnsOf<
  "keep" | "decline" | "not-wanted" | "keep-product" | "check-added" | "check-number"
> = {
  keep,
  decline,
  "not-wanted": notWanted,
  "keep-product": keepProduct,
  "check-added": checkAdded,
  "check-number": checkNumber,
};
