/**
 * The state machine of the demo shop: a cart, search results and an opened product. The page renders it and
 * the trainer replays it. It knows nothing about agents; people and tools use the same actions.
 */
import { CATALOGUE } from "./catalogue-data.ts";
import { searchProducts } from "./catalogue.ts";
import type { SearchSort } from "./catalogue.ts";
import type { Product } from "./catalogue-data.ts";

/** One product in a cart. */
export type CartLine = { readonly id: string; readonly quantity: number };

/** Everything a page renders. */
export type ShopState = {
  /** What the shop has. */
  readonly goods: readonly Product[];
  /** In the order products were added; every quantity is at least 1. */
  readonly cart: readonly CartLine[];
  readonly query: string;
  /** In euros; `null` for no limit. */
  readonly maxPrice: number | null;
  readonly sort: SearchSort;
  /** Narrows the results; `null` for no filter. */
  readonly category: string | null;
  readonly attribute: string | null;
  /** Ids of all matching products, in the order shown. */
  readonly results: readonly string[];
  readonly opened: string | null;
};

/** An action of a visitor or a tool. */
export type ShopAction =
  /** The shop has these goods, and lists all of them. */
  | { readonly type: "stock-up"; readonly goods: readonly Product[] }
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
  /** Without a quantity, removes the whole line. */
  | {
      readonly type: "remove-from-cart";
      readonly id: string;
      readonly quantity?: number | undefined;
    }
  | { readonly type: "empty-cart" };

/** The initial state of a shop: all products listed, with the given cart. */
export function initialShopState(
  cart: readonly CartLine[] = [],
  goods: readonly Product[] = CATALOGUE,
): ShopState {
  return {
    goods,
    cart,
    query: "",
    maxPrice: null,
    sort: "relevance",
    category: null,
    attribute: null,
    results: searchProducts({ query: "" }, goods).map((item) => item.id),
    opened: null,
  };
}

/** The product with this id, if the shop has it. */
export function productIn({ goods }: Pick<ShopState, "goods">, id: string): Product | undefined {
  return goods.find((item) => item.id === id);
}

/** The next state. Pure. Actions on unknown products or absent lines change nothing. */
export function shopReducer(state: ShopState, action: ShopAction): ShopState {
  switch (action.type) {
    case "stock-up":
      return initialShopState(state.cart, action.goods);
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
      return productIn(state, action.id) ? { ...state, opened: action.id } : state;
    case "close":
      return { ...state, opened: null };
    case "add-to-cart":
      return productIn(state, action.id) && action.quantity > 0
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
  const found = searchProducts(
    { query: state.query, maxPrice: state.maxPrice ?? undefined, sort: state.sort },
    state.goods,
  );
  return { ...state, results: found.filter(matches).map((item) => item.id) };
}

function changed(cart: readonly CartLine[], id: string, by: number): CartLine[] {
  const present = cart.some((line) => line.id === id);
  const lines = present || by <= 0 ? cart : [...cart, { id, quantity: 0 }];
  return lines
    .map((line) => (line.id === id ? { id, quantity: line.quantity + by } : line))
    .filter((line) => line.quantity > 0);
}

/** Total price of a cart in euros. */
export function cartTotal(
  cart: readonly CartLine[],
  goods: readonly Product[] = CATALOGUE,
): number {
  return cart.reduce(
    (sum, { id, quantity }) => sum + (productIn({ goods }, id)?.price ?? 0) * quantity,
    0,
  );
}

/** A shop state with subscribers. Pages render it and environments act on it. */
export interface Shop {
  readonly state: ShopState;
  dispatch(action: ShopAction): void;
  /** Calls the listener after every change. @returns a function that unsubscribes. */
  subscribe(listener: (state: ShopState) => void): () => void;
}

/** Creates a shop with the given cart. @param goods - what it has; default: the catalogue */
export function createShop(cart: readonly CartLine[] = [], goods?: readonly Product[]): Shop {
  let state = initialShopState(cart, goods);
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
