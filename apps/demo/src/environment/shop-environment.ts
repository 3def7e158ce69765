/**
 * The shop as an environment: it states the request, runs page tools on a shop and edge tools through a
 * port, and ends when the policy answers without a call. It does not judge.
 */
import { boundary } from "@waggle/protocol";
import type { Environment, TaskReference, ToolCall, ToolDefinition } from "@waggle/protocol";
import { goodsOf } from "./new-products.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { shopInstance } from "./shop-errands.ts";
import { SHOP_SYSTEM, shopTask } from "./shop-task.ts";
import { edgeToolDefinitions, runEdgeTool, runPageTool, SHOP_TOOLS } from "./shop-tools.ts";
import { createTurnEnvironment, type ToolArguments, toolResult } from "@waggle/environments";

/** Runs an edge tool, in this process or over MCP. Errors that are not WaggleErrors become `TOOL_UNAVAILABLE`. */
export type EdgeToolExecutor = (
  name: string,
  args: ToolArguments,
  signal: AbortSignal,
) => Promise<unknown>;

/** Options of a shop environment. */
export type ShopEnvironmentOptions = {
  /** Default: runs them in this process. */
  readonly edgeTools?: EdgeToolExecutor | undefined;
  /** The shop that a page renders. Default: a new one with the task's cart. */
  readonly shop?: Shop;
  /** Tools that the policy sees. Default `SHOP_TOOLS`. */
  readonly tools?: readonly ToolDefinition[];
};

/** An environment that exposes its shop. */
export interface ShopEnvironment extends Environment {
  readonly shop: Shop;
}

export const localEdgeTools: EdgeToolExecutor = async (name, args) => runEdgeTool(name, args);
const edgeNames: ReadonlySet<string> = new Set(edgeToolDefinitions.map((tool) => tool.name));

/** Runs one of the shop's tools, where it runs. */
export async function runShopTool(
  shop: Shop,
  { name, arguments: args }: ToolCall,
  edgeTools: EdgeToolExecutor,
  signal: AbortSignal,
): Promise<unknown> {
  return edgeNames.has(name)
    ? boundary("tool", () => edgeTools(name, args, signal))
    : runPageTool(shop, name, args);
}

/**
 * The environment of an assigned task. A given shop is emptied and filled with the task's cart when the
 * environment is first observed.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function createShopEnvironment(
  reference: TaskReference,
  options: ShopEnvironmentOptions = {},
): ShopEnvironment {
  const { request } = shopTask(reference);
  const { cart } = shopInstance(reference);
  const shop = options.shop ?? createShop();
  const prepare = () => {
    shop.dispatch({ type: "stock-up", goods: goodsOf(reference) });
    shop.dispatch({ type: "empty-cart" });
    for (const line of cart) shop.dispatch({ type: "add-to-cart", ...line });
  };
  const edgeTools = options.edgeTools ?? localEdgeTools;
  return {
    ...createTurnEnvironment({
      task: reference,
      begin: () => {
        prepare();
        return { system: SHOP_SYSTEM, tools: options.tools ?? SHOP_TOOLS, userMessage: request };
      },
      run: (call, signal) => toolResult(call, () => runShopTool(shop, call, edgeTools, signal)),
    }),
    shop,
  };
}
