/** Questions about what the shop has of a kind, and requests that leave a choice open. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import { priced } from "../answers.ts";
import { shown, type Assistant } from "../assistant.ts";
import { askedAbout, next } from "../scene.ts";
import type { DrawTurn, Fact, TurnsOf } from "../talk-turn.ts";
import { type Description, drawDescription, limitNear } from "../values.ts";

/** Products that an answer lists. */
const LISTED = 3;

/** Names and prices of the products that a search shows. */
export function factsOf(products: readonly Product[]): Fact[] {
  return products.slice(0, LISTED).flatMap(({ name, price }) => [[name], price]);
}

async function list(
  assistant: Assistant,
  query: string,
  { maxPrice, joint }: { readonly maxPrice?: number; readonly joint?: "or" } = {},
): Promise<string> {
  const limit = maxPrice === undefined ? {} : { maxPrice };
  assistant.listed = await assistant.search({ query, ...limit });
  return priced(
    assistant.listed.map((hit) => shown(hit)),
    joint,
  );
}

const listCategory: DrawTurn = (random, scene) => {
  const { query, matching, slots } = drawDescription(random, scene.goods);
  return {
    kind: "list-category",
    slots,
    expected: { cart: scene.cart, form: "answer", facts: factsOf(matching) },
    conduct: async (assistant) => `We have ${await list(assistant, query)}.`,
    after: next(scene, {
      last: null,
      listed: matching.slice(0, LISTED),
      sought: { query },
    }),
  };
};

/** Shorter words would be other words without their end. */
const SHORTEST_CUT = 7;

/** A category that was not typed to its end, or with a slip at its end. It still leads to one category. */
function halfOf(category: string, random: RandomSource): string {
  if (category.length >= SHORTEST_CUT) {
    return category.slice(0, random() < 0.5 ? -2 : -1);
  }
  const [second = "", last = ""] = category.slice(-2);
  const start = category.slice(0, -2);
  return random() < 0.5 ? category + last : start + last + second;
}

/** Half a word is read as the whole category. */
const halfWord: DrawTurn = (random, scene) => {
  const { category } = pick(random, scene.goods);
  const matching = searchProducts({ query: category }, scene.goods);
  return {
    kind: "half-word",
    slots: { half: halfOf(category, random) },
    expected: { cart: scene.cart, form: "answer", facts: factsOf(matching) },
    conduct: async (assistant) => {
      const listed = await list(assistant, category);
      const [first] = assistant.listed;
      if (first !== undefined && assistant.errs()) return assistant.add(first);
      return `We have ${listed}.`;
    },
    after: next(scene, { last: null, listed: matching.slice(0, LISTED) }),
  };
};

const ambiguous: DrawTurn = (random, scene) => {
  const { query, matching, slots } = drawDescription(random, scene.goods);
  if (matching.length < 2) return null;
  return {
    kind: "ambiguous",
    slots,
    expected: { cart: scene.cart, form: "clarification", facts: factsOf(matching) },
    conduct: async (assistant) => {
      const listed = await list(assistant, query, { joint: "or" });
      const [first] = assistant.listed;
      if (first !== undefined && assistant.errs()) return assistant.add(first);
      return `Which one do you want: ${listed}?`;
    },
    after: next(scene, {
      last: null,
      listed: matching.slice(0, LISTED),
      sought: { query },
    }),
  };
};

/** The single cheapest or best rated product. */
export function bestOf(
  { matching }: Pick<Description, "matching">,
  sort: "price" | "rating",
): Product | null {
  const sorted = [...matching].sort((a, b) =>
    sort === "price" ? a.price - b.price : b.rating - a.rating,
  );
  const [first, second] = sorted;
  if (first === undefined || second === undefined) return null;
  return first[sort] === second[sort] ? null : first;
}

function superlativeQuestion(
  kind: "cheapest-question" | "best-question",
  sort: "price" | "rating",
): DrawTurn {
  return (random, scene) => {
    const description = drawDescription(random, scene.goods);
    const item = bestOf(description, sort);
    if (item === null) return null;
    return {
      kind,
      slots: description.slots,
      expected: { cart: scene.cart, form: "answer", facts: [[item.name], item[sort]] },
      conduct: async (assistant) => {
        const [hit] = await assistant.search({ query: description.query, sort });
        if (hit === undefined) return "";
        const text =
          sort === "price"
            ? `The cheapest is the ${hit.name} at ${hit.price} EUR.`
            : `The best rated is the ${hit.name} with ${hit.rating ?? item.rating} of 5.`;
        return assistant.answered(hit, text);
      },
      after: askedAbout(scene, item, description.query),
    };
  };
}

/** A description with a limit that some of its products fit, or rarely none. */
export function drawLimited(
  random: RandomSource,
  goods: readonly Product[],
): (Description & { limit: number; fitting: readonly Product[] }) | null {
  const description = drawDescription(random, goods);
  const prices = description.matching.map(({ price }) => price).toSorted((a, b) => a - b);
  const none = random() < 0.15;
  const near = none
    ? (prices[0] as number) * 0.7
    : (prices[Math.floor(random() * prices.length)] as number);
  const limit = limitNear(near, description.matching, random);
  if (limit === null) return null;
  const fitting = searchProducts({ query: description.query, maxPrice: limit }, goods);
  const all = new Set(description.matching);
  // With a limit, a search for both words of "wood lamp" may find products of one of them.
  if (fitting.some((item) => !all.has(item))) return null;
  return { ...description, limit, fitting };
}

const under: DrawTurn = (random, scene) => {
  const drawn = drawLimited(random, scene.goods);
  if (drawn === null) return null;
  const { query, limit, fitting, slots } = drawn;
  const facts = fitting.length === 0 ? [["nothing", "none", "no ", "not"]] : factsOf(fitting);
  return {
    kind: "under-question",
    slots: { ...slots, limit: String(limit) },
    expected: { cart: scene.cart, form: "answer", facts },
    conduct: async (assistant) => {
      const listed = await list(assistant, query, { maxPrice: limit });
      return listed === ""
        ? `We have nothing under ${limit} EUR.`
        : `Under ${limit} EUR we have ${listed}.`;
    },
    after: next(scene, { last: null, listed: fitting.slice(0, LISTED) }),
  };
};

export const RANGE_TURNS: TurnsOf<
  | "list-category"
  | "half-word"
  | "ambiguous"
  | "cheapest-question"
  | "best-question"
  | "under-question"
> = {
  "list-category": listCategory,
  "half-word": halfWord,
  ambiguous,
  "cheapest-question": superlativeQuestion("cheapest-question", "price"),
  "best-question": superlativeQuestion("best-question", "rating"),
  "under-question": under,
};
