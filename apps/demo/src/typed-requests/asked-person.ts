/**
 * The person who typed a request, when the page asks before a call: yes exactly if the call brings the cart closer to
 * what the request wants. The person knows only the cart after the last turn. So a change that one turn asks for and a
 * later one takes back gets a no.
 */
import type { ToolArguments } from "@waggle/environments";
import type { Shop } from "../environment/shop.ts";
import { quantityIn } from "./typed-request.ts";
import type { TypedCart } from "./typed-request.ts";

/** A person with a cart. */
export type AskedPerson = {
  /** Whether the request wants a call that changes the cart. An unwanted call runs too, unless the page asks about it. */
  readonly wants: (tool: string, args: ToolArguments, isAsked: boolean) => boolean;
  /** Begins a turn of the policy, whose calls run at the same time. */
  readonly startTurn: () => void;
};

/**
 * @param carts - those that are right at the end.
 * @param shop - its cart is read, not changed.
 */
export function createAskedPerson(
  carts: readonly TypedCart[],
  shop: Pick<Shop, "state">,
): AskedPerson {
  /** Quantities after the calls of this turn that run, which may not have run yet. */
  const quantities = new Map<string, number>();
  return {
    startTurn: () => quantities.clear(),
    wants(tool, { id, quantity }, isAsked) {
      if (typeof id !== "string") return false;
      const inCart = shop.state.cart.find((line) => line.id === id)?.quantity ?? 0;
      const from = quantities.get(id) ?? inCart;
      const pieces = typeof quantity === "number" ? quantity : null;
      const isAdded = tool === "add_to_cart";
      const to = isAdded ? from + (pieces ?? 1) : Math.max(0, from - (pieces ?? from));
      const isWanted =
        to !== from &&
        carts.some((cart) => (isAdded ? to <= quantityIn(cart, id) : to >= quantityIn(cart, id)));
      if (isWanted || !isAsked) quantities.set(id, to);
      return isWanted;
    },
  };
}
