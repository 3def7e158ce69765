/** Wishes for one of two products: the one that wins a comparison, or the second if a condition rules out the first. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { addedAnswer, addedOf } from "../scene.ts";
import type { DrawTurn, Fact, Scene, TurnsOf } from "../talk-turn.ts";
import { drawProducts, limitNear, nameOf } from "../values.ts";

/** What the tool `open` shows. */
type Page = { readonly rating: number; readonly attributes: readonly string[] };

/** Share of the pairs that are of one category. */
const ALIKE_SHARE = 0.6;

/** Two products that are not in the cart, mostly of one category. */
function drawPair(random: RandomSource, scene: Scene): [Product, Product] {
  const [item, other] = drawProducts(random, 2, scene) as [Product, Product];
  if (random() >= ALIKE_SHARE) return [item, other];
  const alike = scene.goods.filter(
    ({ id, category }) =>
      category === item.category && id !== item.id && !scene.cart.some((line) => line.id === id),
  );
  return [item, alike.length === 0 ? other : pick(random, alike)];
}

/** How people say what decides: as a comparative, and as what the winner does. */
const DECISIVE: {
  readonly [field in "price" | "rating"]: readonly {
    readonly more: string;
    readonly wins: string;
  }[];
} = {
  price: [
    { more: "cheaper", wins: "costs less" },
    { more: "less expensive", wins: "is cheaper" },
    { more: "lower priced", wins: "has the lower price" },
    { more: "more affordable", wins: "is easier on my wallet" },
  ],
  rating: [
    { more: "better rated", wins: "has the better rating" },
    { more: "higher rated", wins: "is rated higher" },
    { more: "better reviewed", wins: "has the better reviews" },
    { more: "more highly rated", wins: "has more stars" },
  ],
};

const whichever: DrawTurn = (random, scene) => {
  const [item, other] = drawPair(random, scene);
  const field = random() < 0.5 ? "price" : "rating";
  if (item[field] === other[field]) return null;
  const isLess = item[field] < other[field];
  const winner = isLess === (field === "price") ? item : other;
  const loser = winner === item ? other : item;
  const after = addedOf(scene, winner, 1);
  return {
    kind: "whichever",
    slots: {
      name: nameOf(item, random, scene.goods),
      other: nameOf(other, random, scene.goods),
      ...pick(random, DECISIVE[field]),
    },
    expected: addedAnswer(after, winner, loser),
    conduct: async (assistant) => {
      const [a, b] = await assistant.find(item, other);
      if (a === undefined || b === undefined) return "";
      if (assistant.errs()) return assistant.add(a);
      if (field === "price") {
        const best = (a.price as number) < (b.price as number) ? a : b;
        const prices = `The ${a.name} costs ${a.price} EUR and the ${b.name} ${b.price} EUR.`;
        return `${prices} ${await assistant.add(best)}`;
      }
      const [first, second] = (await assistant.act(
        ["open", { id: a.id }],
        ["open", { id: b.id }],
      )) as [Page, Page];
      const ratings = `The ${a.name} is rated ${first.rating} and the ${b.name} ${second.rating}.`;
      return `${ratings} ${await assistant.add(first.rating > second.rating ? a : b)}`;
    },
    after,
    near: { id: loser.id },
  };
};

/** What decides whether the first product is taken: how it is said, and how an answer tells the other case. */
type Condition = {
  /** What the first product does if it is taken. */
  readonly fits: string;
  /** What it does if it is skipped. */
  readonly fails: string;
  readonly isMet: boolean;
  /** What an answer must contain if it is not met. */
  readonly facts: readonly Fact[];
  readonly never: readonly string[];
};

/** Limits of ratings. */
const RATING_LIMITS = [3.5, 3.8, 4, 4.2, 4.5];
/** Attributes that read well after "is". */
const PLAIN_ATTRIBUTES = ["waterproof", "warm", "black", "white", "red", "green", "blue"];

function priceCondition(item: Product, random: RandomSource): Condition | null {
  const limit = limitNear(item.price * (0.6 + random() * 0.7), [item], random);
  if (limit === null) return null;
  return {
    ...pick(random, [
      { fits: `costs less than ${limit}`, fails: `costs more than ${limit}` },
      { fits: `is under ${limit} euros`, fails: `is over ${limit} euros` },
      { fits: `stays below ${limit} EUR`, fails: `goes above ${limit} EUR` },
    ]),
    isMet: item.price < limit,
    facts: [[item.name], item.price],
    never: [],
  };
}

function ratingCondition(item: Product, random: RandomSource): Condition | null {
  const limit = pick(random, RATING_LIMITS);
  if (Math.abs(limit - item.rating) > 0.7 || limit === item.rating) return null;
  return {
    ...pick(random, [
      { fits: `is rated over ${limit}`, fails: `is rated under ${limit}` },
      { fits: `has more than ${limit} stars`, fails: `has less than ${limit} stars` },
      { fits: `has a rating above ${limit}`, fails: `has a rating below ${limit}` },
    ]),
    isMet: item.rating > limit,
    facts: [[item.name], item.rating],
    never: [],
  };
}

function attributeCondition({ name, attributes }: Product, random: RandomSource): Condition {
  const attribute = pick(random, PLAIN_ATTRIBUTES);
  const has = attributes.includes(attribute);
  const isWanted = random() < 0.5;
  const [yes, no] = [`is ${attribute}`, `is not ${attribute}`];
  const [right, wrong] = has ? [yes, `not ${attribute}`] : [`not ${attribute}`, yes];
  return {
    fits: isWanted ? yes : no,
    fails: isWanted ? no : yes,
    isMet: has === isWanted,
    facts: [[name], [right]],
    never: [wrong],
  };
}

const CONDITIONS = [priceCondition, ratingCondition, attributeCondition];

const orElse: DrawTurn = (random, scene) => {
  const [item, other] = drawPair(random, scene);
  const draw = pick(random, CONDITIONS);
  const condition = draw(item, random);
  if (condition === null) return null;
  const { fits, fails, isMet, facts, never } = condition;
  const taken = isMet ? item : other;
  const after = addedOf(scene, taken, 1);
  return {
    kind: "add-or-else",
    slots: {
      name: nameOf(item, random, scene.goods),
      other: nameOf(other, random, scene.goods),
      fits,
      fails,
    },
    expected: {
      cart: after.cart,
      form: "answer",
      facts: isMet ? [[item.name], item.price] : [...facts, [other.name], other.price],
      never,
      mentions: [item, other],
    },
    conduct: async (assistant) => {
      const [first, second] = await assistant.find(item, other);
      if (first === undefined || second === undefined) return "";
      const chosen = isMet || assistant.errs() ? first : second;
      if (draw === priceCondition) {
        const before = isMet ? "" : `The ${first.name} costs ${first.price} EUR. `;
        return before + (await assistant.add(chosen));
      }
      const [{ rating }] = (await assistant.act(["open", { id: first.id }])) as [Page];
      const found = draw === ratingCondition ? `is rated ${rating}` : [fits, fails][isMet ? 0 : 1];
      return `The ${first.name} ${found}. ${await assistant.add(chosen)}`;
    },
    after,
    near: { id: isMet ? other.id : item.id },
  };
};

export const EITHER_OR_TURNS: TurnsOf<"whichever" | "add-or-else"> = {
  whichever,
  "add-or-else": orElse,
};
