/** Wishes that depend on the answer to a question: on the stock, on ratings, on an attribute. */
import { pick } from "@waggle/environments";
import type { Product } from "../../catalogue-data.ts";
import { addedOf, next } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { countOf, drawProducts, nameOf } from "../values.ts";

/** What the tool `open` shows. */
type Page = { readonly rating: number; readonly attributes: readonly string[] };

const ifStock: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, scene) as [Product];
  const { stock } = item;
  const counts = random() < 0.6;
  const tooMany = random() < 0.35;
  const drawn = tooMany ? stock + 1 + Math.floor(random() * 4) : 2 + Math.floor(random() * 4);
  const n = counts ? drawn : 1;
  if (counts && tooMany !== n > stock) return null;
  const fits = n <= stock;
  const after = fits ? addedOf(scene, item, n) : next(scene, { last: null });
  return {
    kind: "add-if-stock",
    slots: {
      name: nameOf(item, random, scene.goods),
      ...(counts ? { n: countOf(n, random) } : {}),
    },
    needs: counts ? ["n"] : [],
    expected: {
      cart: after.cart,
      form: "answer",
      facts: fits
        ? [[item.name], stock, ...(n > 1 ? [n] : []), n * item.price]
        : [[item.name], stock, ["not"]],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      if (assistant.errs()) return assistant.add(hit, n);
      const [left] = (await assistant.act(["check_stock", { id: hit.id }])) as [number];
      if (left < n) return `We have only ${left} of the ${hit.name}, so I did not add any.`;
      const before = `We have ${left} of the ${hit.name} in stock.`;
      return `${before} ${await assistant.add(hit, n)}`;
    },
    after,
    ...(fits ? {} : { near: { id: item.id } }),
  };
};

const ifBetter: DrawTurn = (random, scene) => {
  const [item, other] = drawProducts(random, 2, scene) as [Product, Product];
  if (item.rating === other.rating) return null;
  const fits = item.rating > other.rating;
  const after = fits ? addedOf(scene, item, 1) : next(scene, { last: null });
  return {
    kind: "add-if-better",
    slots: { name: nameOf(item, random, scene.goods), other: nameOf(other, random, scene.goods) },
    expected: {
      cart: after.cart,
      form: "answer",
      facts: [
        [item.name],
        [other.name],
        item.rating,
        other.rating,
        ...(fits ? [item.price] : [["not"]]),
      ],
    },
    conduct: async (assistant) => {
      const [a, b] = await assistant.find(item, other);
      if (a === undefined || b === undefined) return "";
      if (assistant.errs()) return assistant.add(a);
      const [first, second] = (await assistant.act(
        ["open", { id: a.id }],
        ["open", { id: b.id }],
      )) as [Page, Page];
      const ratings = `The ${a.name} is rated ${first.rating} and the ${b.name} ${second.rating}`;
      return first.rating > second.rating
        ? `${ratings}. ${await assistant.add(a)}`
        : `${ratings}, so I did not add any.`;
    },
    after,
    near: { id: fits ? other.id : item.id },
  };
};

const ifHas: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, scene) as [Product];
  const attribute = pick(
    random,
    random() < 0.5 ? item.attributes : pick(random, scene.goods).attributes,
  );
  const fits = item.attributes.includes(attribute);
  const after = fits ? addedOf(scene, item, 1) : next(scene, { last: null });
  return {
    kind: "add-if-has",
    slots: { name: nameOf(item, random, scene.goods), attribute },
    expected: {
      cart: after.cart,
      form: "answer",
      facts: fits ? [[item.name], item.price] : [[item.name], [`not ${attribute}`]],
      never: [fits ? `not ${attribute}` : `is ${attribute}`],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      if (assistant.errs()) return assistant.add(hit);
      const [page] = (await assistant.act(["open", { id: hit.id }])) as [Page];
      return page.attributes.includes(attribute)
        ? `The ${hit.name} is ${attribute}. ${await assistant.add(hit)}`
        : `The ${hit.name} is not ${attribute}, so I did not add it.`;
    },
    after,
    ...(fits ? {} : { near: { id: item.id } }),
  };
};

export const DEPENDENT_TURNS: TurnsOf<"add-if-stock" | "add-if-better" | "add-if-has"> = {
  "add-if-stock": ifStock,
  "add-if-better": ifBetter,
  "add-if-has": ifHas,
};
