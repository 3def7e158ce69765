/** Turns that go on from what was said or done before: corrections, choices and references. */
import type { Product } from "../../catalogue-data.ts";
import { searchProducts } from "../../catalogue.ts";
import { cartTotal } from "../../shop.ts";
import { pick } from "@waggle/environments";
import { addCall, type Hit, removeCall, searchFor } from "../assistant.ts";
import { addedOf, next, withPieces } from "../scene.ts";
import type { DrawTurn, Scene, TurnsOf } from "../talk-turn.ts";
import { countOf, drawProducts, nameOf } from "../values.ts";
import { CHOICES } from "../wordings/index.ts";
import { cartFacts, sayCart, saySum, setPieces } from "./cart-turns.ts";
import { bestOf } from "./range-questions.ts";

/** A change of the number of pieces of what was just added. */
function newNumber(kind: "follow-make-it" | "correct-number"): DrawTurn {
  return (random, scene) => {
    const { last } = scene;
    if (last === null || last.added === 0) return null;
    if ((kind === "correct-number") === (last.added === 1)) return null;
    const n = 1 + Math.floor(random() * 5);
    if (n === last.added || n > last.item.stock || (n === 1 && kind === "follow-make-it"))
      return null;
    const cart = withPieces(scene.cart, last.item, n);
    return {
      kind,
      slots: { n: countOf(n, random) },
      expected: { cart, form: "answer", facts: [[last.item.name], n, n * last.item.price] },
      conduct: (assistant) => setPieces(assistant, assistant.last as Hit, last.added, n),
      after: next(scene, { cart, last: { ...last, added: n } }),
    };
  };
}

const removeAgain: DrawTurn = (_, scene) => {
  const { last } = scene;
  if (last === null || last.added === 0) return null;
  const cart = withPieces(scene.cart, last.item, 0);
  return {
    kind: "follow-remove-again",
    slots: {},
    expected: { cart, form: "answer", facts: [[last.item.name]] },
    conduct: async (assistant) => {
      const hit = assistant.last as Hit;
      await assistant.act(removeCall(hit));
      return `I removed the ${hit.name}.`;
    },
    after: next(scene, { cart, last: null }),
  };
};

const together: DrawTurn = (_, scene) => {
  if (scene.began === "filled" || scene.cart.length < 2) return null;
  return {
    kind: "follow-together",
    slots: {},
    expected: { cart: scene.cart, form: "answer", facts: [cartTotal(scene.cart, scene.goods)] },
    conduct: saySum,
    after: next(scene, {}),
  };
};

const whatBought: DrawTurn = (_, scene) => {
  if (scene.began === "filled" || scene.cart.length === 0) return null;
  return {
    kind: "follow-what-bought",
    slots: {},
    expected: { cart: scene.cart, form: "answer", facts: cartFacts(scene) },
    conduct: sayCart,
    after: next(scene, {}),
  };
};

/** The scene and the expectation after one more piece of a product. */
function taken(scene: Scene, item: Product, what?: string) {
  const after = addedOf(scene, item, 1, what);
  const facts = [[item.name], item.price];
  return { after, expected: { cart: after.cart, form: "answer" as const, facts } };
}

const takeIt: DrawTurn = (_, scene) => {
  const { last } = scene;
  if (last === null || last.added > 0 || scene.cart.some(({ id }) => id === last.item.id))
    return null;
  return {
    kind: "follow-take-it",
    slots: {},
    ...taken(scene, last.item, last.what),
    conduct: (assistant) => assistant.add(assistant.last as Hit),
  };
};

const chooseOrdinal: DrawTurn = (random, scene) => {
  if (scene.listed.length < 3) return null;
  const at = Math.floor(random() * 3);
  const item = scene.listed[at] as Product;
  if (scene.cart.some(({ id }) => id === item.id)) return null;
  return {
    kind: "choose-ordinal",
    slots: {},
    patterns: CHOICES[(["first", "second", "third"] as const)[at] ?? "first"],
    ...taken(scene, item),
    conduct: (assistant) =>
      assistant.add(assistant.listed[assistant.errs() ? 0 : at] ?? (assistant.listed[0] as Hit)),
  };
};

const correctOther: DrawTurn = (random, scene) => {
  const { last } = scene;
  if (last?.added !== 1) return null;
  const same = searchProducts({ query: last.item.category }, scene.goods).filter(
    (item) => item !== last.item && !scene.cart.some(({ id }) => id === item.id),
  );
  const other = random() < 0.6 ? pick(random, same) : drawProducts(random, 1, scene)[0];
  if (other === undefined) return null;
  const cart = withPieces(withPieces(scene.cart, last.item, 0), other, 1);
  return {
    kind: "correct-other",
    slots: { other: nameOf(other, random, scene.goods) },
    expected: { cart, form: "answer", facts: [[other.name], other.price], mentions: [last.item] },
    conduct: async (assistant) => {
      const old = assistant.last as Hit;
      const [hits] = await assistant.act(searchFor(other));
      const hit = assistant.choose(hits as readonly Hit[], other);
      const out = assistant.errs() ? [] : [removeCall(old)];
      await assistant.act(...out, addCall(hit, 1));
      assistant.last = hit;
      return `I replaced the ${old.name} with the ${hit.name} (${hit.price} EUR).`;
    },
    after: next(scene, { cart, last: { item: other, added: 1, what: other.category } }),
  };
};

const correctCheaper: DrawTurn = (_, scene) => {
  const { last } = scene;
  if (last?.added !== 1) return null;
  const item = bestOf({ matching: searchProducts({ query: last.what }, scene.goods) }, "price");
  if (item === null || item === last.item || scene.cart.some(({ id }) => id === item.id))
    return null;
  const cart = withPieces(withPieces(scene.cart, last.item, 0), item, 1);
  return {
    kind: "correct-cheaper",
    slots: {},
    expected: { cart, form: "answer", facts: [[item.name], item.price], mentions: [last.item] },
    conduct: async (assistant) => {
      const old = assistant.last as Hit;
      const [hit] = await assistant.search({ query: last.what, sort: "price" });
      if (hit === undefined) return "";
      const out = assistant.errs() ? [] : [removeCall(old)];
      await assistant.act(...out, addCall(hit, 1));
      assistant.last = hit;
      return `I replaced the ${old.name} with the ${hit.name} (${hit.price ?? "?"} EUR).`;
    },
    after: next(scene, { cart, last: { item, added: 1, what: last.what } }),
  };
};

export const FOLLOW_UP_TURNS: TurnsOf<
  | "follow-make-it"
  | "correct-number"
  | "follow-remove-again"
  | "follow-together"
  | "follow-what-bought"
  | "follow-take-it"
  | "choose-ordinal"
  | "correct-other"
  | "correct-cheaper"
> = {
  "follow-make-it": newNumber("follow-make-it"),
  "correct-number": newNumber("correct-number"),
  "follow-remove-again": removeAgain,
  "follow-together": together,
  "follow-what-bought": whatBought,
  "follow-take-it": takeIt,
  "choose-ordinal": chooseOrdinal,
  "correct-other": correctOther,
  "correct-cheaper": correctCheaper,
};
