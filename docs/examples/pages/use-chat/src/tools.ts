/** What the assistant can do. */
import { definePageTools } from "@waggle/agent/tools";

const STOCK = [
  { id: "p01", name: "Nordic Jacket", price: 87 },
  { id: "p02", name: "City Jacket", price: 169 },
  { id: "p33", name: "Sun Hat", price: 10 },
];
const cart: { readonly id: string; readonly quantity: number }[] = [];

export const TOOLS = definePageTools({
  search: {
    description: "Find products.",
    parameters: {
      type: "object",
      properties: { query: { type: "string" } },
      required: ["query"],
    },
    label: ({ query }) => `Looking for ${String(query)}`,
    run: ({ query }) =>
      STOCK.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())),
  },
  add_to_cart: {
    description: "Put a product into the cart.",
    parameters: {
      type: "object",
      properties: { id: { type: "string" }, quantity: { type: "integer", minimum: 1 } },
      required: ["id"],
    },
    label: "Putting it into the cart",
    run: ({ id, quantity = 1 }) => {
      if (!STOCK.some((one) => one.id === id)) throw new Error(`there is no product ${id}`);
      cart.push({ id, quantity });
      return { id, quantity };
    },
  },
});
