/** What the shop sells, and the tools that the assistant has for it. */
import { definePageTools } from "@waggle/agent/tools";
import type { PageTool } from "@waggle/embed";

export type Product = { readonly id: string; readonly name: string; readonly price: number };

export const GOODS: readonly Product[] = [
  { id: "p01", name: "Nordic Jacket", price: 87 },
  { id: "p02", name: "City Jacket", price: 169 },
  { id: "p07", name: "Nordic Mug", price: 12 },
  { id: "p33", name: "Sun Hat", price: 10 },
  { id: "p35", name: "Trail Hat", price: 31 },
];

const nameOf = (id: unknown): string => GOODS.find((one) => one.id === id)?.name ?? "a product";

/** @param add - puts pieces of a product into the cart that the visitor sees. It must not change between renders. */
export function shopTools(
  add: (line: { readonly id: string; readonly quantity: number }) => void,
): readonly PageTool[] {
  return definePageTools({
    search: {
      description: "Find products.",
      parameters: {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"],
      },
      label: ({ query }) => `Looking for ${String(query)}`,
      run: ({ query }) =>
        GOODS.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())),
    },
    add_to_cart: {
      description: "Put a product into the cart.",
      parameters: {
        type: "object",
        properties: { id: { type: "string" }, quantity: { type: "integer", minimum: 1 } },
        required: ["id"],
      },
      label: ({ id }) => `Putting ${nameOf(id)} into the cart`,
      run: ({ id, quantity = 1 }) => {
        if (!GOODS.some((one) => one.id === id)) throw new Error(`there is no product ${id}`);
        add({ id, quantity });
        return { id, quantity };
      },
    },
  });
}
