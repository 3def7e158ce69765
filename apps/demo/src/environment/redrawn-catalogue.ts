/**
 * The catalogue with redrawn facts: each product gets another id, name, price, rating and other attributes. Categories, the
 * number of their products, sizes in names and the words for attributes stay. The edge knows the stock by id, so an id keeps its
 * stock. `inventedCatalogue` keeps ids with their categories; here nothing can be known by an id.
 */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { CATALOGUE, type Product } from "./catalogue-data.ts";

const firstWord = (name: string): string => name.split(" ")[0] ?? "";
const FIRST_WORDS = [...new Set(CATALOGUE.map(({ name }) => firstWord(name)))];
const CATEGORIES = [...new Set(CATALOGUE.map(({ category }) => category))];

/** Redrawn goods, in the order of the catalogue's categories. */
export function redrawnCatalogue(random: RandomSource): readonly Product[] {
  const places = shuffled(random, CATALOGUE);
  return CATEGORIES.flatMap((category) => {
    const items = CATALOGUE.filter((item) => item.category === category);
    const attributes = shuffled(
      random,
      items.map((item) => item.attributes),
    );
    const words = [...new Set(items.map(({ name }) => firstWord(name)))];
    const others = shuffled(random, FIRST_WORDS);
    return items.map(({ name }, at): Product => {
      const { id, stock } = places.pop() as Product;
      const [first = "", ...rest] = name.split(" ");
      return {
        id,
        name: [others[words.indexOf(first)], ...rest].join(" "),
        category,
        price: 4 + Math.floor(random() * (random() < 0.6 ? 60 : 220)),
        rating: (30 + Math.floor(random() * 20)) / 10,
        stock,
        attributes: attributes[at] ?? [],
      };
    });
  });
}

/** The entries in random order: each is drawn from those that are left. */
function shuffled<T>(random: RandomSource, list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => {
    const one = pick(random, left);
    left.splice(left.indexOf(one), 1);
    return one;
  });
}
