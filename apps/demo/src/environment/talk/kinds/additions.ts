/** Wishes for products: by name, by number, and by a choice that the wish states. */
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { added } from "../answers.ts";
import { addCall, type Assistant, type Hit, shown } from "../assistant.ts";
import { addedAnswer, addedOf, next, withPieces } from "../scene.ts";
import type { DrawTurn, Fact, TurnsOf } from "../talk-turn.ts";
import { countOf, drawDescription, drawProducts, limitNear, meant, nameOf } from "../values.ts";
import { bestOf, drawLimited } from "./range-questions.ts";

/** One piece of a product by name. */
function addOne(kind: "add" | "follow-other-too"): DrawTurn {
  return (random, scene) => {
    const [drawn] = drawProducts(random, 1, scene) as [Product];
    const { item, said } = meant(drawn, random, scene.goods);
    const slot = kind === "add" ? "name" : "other";
    const after = addedOf(scene, item, 1);
    return {
      kind,
      slots: { [slot]: said },
      expected: addedAnswer(after, item),
      conduct: async (assistant) => {
        const [hit] = await assistant.find(item);
        return hit === undefined ? "" : assistant.add(hit);
      },
      after,
    };
  };
}

/** A few pieces, or more than five of them. */
function drawSome(random: RandomSource): number {
  return random() < 0.2 ? 6 + Math.floor(random() * 10) : 2 + Math.floor(random() * 4);
}

const addN: DrawTurn = (random, scene) => {
  const [drawn] = drawProducts(random, 1, scene) as [Product];
  const { item, said } = meant(drawn, random, scene.goods);
  const tooMany = random() < 0.15;
  const n = tooMany ? item.stock + 1 + Math.floor(random() * 3) : drawSome(random);
  if (n > 99 || (!tooMany && n > item.stock)) return null;
  const slots = { name: said, n: countOf(n, random) };
  if (tooMany) {
    return {
      kind: "add-n",
      slots,
      expected: { cart: scene.cart, form: "answer", facts: [[item.name], item.stock] },
      conduct: async (assistant) => {
        const [hit] = await assistant.find(item);
        if (hit === undefined) return "";
        const quantity = assistant.pieces(n);
        const [result] = await assistant.act(addCall(hit, quantity));
        if (result !== null) return added([shown(hit, quantity)]);
        return `We have only ${item.stock} of the ${hit.name}, so I did not add any.`;
      },
      after: next(scene, { last: { item, added: 0, what: item.category } }),
    };
  }
  const after = addedOf(scene, item, n);
  return {
    kind: "add-n",
    slots,
    expected: { cart: after.cart, form: "answer", facts: [[item.name], n, n * item.price] },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      return hit === undefined ? "" : assistant.add(hit, n);
    },
    after,
  };
};

/** Several different products with their numbers. */
function addSeveral(kind: "add-two" | "add-three" | "add-each"): DrawTurn {
  return (random, scene) => {
    const items = drawProducts(random, kind === "add-three" ? 3 : 2, scene);
    const counts = items.map(() => (kind === "add-each" ? 1 + Math.floor(random() * 4) : 1));
    if (kind === "add-each" && random() < 0.25) counts[1] = counts[0] as number;
    if (items.some((item, at) => (counts[at] as number) > item.stock)) return null;
    const [n = 1, m = 1] = counts;
    const names = ["name", "other", "third"];
    const numbers = kind === "add-each" ? { n: countOf(n, random) } : {};
    const second = kind === "add-each" && m !== n ? { m: countOf(m, random) } : {};
    const cart = items.reduce(
      (lines, item, at) => withPieces(lines, item, counts[at] as number),
      scene.cart,
    );
    const facts: Fact[] = items.flatMap((item, at) => {
      const count = counts[at] as number;
      return [[item.name], item.price, ...(count > 1 ? [count] : [])];
    });
    return {
      kind,
      slots: {
        ...Object.fromEntries(
          items.map((item, at) => [names[at] as string, nameOf(item, random, scene.goods)]),
        ),
        ...numbers,
        ...second,
      },
      needs: Object.keys(second),
      expected: { cart, form: "answer", facts },
      conduct: async (assistant) => {
        const found = await assistant.find(...items);
        const hits = assistant.errs() ? found.slice(0, 1) : found;
        const quantities = hits.map((_, at) => assistant.pieces(counts[at] as number));
        await assistant.act(...hits.map((hit, at) => addCall(hit, quantities[at] as number)));
        return added(hits.map((hit, at) => shown(hit, quantities[at])));
      },
      after: next(scene, { cart, last: null }),
    };
  };
}

/** The cheapest or the best rated product of a description. */
function addSuperlative(kind: "add-cheapest" | "add-best", sort: "price" | "rating"): DrawTurn {
  return (random, scene) => {
    const description = drawDescription(random, scene.goods);
    const item = bestOf(description, sort);
    if (item === null || scene.cart.some(({ id }) => id === item.id)) return null;
    const after = addedOf(scene, item, 1, description.query);
    return {
      kind,
      slots: description.slots,
      expected: addedAnswer(after, item),
      conduct: async (assistant) => {
        const [hit] = await assistant.search({ query: description.query, sort });
        return hit === undefined ? "" : assistant.add(hit);
      },
      after,
    };
  };
}

function addLimited(
  kind: "add-cheapest-limit" | "add-best-limit",
  sort: "price" | "rating",
): DrawTurn {
  return (random, scene) => {
    const drawn = drawLimited(random, scene.goods);
    if (drawn === null) return null;
    const { query, limit, fitting, slots } = drawn;
    const said = { ...slots, limit: String(limit) };
    const item = fitting.length === 1 ? (fitting[0] ?? null) : bestOf({ matching: fitting }, sort);
    const conduct = async (assistant: Assistant) => {
      const [hit] = await assistant.search({ query, maxPrice: limit, sort });
      return hit === undefined
        ? `We have nothing under ${limit} EUR, so I did not add any.`
        : assistant.add(hit);
    };
    if (fitting.length === 0) {
      return {
        kind,
        slots: said,
        expected: { cart: scene.cart, form: "answer", facts: [["nothing", "none", "no ", "not"]] },
        conduct,
        after: next(scene, { last: null }),
      };
    }
    if (item === null || scene.cart.some(({ id }) => id === item.id)) return null;
    const after = addedOf(scene, item, 1, query);
    return {
      kind,
      slots: said,
      expected: addedAnswer(after, item),
      conduct,
      after,
    };
  };
}

const addIfUnder: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, scene) as [Product];
  const limit = limitNear(item.price * (0.6 + random() * 0.7), [item], random);
  if (limit === null) return null;
  const fits = item.price <= limit;
  const after = fits ? addedOf(scene, item, 1) : next(scene, { last: null });
  return {
    kind: "add-if-under",
    slots: { name: nameOf(item, random, scene.goods), limit: String(limit) },
    expected: {
      cart: after.cart,
      form: "answer",
      facts: [[item.name], item.price, ...(fits ? [] : [["not"]])],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      if ((hit.price as number) <= limit || assistant.errs()) return assistant.add(hit);
      return `The ${hit.name} costs ${hit.price} EUR, so I did not add it.`;
    },
    after,
  };
};

const butNot: DrawTurn = (random, scene) => {
  const [item, other] = drawProducts(random, 2, scene) as [Product, Product];
  const after = addedOf(scene, item, 1);
  return {
    kind: "but-not",
    slots: { name: nameOf(item, random, scene.goods), other: nameOf(other, random, scene.goods) },
    expected: addedAnswer(after, item, other),
    conduct: async (assistant) => {
      const wanted = assistant.errs() ? [item, other] : [item];
      const hits = await assistant.find(...wanted);
      if (hits.length === 1) return assistant.add(hits[0] as Hit);
      await assistant.act(...hits.map((hit) => addCall(hit, 1)));
      return added(hits.map((hit) => shown(hit)));
    },
    after,
  };
};

export const ADDITION_TURNS: TurnsOf<
  | "add"
  | "follow-other-too"
  | "add-n"
  | "add-two"
  | "add-three"
  | "add-each"
  | "add-cheapest"
  | "add-best"
  | "add-cheapest-limit"
  | "add-best-limit"
  | "add-if-under"
  | "but-not"
> = {
  add: addOne("add"),
  "follow-other-too": addOne("follow-other-too"),
  "add-n": addN,
  "add-two": addSeveral("add-two"),
  "add-three": addSeveral("add-three"),
  "add-each": addSeveral("add-each"),
  "add-cheapest": addSuperlative("add-cheapest", "price"),
  "add-best": addSuperlative("add-best", "rating"),
  "add-cheapest-limit": addLimited("add-cheapest-limit", "price"),
  "add-best-limit": addLimited("add-best-limit", "rating"),
  "add-if-under": addIfUnder,
  "but-not": butNot,
};
