/**
 * The tools of the shop: their definitions and what they do. Page tools act on a shop; edge tools are pure
 * functions that the Worker runs too. Results are compact, because a small policy reads every one of them.
 */
import { WaggleError } from "@waggle/protocol";
import type { ToolDefinition } from "@waggle/protocol";
import { z } from "zod";
import { findProduct } from "./catalogue.ts";
import type { Product } from "./catalogue-data.ts";
import { convertCurrency, EXCHANGE_RATES } from "./currency.ts";
import {
  definitionsOf,
  evaluateExpression,
  type RunnableTools,
  runTool,
  tool,
  type ToolArguments,
} from "@waggle/environments";
import { cartTotal, productIn } from "./shop.ts";
import type { Shop } from "./shop.ts";

/** Number of search results that a policy reads. The page shows all of them. */
const HITS = 3;
/** Maximum quantity of one product in a cart. */
const MAX_QUANTITY = 99;

const id = z.string().max(16).describe("product id");
const money = z.number().min(0).max(1_000_000_000);
const quantity = z.int().min(1).max(MAX_QUANTITY);

const pageTools: RunnableTools<Shop> = {
  search: tool({
    description: "Find products. Sorted by price: cheapest first; by rating: best first.",
    schema: z.strictObject({
      query: z.string().max(200),
      maxPrice: money.optional(),
      sort: z.enum(["relevance", "price", "rating"]).optional(),
    }),
    run: (args, shop: Shop) => {
      shop.dispatch({ type: "search", ...args });
      return hits(shop);
    },
  }),
  filter: tool({
    description: "Narrow the current results.",
    schema: z.strictObject({
      category: z.string().max(40).optional(),
      attribute: z.string().max(40).optional(),
      maxPrice: money.optional(),
    }),
    run: (args, shop: Shop) => {
      shop.dispatch({ type: "filter", ...args });
      return hits(shop);
    },
  }),
  open: tool({
    description: "Show one product with its details.",
    schema: z.strictObject({ id }),
    run: (args, shop: Shop) => {
      const { name, price, rating, attributes } = known(shop, args.id);
      shop.dispatch({ type: "open", id: args.id });
      return { name, price, rating, attributes };
    },
  }),
  add_to_cart: tool({
    description: "Put a product into the cart.",
    schema: z.strictObject({ id, quantity: quantity.optional() }),
    run: (args, shop: Shop) => {
      const item = known(shop, args.id);
      const already = quantityOf(shop, item.id);
      const total = already + (args.quantity ?? 1);
      if (total > item.stock) throw failed(`only ${item.stock} in stock`);
      shop.dispatch({ type: "add-to-cart", id: item.id, quantity: args.quantity ?? 1 });
      return { id: item.id, quantity: total };
    },
  }),
  remove_from_cart: tool({
    description: "Take a product out of the cart, all of it unless a quantity is given.",
    schema: z.strictObject({ id, quantity: quantity.optional() }),
    run: (args, shop: Shop) => {
      if (quantityOf(shop, args.id) === 0) throw failed("not in the cart");
      shop.dispatch({ type: "remove-from-cart", id: args.id, quantity: args.quantity });
      return { id: args.id, quantity: quantityOf(shop, args.id) };
    },
  }),
  view_cart: tool({
    description: "What is in the cart, and what it costs in EUR.",
    schema: z.strictObject({}),
    run: (_, shop: Shop) => ({
      lines: shop.state.cart.map((line) => ({
        id: line.id,
        name: known(shop, line.id).name,
        quantity: line.quantity,
      })),
      total: cartTotal(shop.state.cart, shop.state.goods),
    }),
  }),
};

const edgeTools: RunnableTools<undefined> = {
  calculate: tool({
    description: "Evaluate arithmetic such as 3*45.",
    schema: z.strictObject({ expression: z.string().max(200) }),
    run: (args) => evaluateExpression(args.expression),
  }),
  convert_currency: tool({
    description: `Convert money, from EUR unless told otherwise. Knows ${Object.keys(EXCHANGE_RATES).join(", ")}.`,
    schema: z.strictObject({
      amount: money,
      from: z.string().max(8).optional(),
      to: z.string().max(8),
    }),
    run: (args) => convertCurrency(args.amount, args.from ?? "EUR", args.to),
  }),
  check_stock: tool({
    description: "How many pieces of a product are in the warehouse.",
    schema: z.strictObject({ id }),
    run: (args) => found(findProduct(args.id)).stock,
  }),
};

function hits(shop: Shop): unknown {
  return shop.state.results.slice(0, HITS).map((resultId) => {
    const { id: hitId, name, price, rating } = known(shop, resultId);
    return shop.state.sort === "rating" ? { id: hitId, name, rating } : { id: hitId, name, price };
  });
}

function quantityOf(shop: Shop, productId: string): number {
  return shop.state.cart.find((line) => line.id === productId)?.quantity ?? 0;
}

function failed(message: string): WaggleError {
  return new WaggleError("TOOL_FAILED", message);
}

function known(shop: Shop, productId: string): Product {
  return found(productIn(shop.state, productId));
}

function found(item: Product | undefined): Product {
  if (!item) throw failed("no such product");
  return item;
}

/** Tools that change what lasts. The others change at most what the page shows. */
export const CHANGING_TOOLS: ReadonlySet<string> = new Set(["add_to_cart", "remove_from_cart"]);
/** Tools that act on the page's shop. */
export const pageToolDefinitions: readonly ToolDefinition[] = definitionsOf(pageTools, "page");
/** Tools that run on the edge. */
export const edgeToolDefinitions: readonly ToolDefinition[] = definitionsOf(edgeTools, "edge");
/** All tools of the shop, as a policy sees them. */
export const SHOP_TOOLS: readonly ToolDefinition[] = [
  ...pageToolDefinitions,
  ...edgeToolDefinitions,
];

/**
 * Runs a page tool on a shop. @returns a JSON value.
 * @throws WaggleError `UNKNOWN_TOOL`, `INVALID_TOOL_ARGUMENTS` or `TOOL_FAILED`, leaving the state unchanged.
 */
export function runPageTool(shop: Shop, name: string, args: ToolArguments): unknown {
  return runTool(pageTools, name, args, shop);
}

/**
 * Runs an edge tool. Pure. @returns a JSON value.
 * @throws WaggleError `UNKNOWN_TOOL`, `INVALID_TOOL_ARGUMENTS` or `TOOL_FAILED`.
 */
export function runEdgeTool(name: string, args: ToolArguments): unknown {
  return runTool(edgeTools, name, args, undefined);
}
