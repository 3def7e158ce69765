/** Search in the catalogue. Pure functions; the order of results does not depend on a cart. */
import { CATALOGUE } from "./catalogue-data.ts";
import type { Product } from "./catalogue-data.ts";
import { SYNONYMS } from "./synonyms.ts";

/** Order of search results. */
export type SearchSort = "relevance" | "price" | "rating";

/** What to search for. */
export type SearchQuery = {
  /** Words. Products with a word that has a minus before it are left out, as in "warm scarf -red". */
  readonly query: string;
  /** Euros, inclusive. */
  readonly maxPrice?: number | undefined;
  /** `price` lists the cheapest first, `rating` the best first. Default `relevance`. */
  readonly sort?: SearchSort | undefined;
};

const byId: ReadonlyMap<string, Product> = new Map(CATALOGUE.map((item) => [item.id, item]));

/** The product with this id, or `undefined`. */
export function findProduct(id: string): Product | undefined {
  return byId.get(id);
}

/** A word as indexed: lower case, in the singular. */
function stem(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, "y");
  if (/[aeiou]rves$/.test(word)) return word.replace(/ves$/, "f");
  return word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map(stem);
}

/** The words of a query, without doubles: those to find, and those to leave out. */
function queried(query: string): { readonly wanted: string[]; readonly unwanted: string[] } {
  const terms = query.split(/\s+/);
  const isLeftOut = (term: string): boolean => /^-\w/.test(term);
  return {
    wanted: [...new Set(terms.filter((term) => !isLeftOut(term)).flatMap(wordsOf))],
    unwanted: terms.filter(isLeftOut).flatMap(wordsOf),
  };
}

/** The words by which a search finds the product, with synonyms that are one word. */
function searchable({ name, category, attributes }: Product): ReadonlySet<string> {
  const synonyms = [
    ...(SYNONYMS.categories[category] ?? []),
    ...attributes.flatMap((attribute) => SYNONYMS.attributes[attribute] ?? []),
  ].filter((synonym) => /^[a-z]+$/.test(synonym));
  return new Set(wordsOf([name, category, ...attributes, ...synonyms].join(" ")));
}

const indexed = new WeakMap<Product, ReadonlySet<string>>();

function indexOf(item: Product): ReadonlySet<string> {
  const words = indexed.get(item) ?? searchable(item);
  indexed.set(item, words);
  return words;
}

/** Products in the requested order. Ties keep the catalogue's order. */
function sortProducts(products: readonly Product[], sort: SearchSort): Product[] {
  const sorted = [...products];
  if (sort === "price") sorted.sort((a, b) => a.price - b.price);
  if (sort === "rating") sorted.sort((a, b) => b.rating - a.rating);
  return sorted;
}

/**
 * The products that match the most words of the query, but at least one word. An empty query matches
 * every product. Words to leave out are left out of what the others find.
 *
 * @param goods - what the shop has, in the order of an unsorted search
 */
export function searchProducts(
  search: SearchQuery,
  goods: readonly Product[] = CATALOGUE,
): Product[] {
  const { wanted, unwanted } = queried(search.query);
  const affordable = goods.filter(({ price }) => price <= (search.maxPrice ?? Infinity));
  const rated = affordable.map((item) => ({
    item,
    matched: wanted.filter((word) => indexOf(item).has(word)).length,
  }));
  const best = Math.max(0, ...rated.map((entry) => entry.matched));
  if (wanted.length > 0 && best === 0) return [];
  const found = rated.filter((entry) => entry.matched === best).map((entry) => entry.item);
  return sortProducts(
    found.filter((item) => !unwanted.some((word) => indexOf(item).has(word))),
    search.sort ?? "relevance",
  );
}
