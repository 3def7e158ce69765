/** The shop's tools for the assistant. They act on the shop that the visitor sees. */
import type { PageTool } from "@waggle/embed";
import type { ToolArguments } from "@waggle/environments";
import { definePageTools } from "@waggle/site";
import {
  CATALOGUE,
  CHANGING_TOOLS,
  createShop,
  findProduct,
  pageToolDefinitions,
  runPageTool,
} from "./environment/index.ts";
import type { Shop, ShopState } from "./environment/index.ts";

type Label = (args: ToolArguments) => string;

const productOf: Label = ({ id }) =>
  (typeof id === "string" ? findProduct(id)?.name : undefined) ?? "a product";

/** What a visitor reads while a tool runs. */
const LABELS: { readonly [tool: string]: Label } = {
  search: ({ query }) => (typeof query === "string" ? `Looking for ${query}` : "Searching"),
  filter: () => "Narrowing the results",
  open: (args) => `Opening ${productOf(args)}`,
  add_to_cart: ({ quantity, ...args }) =>
    `Putting ${typeof quantity === "number" ? `${quantity} × ` : ""}${productOf(args)} into the cart`,
  remove_from_cart: (args) => `Taking ${productOf(args)} out of the cart`,
  view_cart: () => "Looking into the cart",
};

/** The shop that the visitor sees. */
export const shop: Shop = createShop();

let acting = false;

/** Whether a tool is changing the shop. */
export function isActing(): boolean {
  return acting;
}

/** Begins with the goods and the cart of a practice task. `waggle check` compares page and practice with it. */
export function start({
  cart,
  goods = CATALOGUE,
}: Pick<ShopState, "cart"> & Partial<Pick<ShopState, "goods">>): void {
  shop.dispatch({ type: "stock-up", goods });
  shop.dispatch({ type: "empty-cart" });
  for (const line of cart) shop.dispatch({ type: "add-to-cart", ...line });
}

const tools: readonly PageTool[] = definePageTools(
  Object.fromEntries(
    pageToolDefinitions.map(({ name, description, parameters }) => [
      name,
      {
        description,
        parameters,
        label: (args: ToolArguments) => LABELS[name]?.(args) ?? description,
        changes: CHANGING_TOOLS.has(name),
        run: (args: unknown) => {
          acting = true;
          try {
            return runPageTool(shop, name, args as ToolArguments);
          } finally {
            acting = false;
          }
        },
      },
    ]),
  ),
);

export default tools;
