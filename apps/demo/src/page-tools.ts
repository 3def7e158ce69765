/** The shop's tools for the assistant. They act on the shop that the visitor sees. */
import { findProduct, pageToolDefinitions, runPageTool } from "@waggle/environments";
import type { Shop } from "@waggle/environments";
import type { PageTool } from "@waggle/embed";

/** The tools, and whether one of them is running. */
export type PageTools = {
  readonly tools: readonly PageTool[];
  /** True while a tool changes the shop. */
  readonly isActing: () => boolean;
};

type Label = (args: { readonly [key: string]: unknown }) => string;

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

/** Creates the tools of a shop. */
export function createPageTools(shop: Shop): PageTools {
  let acting = false;
  return {
    isActing: () => acting,
    tools: pageToolDefinitions.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      label: (args) => LABELS[name]?.(args) ?? description,
      run: (args) => {
        acting = true;
        try {
          return runPageTool(shop, name, args);
        } finally {
          acting = false;
        }
      },
    })),
  };
}
