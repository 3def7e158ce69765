/**
 * A scripted shop assistant that acts in the real environment. It makes the calls a person would make and,
 * with less than full skill, a person's mistakes. It never makes a malformed call. The nano base model is
 * pretrained on its dialogues.
 */
import type { TaskReference, ToolCall, ToolResult, RandomSource } from "@waggle/protocol";
import type { Product } from "./catalogue-data.ts";
import { createShopEnvironment } from "./shop-environment.ts";
import { shopInstance } from "./shop-errands.ts";
import type { ShopState } from "./shop.ts";
import type { ShopWish } from "./shop-instance.ts";
import { shopTask } from "./shop-task.ts";

/** Probability of the right choice, for each kind of decision. */
export type ShopSkill = {
  /** Sorts as requested instead of taking the first result. */
  readonly sort: number;
  /** Passes on the price limit. */
  readonly limit: number;
  /** Remembers the number of pieces. */
  readonly quantity: number;
  /** Converts the amount instead of only renaming the currency. */
  readonly convert: number;
  /** Chooses the entry with the right name instead of the first. */
  readonly match: number;
  /** Looks the answer up instead of guessing. */
  readonly look: number;
  /** Does both halves of a request. */
  readonly both: number;
};

/** A demonstrator that makes no mistakes. */
export const EXPERT: ShopSkill = {
  sort: 1,
  limit: 1,
  quantity: 1,
  convert: 1,
  match: 1,
  look: 1,
  both: 1,
};

/** One turn of a demonstration. */
export type DemonstratedTurn = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** One per call; empty in the last turn. */
  readonly toolResults: readonly ToolResult[];
};

/** A complete dialogue. */
export type Demonstration = {
  readonly system: string;
  readonly request: string;
  /** The last turn answers in text and makes no calls. */
  readonly turns: readonly DemonstratedTurn[];
  readonly finalText: string;
  readonly state: ShopState;
};

type Call = readonly [name: string, args: { readonly [key: string]: unknown }];
type Hit = { readonly id: string; readonly name: string; readonly price?: number };
type CartView = { readonly lines: readonly Hit[]; readonly total: number };

/** Makes the calls of one turn and returns their values. */
type Act = (...calls: readonly Call[]) => Promise<readonly unknown[]>;

/**
 * Demonstrates one task. Deterministic for a given random stream.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export async function demonstrate(
  reference: TaskReference,
  random: RandomSource,
  skill: ShopSkill,
): Promise<Demonstration> {
  const { wishes } = shopInstance(reference);
  const { request } = shopTask(reference);
  const environment = createShopEnvironment(reference);
  const { system } = await environment.observe();
  const signal = new AbortController().signal;
  const turns: DemonstratedTurn[] = [];
  let calls = 0;

  const act: Act = async (...wanted) => {
    const toolCalls = wanted.map(([name, args]) => ({ id: `c${calls++}`, name, arguments: args }));
    const { toolResults } = await environment.step({ text: "", toolCalls }, signal);
    turns.push({ text: "", toolCalls, toolResults });
    return toolResults.map((result) => (result.ok ? result.value : null));
  };
  const rollout = new Rollout(act, request, random, skill);
  const said: string[] = [];
  for (const wish of wishes) said.push(await rollout.run(wish));
  const finalText = said.join(" ");
  await environment.step({ text: finalText, toolCalls: [] }, signal);
  turns.push({ text: finalText, toolCalls: [], toolResults: [] });
  return { system, request, turns, finalText, state: environment.shop.state };
}

class Rollout {
  readonly #act: Act;
  readonly #request: string;
  readonly #random: RandomSource;
  readonly #skill: ShopSkill;

  constructor(act: Act, request: string, random: RandomSource, skill: ShopSkill) {
    this.#act = act;
    this.#request = request;
    this.#random = random;
    this.#skill = skill;
  }

  /** @returns the final text. */
  run(wish: ShopWish): Promise<string> {
    switch (wish.kind) {
      case "add-cheapest":
        return this.#superlative(wish.what, wish.limit, "price");
      case "add-best-rated":
        return this.#superlative(wish.what, wish.limit, "rating");
      case "add-quantity":
        return this.#addQuantity(wish.item, wish.quantity);
      case "add-two":
        return this.#addTwo(wish.item, wish.other);
      case "remove":
        return this.#remove(wish.item);
      case "replace":
        return this.#replace(wish.item, wish.other);
      case "stock":
        return this.#stock(wish.item);
      case "price-in-currency":
        return this.#price(wish.item, wish.quantity, wish.currency);
      case "cart-total":
        return this.#cartTotal(wish.currency);
    }
  }

  #does(decision: keyof ShopSkill): boolean {
    return this.#random() < this.#skill[decision];
  }

  /** The product's name as the request spells it. */
  #asWritten(item: Product): string {
    return this.#request.includes(item.name) ? item.name : item.name.toLowerCase();
  }

  #searchFor(item: Product): Call {
    return ["search", { query: this.#asWritten(item) }];
  }

  #choose(hits: readonly Hit[], item: Product): Hit {
    const first = hits[0] as Hit;
    if (!this.#does("match")) return first;
    return hits.find((hit) => hit.name === item.name) ?? first;
  }

  async #find(item: Product): Promise<Hit> {
    const [hits] = await this.#act(this.#searchFor(item));
    return this.#choose(hits as Hit[], item);
  }

  async #superlative(
    what: string,
    limit: number | null,
    sort: "price" | "rating",
  ): Promise<string> {
    const args = {
      query: what,
      ...(limit !== null && this.#does("limit") ? { maxPrice: limit } : {}),
      ...(this.#does("sort") ? { sort } : {}),
    };
    const [hits] = await this.#act(["search", args]);
    const hit = (hits as Hit[])[0] as Hit;
    await this.#act(["add_to_cart", { id: hit.id }]);
    return `Added the ${hit.name}.`;
  }

  async #addQuantity(item: Product, quantity: number): Promise<string> {
    const hit = await this.#find(item);
    const kept = this.#does("quantity");
    await this.#act(["add_to_cart", { id: hit.id, ...(kept ? { quantity } : {}) }]);
    return kept ? `Added ${quantity} ${hit.name}.` : `Added the ${hit.name}.`;
  }

  async #addTwo(item: Product, other: Product): Promise<string> {
    if (!this.#does("both")) {
      const hit = await this.#find(item);
      await this.#act(["add_to_cart", { id: hit.id }]);
      return `Added the ${hit.name}.`;
    }
    const [first, second] = await this.#act(this.#searchFor(item), this.#searchFor(other));
    const a = this.#choose(first as Hit[], item);
    const b = this.#choose(second as Hit[], other);
    await this.#act(["add_to_cart", { id: a.id }], ["add_to_cart", { id: b.id }]);
    return `Added the ${a.name} and the ${b.name}.`;
  }

  async #remove(item: Product): Promise<string> {
    const [view] = await this.#act(["view_cart", {}]);
    const line = this.#choose((view as CartView).lines, item);
    await this.#act(["remove_from_cart", { id: line.id }]);
    return `Removed the ${line.name}.`;
  }

  async #replace(item: Product, other: Product): Promise<string> {
    if (!this.#does("both")) {
      const hit = await this.#find(other);
      await this.#act(["add_to_cart", { id: hit.id }]);
      return `Added the ${hit.name}.`;
    }
    const [view, hits] = await this.#act(["view_cart", {}], this.#searchFor(other));
    const line = this.#choose((view as CartView).lines, item);
    const hit = this.#choose(hits as Hit[], other);
    await this.#act(["remove_from_cart", { id: line.id }], ["add_to_cart", { id: hit.id }]);
    return `Changed to the ${hit.name}.`;
  }

  async #stock(item: Product): Promise<string> {
    if (!this.#does("look")) return `We have ${1 + Math.floor(this.#random() * 49)}.`;
    const hit = await this.#find(item);
    const [stock] = await this.#act(["check_stock", { id: hit.id }]);
    return `We have ${String(stock)}.`;
  }

  async #price(item: Product, quantity: number, currency: string): Promise<string> {
    const hit = await this.#find(item);
    let amount = hit.price as number;
    if (quantity > 1 && this.#does("quantity")) {
      const [product] = await this.#act(["calculate", { expression: `${quantity}*${amount}` }]);
      amount = product as number;
    }
    return this.#inCurrency(amount, currency);
  }

  async #cartTotal(currency: string): Promise<string> {
    const [view] = await this.#act(["view_cart", {}]);
    return this.#inCurrency((view as CartView).total, currency);
  }

  async #inCurrency(euros: number, currency: string): Promise<string> {
    if (currency === "EUR" || !this.#does("convert")) return `That is ${euros} ${currency}.`;
    const [converted] = await this.#act(["convert_currency", { amount: euros, to: currency }]);
    return `That is ${String(converted)} ${currency}.`;
  }
}
