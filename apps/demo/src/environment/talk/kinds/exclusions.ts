/** Questions and wishes that leave something out of a choice: an attribute, or one product. */
import type { RandomSource } from "@waggle/protocol";
import { pick } from "@waggle/environments";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import { priced } from "../answers.ts";
import { type Assistant, type Hit, shown } from "../assistant.ts";
import { addedAnswer, addedOf, askedAbout, next } from "../scene.ts";
import type { DrawTurn, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { drawDescription, drawExclusion, type Exclusion, nameOf } from "../values.ts";
import { bestOf, factsOf } from "./range-questions.ts";

/** Results that a search shows. */
const SHOWN = 3;
/** Share of the choices in which the first result is the one to leave out. */
const MATTERS_SHARE = 0.75;

/** The results that a person did not leave out. A mistake forgets what was left out. */
function others(
  assistant: Assistant,
  { query }: Exclusion,
  sort?: "price",
): Promise<readonly Hit[]> {
  return assistant.search({
    query: assistant.errs() ? query.replace(/ -.*/, "") : query,
    ...(sort === undefined ? {} : { sort }),
  });
}

/** An exclusion that changes what an unsorted search shows. */
function drawShown(random: RandomSource, goods: readonly Product[]): Exclusion | null {
  const drawn = drawExclusion(random, goods);
  const isFree = drawn.all.slice(0, SHOWN).every((item) => drawn.matching.includes(item));
  return isFree ? null : drawn;
}

const list: DrawTurn = (random, scene) => {
  const drawn = drawShown(random, scene.goods);
  if (drawn === null) return null;
  return {
    kind: "list-but",
    slots: drawn.slots,
    expected: { cart: scene.cart, form: "answer", facts: factsOf(drawn.matching) },
    conduct: async (assistant) => {
      assistant.listed = await others(assistant, drawn);
      return `We have ${priced(assistant.listed.map((hit) => shown(hit)))}.`;
    },
    after: next(scene, { last: null, listed: drawn.matching.slice(0, SHOWN) }),
  };
};

const ambiguous: DrawTurn = (random, scene) => {
  const drawn = drawShown(random, scene.goods);
  if (drawn === null || drawn.matching.length < 2) return null;
  return {
    kind: "ambiguous-but",
    slots: drawn.slots,
    expected: { cart: scene.cart, form: "clarification", facts: factsOf(drawn.matching) },
    conduct: async (assistant) => {
      assistant.listed = await others(assistant, drawn);
      const [first] = assistant.listed;
      if (first !== undefined && assistant.errs()) return assistant.add(first);
      const hits = assistant.listed.map((hit) => shown(hit));
      return `Which one do you want: ${priced(hits, "or")}?`;
    },
    after: next(scene, { last: null, listed: drawn.matching.slice(0, SHOWN) }),
  };
};

/** An exclusion, the cheapest product that is not left out, and the cheapest of all. */
function drawCheapest(
  random: RandomSource,
  goods: readonly Product[],
): (Exclusion & { readonly item: Product; readonly first: Product }) | null {
  const drawn = drawExclusion(random, goods);
  const item = bestOf(drawn, "price");
  const first = drawn.all.toSorted((a, b) => a.price - b.price)[0];
  if (item === null || first === undefined) return null;
  if (first === item && random() < MATTERS_SHARE) return null;
  return { ...drawn, item, first };
}

const cheapestQuestion: DrawTurn = (random, scene) => {
  const drawn = drawCheapest(random, scene.goods);
  if (drawn === null) return null;
  const { item, query, slots } = drawn;
  return {
    kind: "cheapest-but",
    slots,
    expected: { cart: scene.cart, form: "answer", facts: [[item.name], item.price] },
    conduct: async (assistant) => {
      const [hit] = await others(assistant, drawn, "price");
      if (hit === undefined) return "";
      return assistant.answered(hit, `The cheapest is the ${hit.name} at ${hit.price} EUR.`);
    },
    after: askedAbout(scene, item, query),
  };
};

const addCheapest: DrawTurn = (random, scene): TalkTurn | null => {
  const drawn = drawCheapest(random, scene.goods);
  if (drawn === null) return null;
  const { item, first, query, slots } = drawn;
  if (scene.cart.some(({ id }) => id === item.id)) return null;
  const after = addedOf(scene, item, 1, query);
  return {
    kind: "add-cheapest-but",
    slots,
    expected: addedAnswer(after, item),
    conduct: async (assistant) => {
      const [hit] = await others(assistant, drawn, "price");
      return hit === undefined ? "" : assistant.add(hit);
    },
    after,
    ...(first === item ? {} : { near: { id: first.id } }),
  };
};

const addBest: DrawTurn = (random, scene) => {
  const { query, slots } = drawDescription(random, scene.goods);
  const sorted = searchProducts({ query, sort: "rating" }, scene.goods);
  if (sorted.length < 2) return null;
  const other = random() < MATTERS_SHARE ? sorted[0] : pick(random, sorted.slice(1));
  const matching = sorted.filter((one) => one !== other);
  const item = matching.length === 1 ? matching[0] : bestOf({ matching }, "rating");
  if (item === null || item === undefined || other === undefined) return null;
  if (scene.cart.some(({ id }) => id === item.id)) return null;
  const after = addedOf(scene, item, 1, query);
  return {
    kind: "add-best-but",
    slots: {
      what: slots["what"],
      category: slots["category"],
      other: nameOf(other, random, scene.goods),
    },
    expected: addedAnswer(after, item, other),
    conduct: async (assistant) => {
      const hits = await assistant.search({ query, sort: "rating" });
      const left = assistant.errs() ? hits : hits.filter(({ name }) => name !== other.name);
      return left[0] === undefined ? "" : assistant.add(left[0]);
    },
    after,
    near: { id: other.id },
  };
};

export const EXCLUSION_TURNS: TurnsOf<
  "list-but" | "ambiguous-but" | "cheapest-but" | "add-cheapest-but" | "add-best-but"
> = {
  "list-but": list,
  "ambiguous-but": ambiguous,
  "cheapest-but": cheapestQuestion,
  "add-cheapest-but": addCheapest,
  "add-best-but": addBest,
};
