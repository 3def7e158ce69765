/**
 * The state machine of the demo shop: a cart, a list of results, an opened product. The page
 * renders it, the trainer replays it. It knows no agent; people and tools drive the same actions.
 */
import { findProduct, searchProducts } from "./catalogue.ts";
import type { SearchSort } from "./catalogue.ts";
import type { Product } from "./catalogue-data.ts";

export type CartLine = { readonly id: string; readonly quantity: number };

export type ShopState = {
  /** In the order things were added; every quantity is at least 1. */
  readonly cart: readonly CartLine[];
  readonly query: string;
  /** Euros, `null` for no limit. */
  readonly maxPrice: number | null;
  readonly sort: SearchSort;
  /** Narrows the results; `null` for no filter. */
  readonly category: string | null;
  readonly attribute: string | null;
  /** Ids of everything that matches, in the order shown. */
  readonly results: readonly string[];
  readonly opened: string | null;
};

export type ShopAction =
  | {
      readonly type: "search";
      readonly query: string;
      readonly maxPrice?: number | undefined;
      readonly sort?: SearchSort | undefined;
    }
  | {
      readonly type: "filter";
      readonly category?: string | undefined;
      readonly attribute?: string | undefined;
      readonly maxPrice?: number | undefined;
    }
  | { readonly type: "open"; readonly id: string }
  | { readonly type: "close" }
  | { readonly type: "add-to-cart"; readonly id: string; readonly quantity: number }
  /** Without a quantity the whole line goes. */
  | {
      readonly type: "remove-from-cart";
      readonly id: string;
      readonly quantity?: number | undefined;
    }
  | { readonly type: "empty-cart" };

/** A shop as a visitor enters it: everything listed, the given things in the cart. */
export function initialShopState(cart: readonly CartLine[] = []): ShopState {
  return {
    cart,
    query: "",
    maxPrice: null,
    sort: "relevance",
    category: null,
    attribute: null,
    results: searchProducts({ query: "" }).map((item) => item.id),
    opened: null,
  };
}

/** The next state. Pure; an action on an unknown product or an absent line changes nothing. */
export function shopReducer(state: ShopState, action: ShopAction): ShopState {
  switch (action.type) {
    case "search":
      return withResults({
        ...state,
        query: action.query,
        maxPrice: action.maxPrice ?? null,
        sort: action.sort ?? "relevance",
        category: null,
        attribute: null,
        opened: null,
      });
    case "filter":
      return withResults({
        ...state,
        category: action.category ?? null,
        attribute: action.attribute ?? null,
        maxPrice: action.maxPrice ?? state.maxPrice,
        opened: null,
      });
    case "open":
      return findProduct(action.id) ? { ...state, opened: action.id } : state;
    case "close":
      return { ...state, opened: null };
    case "add-to-cart":
      return findProduct(action.id) && action.quantity > 0
        ? { ...state, cart: changed(state.cart, action.id, action.quantity) }
        : state;
    case "remove-from-cart":
      return {
        ...state,
        cart: changed(state.cart, action.id, -(action.quantity ?? Number.POSITIVE_INFINITY)),
      };
    case "empty-cart":
      return { ...state, cart: [] };
  }
}

function withResults(state: ShopState): ShopState {
  const matches = (item: Product) =>
    (state.category === null || item.category === state.category) &&
    (state.attribute === null || item.attributes.includes(state.attribute));
  const found = searchProducts({
    query: state.query,
    maxPrice: state.maxPrice ?? undefined,
    sort: state.sort,
  });
  return { ...state, results: found.filter(matches).map((item) => item.id) };
}

function changed(cart: readonly CartLine[], id: string, by: number): CartLine[] {
  const present = cart.some((line) => line.id === id);
  const lines = present || by <= 0 ? cart : [...cart, { id, quantity: 0 }];
  return lines
    .map((line) => (line.id === id ? { id, quantity: line.quantity + by } : line))
    .filter((line) => line.quantity > 0);
}

/** Price of everything in a cart, in euros. */
export function cartTotal(cart: readonly CartLine[]): number {
  return cart.reduce((sum, line) => sum + (findProduct(line.id)?.price ?? 0) * line.quantity, 0);
}

/** A state that can be watched: what a page renders and an environment acts on. */
export interface Shop {
  readonly state: ShopState;
  dispatch(action: ShopAction): void;
  /** Calls back after every change. @returns a function that ends it. */
  subscribe(listener: (state: ShopState) => void): () => void;
}

/** A shop with the given things in the cart. */
export function createShop(cart: readonly CartLine[] = []): Shop {
  let state = initialShopState(cart);
  const listeners = new Set<(state: ShopState) => void>();
  return {
    get state() {
      return state;
    },
    dispatch(action) {
      const next = shopReducer(state, action);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
