/** Wishes for one of two products: the one that wins a comparison, or the second if a condition rules out the first. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { addedAnswer, addedOf } from "../scene.ts";
import type { DrawTurn, Scene, TurnsOf } from "../talk-turn.ts";
import { drawProducts, nameOf } from "../values.ts";

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

export const EITHER_OR_TURNS: TurnsOf<"whichever"> = { whichever };
