/**
 * A scripted shop assistant that acts through the tools of a real environment. With mistakes it decides as a hasty
 * person would: it takes the first hit, forgets a number or a limit, or acts although it was only asked.
 */
import type { Product } from "../catalogue-data.ts";
import type { RandomSource } from "@waggle/protocol";
import type { Shown } from "./answers.ts";
import type { Meant } from "./values.ts";

/** A search result. The price is missing in results sorted by rating. */
export type Hit = {
  readonly id: string;
  readonly name: string;
  readonly price?: number;
  readonly rating?: number;
};
/** A line of a cart as the tool shows it. */
export type SeenLine = { readonly id: string; readonly name: string; readonly quantity: number };
/** A call without its id. */
export type Call = readonly [name: string, args: { readonly [key: string]: unknown }];
/** Makes the calls of one turn. @returns their values, `null` for one that failed. */
export type Act = (calls: readonly Call[]) => Promise<readonly unknown[]>;
/** What a search asks for. */
export type Search = {
  readonly query: string;
  readonly maxPrice?: number;
  readonly sort?: "price" | "rating";
};

/** Acts and answers. Its memory holds what it added last. */
export class Assistant {
  readonly #act: Act;
  readonly #random: RandomSource;
  readonly #mistakes: number;
  /** What the talk was last about, as the assistant understood it. */
  last: Hit | null = null;
  /** What it listed last. */
  listed: readonly Hit[] = [];

  constructor(act: Act, random: RandomSource, mistakes: number) {
    this.#act = act;
    this.#random = random;
    this.#mistakes = mistakes;
  }

  /** Whether it makes a mistake at this decision. */
  errs(): boolean {
    return this.#random() < this.#mistakes;
  }

  act(...calls: readonly Call[]): Promise<readonly unknown[]> {
    return this.#act(calls);
  }

  /** Searches; a mistake forgets the order, another one the limit. */
  async search({ query, maxPrice, sort }: Search): Promise<readonly Hit[]> {
    const args = {
      query,
      ...(maxPrice !== undefined && !this.errs() ? { maxPrice } : {}),
      ...(sort !== undefined && !this.errs() ? { sort } : {}),
    };
    const [hits] = await this.act(["search", args]);
    return hits as readonly Hit[];
  }

  /** Looks for products, all in one turn. */
  async find(...items: readonly Meant[]): Promise<Hit[]> {
    const results = await this.act(...items.map((item) => searchFor(item)));
    const hits = items.map((item, at) => this.choose(results[at] as readonly Hit[], item));
    this.last = hits[0] ?? null;
    return hits;
  }

  /** The entry with the product's name; a mistake takes the first. */
  choose<Entry extends Hit | SeenLine>(entries: readonly Entry[], item: Product): Entry {
    const first = entries[0] as Entry;
    return this.errs() ? first : (entries.find(({ name }) => name === item.name) ?? first);
  }

  /** Looks into the cart. */
  async cart(): Promise<{ readonly lines: readonly SeenLine[]; readonly total: number }> {
    const [view] = await this.act(["view_cart", {}]);
    return view as { lines: readonly SeenLine[]; total: number };
  }

  /** A number of pieces; a mistake forgets it. */
  pieces(n: number): number {
    return n > 1 && this.errs() ? 1 : n;
  }

  /** Answers after a question; a mistake puts the product into the cart first. */
  async answered(hit: Hit, text: string): Promise<string> {
    this.last = hit;
    if (!this.errs()) return text;
    await this.act(addCall(hit, 1));
    return text;
  }

  /** The hit with its price, which results that are sorted by rating do not show. */
  async withPrice(hit: Hit): Promise<Hit> {
    if (hit.price !== undefined) return hit;
    const [page] = await this.act(["open", { id: hit.id }]);
    return { ...hit, price: (page as { price: number }).price };
  }

  /** Adds pieces of one product and says what they cost. */
  async add(hit: Hit, wanted = 1): Promise<string> {
    this.last = hit;
    const quantity = this.pieces(wanted);
    const looks = hit.price === undefined;
    const results = await this.act(
      addCall(hit, quantity),
      ...(looks ? [["open", { id: hit.id }] as const] : []),
      ...(quantity > 1 ? [["calculate", { expression: `${quantity}*${hit.price}` }] as const] : []),
    );
    const price = looks ? (results[1] as { price: number }).price : (hit.price as number);
    this.last = { ...hit, price };
    if (results[0] === null) return `We have too few of the ${hit.name}.`;
    if (quantity === 1) return `I added the ${hit.name} (${price} EUR).`;
    return `I added ${quantity} x ${hit.name} (${price} EUR each, ${String(results.at(-1))} EUR).`;
  }
}

/** The call that looks for a product by its name or by its description. */
export function searchFor({ name, query = name.toLowerCase() }: Meant): Call {
  return ["search", { query }];
}

/** The call that adds pieces. */
export function addCall({ id }: Pick<Hit, "id">, quantity: number): Call {
  return ["add_to_cart", quantity === 1 ? { id } : { id, quantity }];
}

/** The call that removes pieces, all of them unless a number is given. */
export function removeCall({ id }: { readonly id: string }, quantity?: number): Call {
  return ["remove_from_cart", quantity === undefined ? { id } : { id, quantity }];
}

/** A hit as it is named in an answer. */
export function shown({ name, price }: Hit, quantity = 1): Shown {
  return { name, quantity, ...(price === undefined ? {} : { price }) };
}
