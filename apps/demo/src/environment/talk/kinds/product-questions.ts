/** Questions about one product or two, and about sums of money. */
import { pick } from "@waggle/environments";
import { convertCurrency } from "../../currency.ts";
import type { Product } from "../../catalogue-data.ts";
import { series } from "../answers.ts";
import type { Assistant } from "../assistant.ts";
import { askedAbout, next } from "../scene.ts";
import type { DrawTurn, Expectation, Fact, Scene, TalkTurn, TurnsOf } from "../talk-turn.ts";
import {
  countOf,
  drawCurrency,
  drawProducts,
  limitNear,
  type Meant,
  meant,
  nameOf,
} from "../values.ts";

function answer({ cart }: Scene, ...facts: readonly Fact[]): Expectation {
  return { cart, form: "answer", facts };
}

/** A question about one product whose answer is in the search result. */
function ofOne(
  kind: "price" | "only-price" | "stock" | "rating",
  facts: (item: Product) => readonly Fact[],
  conduct: (assistant: Assistant, item: Meant) => Promise<string>,
): DrawTurn {
  return (random, scene) => {
    const { item, said } = meant(
      (drawProducts(random, 1, { goods: scene.goods }) as [Product])[0],
      random,
      scene.goods,
    );
    return {
      kind,
      slots: { name: said },
      expected: answer(scene, [item.name], ...facts(item)),
      conduct: (assistant) => conduct(assistant, item),
      after: askedAbout(scene, item),
    };
  };
}

async function sayPrice(assistant: Assistant, item: Meant): Promise<string> {
  const [hit] = await assistant.find(item);
  if (hit === undefined) return "";
  return assistant.answered(hit, `The ${hit.name} costs ${hit.price} EUR.`);
}

async function sayStock(assistant: Assistant, item: Meant): Promise<string> {
  const [hit] = await assistant.find(item);
  if (hit === undefined) return "";
  const [stock] = await assistant.act(["check_stock", { id: hit.id }]);
  return assistant.answered(hit, `We have ${String(stock)} of the ${hit.name} in stock.`);
}

async function sayRating(assistant: Assistant, item: Meant): Promise<string> {
  const [hit] = await assistant.find(item);
  if (hit === undefined) return "";
  const [page] = await assistant.act(["open", { id: hit.id }]);
  const { rating } = page as { rating: number };
  return assistant.answered(hit, `The ${hit.name} is rated ${rating} of 5.`);
}

const details: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, { goods: scene.goods }) as [Product];
  const asked = random() < 0.5;
  const others = ["waterproof", "wool", "leather", "wood", "steel", "black", "red", "small"];
  const attribute = pick(random, random() < 0.5 ? item.attributes : others);
  const has = item.attributes.includes(attribute);
  const all = series(item.attributes);
  const facts: Fact[] = asked
    ? [[item.name], [has ? `is ${attribute}` : `not ${attribute}`]]
    : [[item.name], ...item.attributes.map((word) => [word]), item.rating, item.price];
  return {
    kind: "details",
    slots: { name: nameOf(item, random, scene.goods), ...(asked ? { attribute } : {}) },
    needs: asked ? ["attribute"] : [],
    expected: {
      ...answer(scene, ...facts),
      never: asked ? [has ? `not ${attribute}` : `is ${attribute}`] : [],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      await assistant.act(["open", { id: hit.id }]);
      if (!asked) {
        const text = `The ${hit.name} is ${all}, is rated ${item.rating} and costs ${item.price} EUR.`;
        return assistant.answered(hit, text);
      }
      const says = assistant.errs() ? !has : has;
      const verdict = says ? `Yes, the ${hit.name} is` : `No, the ${hit.name} is not`;
      return assistant.answered(hit, `${verdict} ${attribute}.`);
    },
    after: askedAbout(scene, item),
  };
};

function comparison(kind: "compare-price" | "compare-rating"): DrawTurn {
  const [field, word] =
    kind === "compare-price" ? (["price", "cheaper"] as const) : (["rating", "better"] as const);
  return (random, scene): TalkTurn | null => {
    const [item, other] = drawProducts(random, 2, { goods: scene.goods }) as [Product, Product];
    if (item[field] === other[field]) return null;
    const less = item[field] < other[field];
    const winner = less === (field === "price") ? item : other;
    const loser = winner === item ? other : item;
    return {
      kind,
      slots: { name: nameOf(item, random, scene.goods), other: nameOf(other, random, scene.goods) },
      expected: {
        ...answer(scene, [item.name], [other.name], item[field], other[field], [
          `${winner.name} is ${word}`,
        ]),
        never: [`${loser.name} is ${word}`],
      },
      conduct: async (assistant) => {
        const [a, b] = await assistant.find(item, other);
        if (a === undefined || b === undefined) return "";
        const values =
          field === "price"
            ? [a.price, b.price]
            : (await assistant.act(["open", { id: a.id }], ["open", { id: b.id }])).map(
                (page) => (page as { rating: number }).rating,
              );
        const first = assistant.errs() ? winner !== item : winner === item;
        const verb = field === "price" ? "costs" : "is rated";
        const unit = field === "price" ? " EUR" : "";
        return `The ${a.name} ${verb} ${values[0]}${unit} and the ${b.name} ${verb} ${values[1]}${unit}, so the ${first ? a.name : b.name} is ${word}.`;
      },
      after: askedAbout(scene, winner),
    };
  };
}

const inCurrency: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, { goods: scene.goods }) as [Product];
  const { code, said } = drawCurrency(random);
  const amount = convertCurrency(item.price, "EUR", code);
  return {
    kind: "price-in-currency",
    slots: { name: nameOf(item, random, scene.goods), currency: said },
    expected: answer(scene, [item.name], amount),
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      if (assistant.errs()) return `The ${hit.name} costs ${hit.price} ${code}.`;
      const [converted] = await assistant.act([
        "convert_currency",
        { amount: hit.price, to: code },
      ]);
      return assistant.answered(hit, `The ${hit.name} costs ${String(converted)} ${code}.`);
    },
    after: askedAbout(scene, item),
  };
};

const ofSeveral: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, { goods: scene.goods }) as [Product];
  const n = 2 + Math.floor(random() * 4);
  return {
    kind: "price-of-several",
    slots: { name: nameOf(item, random, scene.goods), n: countOf(n, random) },
    expected: answer(scene, [item.name], n * item.price),
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      const quantity = assistant.pieces(n);
      const [sum] = await assistant.act(["calculate", { expression: `${quantity}*${hit.price}` }]);
      return assistant.answered(hit, `${n} x ${hit.name} cost ${String(sum)} EUR.`);
    },
    after: next(scene, { last: null }),
  };
};

const afford: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, { goods: scene.goods }) as [Product];
  const limit = limitNear(item.price * (0.6 + random() * 0.7), [item], random);
  if (limit === null) return null;
  const enough = item.price <= limit;
  return {
    kind: "afford-question",
    slots: { name: nameOf(item, random, scene.goods), limit: String(limit) },
    expected: {
      ...answer(scene, [item.name], item.price, [enough ? "is enough" : "not enough"]),
      never: [enough ? "not enough" : "is enough"],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      const says = assistant.errs() ? !enough : enough;
      const verdict = says ? "is enough" : "is not enough";
      const text = `The ${hit.name} costs ${hit.price} EUR, so ${limit} EUR ${verdict}.`;
      return assistant.answered(hit, text);
    },
    after: askedAbout(scene, item),
  };
};

/** Whether a product suits a person, a place or a use: its page does not say it. */
const suitability: DrawTurn = (random, scene) => {
  const { item, said } = meant(
    (drawProducts(random, 1, { goods: scene.goods }) as [Product])[0],
    random,
    scene.goods,
  );
  return {
    kind: "suitability",
    slots: { name: said },
    expected: {
      ...answer(
        scene,
        [item.name],
        ["don't know", "do not know", "can't tell", "cannot tell", "can't say", "cannot say"],
        ...item.attributes.map((word) => [word]),
      ),
      never: ["yes,", "no,"],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      const [page] = await assistant.act(["open", { id: hit.id }]);
      const { attributes } = page as Pick<Product, "attributes">;
      const verdict = assistant.errs() ? "Yes, it is fine." : "I don't know that.";
      const text = `${verdict} The ${hit.name} is ${series(attributes)} and costs ${hit.price} EUR.`;
      return assistant.answered(hit, text);
    },
    after: askedAbout(scene, item),
  };
};

export const PRODUCT_TURNS: TurnsOf<
  | "price"
  | "only-price"
  | "stock"
  | "rating"
  | "details"
  | "compare-price"
  | "compare-rating"
  | "price-in-currency"
  | "price-of-several"
  | "afford-question"
  | "suitability"
> = {
  price: ofOne("price", ({ price }) => [price], sayPrice),
  "only-price": ofOne("only-price", ({ price }) => [price], sayPrice),
  stock: ofOne("stock", ({ stock }) => [stock], sayStock),
  rating: ofOne("rating", ({ rating }) => [rating], sayRating),
  details,
  "compare-price": comparison("compare-price"),
  "compare-rating": comparison("compare-rating"),
  "price-in-currency": inCurrency,
  "price-of-several": ofSeveral,
  "afford-question": afford,
  suitability,
};
