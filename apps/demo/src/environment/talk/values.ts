/** Draws the values of requests from the catalogue, and says them as people do. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../catalogue.ts";
import type { Product } from "../catalogue-data.ts";
import { EXCHANGE_RATES } from "../currency.ts";
import { CURRENCY_WORDS, NUMBER_WORDS } from "../shop-templates.ts";
import type { CartLine } from "../shop.ts";
import { SYNONYMS } from "../synonyms.ts";

/** Share of the requests that use another word for a category or an attribute. */
const SYNONYM_SHARE = 0.3;
/** Share of the products' names that are shortened where that is clear. */
const SHORT_SHARE = 0.4;

/** Share of the single products that are described instead of named, where a description fits only one. */
const DESCRIBED_SHARE = 0.2;

/** A description of products: what people say, and what finds them. */
export type Description = {
  /** The words that a search knows, such as "wood lamp". */
  readonly query: string;
  readonly matching: readonly Product[];
  readonly slots: { readonly [slot: string]: string };
};

/** Different products that are not in the cart. */
export function drawProducts(
  random: RandomSource,
  count: number,
  { goods, cart = [] }: { readonly goods: readonly Product[]; readonly cart?: readonly CartLine[] },
): Product[] {
  const chosen = new Set<Product>();
  while (chosen.size < count) {
    const item = pick(random, goods);
    if (!cart.some(({ id }) => id === item.id)) chosen.add(item);
  }
  return [...chosen];
}

/** A product as its name is typed: sometimes shortened, if the rest still means only this product. */
export function nameOf(item: Product, random: RandomSource, goods: readonly Product[]): string {
  if (random() >= SHORT_SHARE) return item.name;
  const words = item.name.split(" ");
  const short = words.length > 2 ? `${words[0]} ${words[2]}` : item.name;
  return searchProducts({ query: short }, goods).length === 1 ? short : item.name;
}

/** A product that a person means, with the words that find it if they are not its name. */
export type Meant = Product & { readonly query?: string };

/** A product as it is typed: by its name, or by a description that fits only this product. */
export function meant(
  item: Product,
  random: RandomSource,
  goods: readonly Product[],
): { item: Meant; said: string } {
  if (random() < DESCRIBED_SHARE) {
    const fitting = item.attributes.filter(
      (attribute) => searchProducts({ query: `${attribute} ${item.category}` }, goods).length === 1,
    );
    if (fitting.length > 0) {
      const attribute = pick(random, fitting);
      const adjective = synonym(random, SYNONYMS.attributes, attribute);
      const said = `${adjective} ${synonym(random, SYNONYMS.categories, item.category)}`;
      return { item: { ...item, query: `${attribute} ${item.category}` }, said };
    }
  }
  return { item, said: nameOf(item, random, goods) };
}

/** Words for the numbers above those of `NUMBER_WORDS`. */
const MORE_NUMBER_WORDS: readonly string[] = [
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

/** A number in digits or as a word. */
export function countOf(n: number, random: RandomSource): string {
  const word = NUMBER_WORDS[n] ?? MORE_NUMBER_WORDS[n - NUMBER_WORDS.length];
  return random() < 0.5 ? String(n) : (word ?? String(n));
}

/** A currency other than the euro, with the way it is typed. */
export function drawCurrency(random: RandomSource): { code: string; said: string } {
  const code = pick(
    random,
    Object.keys(EXCHANGE_RATES).filter((key) => key !== "EUR"),
  );
  return { code, said: random() < 0.5 ? code : (CURRENCY_WORDS[code] ?? code) };
}

/** A category in a person's words. */
export type CategoryWords = { readonly one: string; readonly several: string };

/** The category of a product, sometimes by another word. */
export function categoryWords({ category }: Product, random: RandomSource): CategoryWords {
  const one = synonym(random, SYNONYMS.categories, category);
  return { one, several: pluralOf(one) };
}

/** An attribute, sometimes by another word. */
export function attributeWord(attribute: string, random: RandomSource): string {
  return synonym(random, SYNONYMS.attributes, attribute);
}

/** A category with or without an attribute that some of its products have. */
export function drawDescription(random: RandomSource, goods: readonly Product[]): Description {
  const { category, attributes } = pick(random, goods);
  const said = synonym(random, SYNONYMS.categories, category);
  if (random() < 0.5) {
    const slots = { what: said, category: pluralOf(said) };
    return { query: category, matching: searchProducts({ query: category }, goods), slots };
  }
  const attribute = pick(random, attributes);
  const adjective = synonym(random, SYNONYMS.attributes, attribute);
  const query = `${attribute} ${category}`;
  const slots = {
    what: `${adjective} ${said}`,
    category: `${adjective} ${pluralOf(said)}`,
    plain: pluralOf(said),
    attribute: adjective,
  };
  return { query, matching: searchProducts({ query }, goods), slots };
}

/** A choice of a category without the products of an attribute. Its query is such as "mug -red". */
export type Exclusion = Description & {
  /** What a person finds who forgets what to leave out, in the order of an unsorted search. */
  readonly all: readonly Product[];
};

/** A category and an attribute that some of its products have, but not all. */
export function drawExclusion(random: RandomSource, goods: readonly Product[]): Exclusion {
  for (;;) {
    const { category, attributes } = pick(random, goods);
    const attribute = pick(random, attributes);
    const query = `${category} -${attribute}`;
    const matching = searchProducts({ query }, goods);
    if (matching.length === 0) continue;
    const said = synonym(random, SYNONYMS.categories, category);
    const without = synonym(random, SYNONYMS.attributes, attribute);
    const slots = { what: said, category: pluralOf(said), without };
    return { query, matching, all: searchProducts({ query: category }, goods), slots };
  }
}

/** A limit in euros near this price that no product of the list costs. */
export function limitNear(
  price: number,
  products: readonly Product[],
  random: RandomSource,
): number | null {
  const step = price < 40 ? 5 : 10;
  const limit = Math.ceil((price + 1 + random() * 2 * step) / step) * step;
  return products.some((item) => item.price === limit) ? null : limit;
}

/** Another word for a value, sometimes. */
export function synonym(
  random: RandomSource,
  words: { readonly [word: string]: readonly string[] },
  value: string,
): string {
  const others = words[value] ?? [];
  return random() < SYNONYM_SHARE && others.length > 0 ? pick(random, others) : value;
}

/** The plural of a category as it is typed. */
export function pluralOf(word: string): string {
  if (/s$|clothing$|gear$/.test(word)) return word;
  if (/(?:x|ch|sh)$/.test(word)) return `${word}es`;
  if (word.endsWith("scarf")) return word.replace(/f$/, "ves");
  return /[^aeiou]y$/.test(word) ? word.replace(/y$/, "ies") : `${word}s`;
}
