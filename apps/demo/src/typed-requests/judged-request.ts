/** Judges what happened at a typed request, by the conventions of README.md. */
import type { CartLine } from "../environment/shop.ts";
import { asksBack, refuses, saysFact, showsMarkup } from "./answer-text.ts";
import type { PlayedRequest } from "./played-request.ts";
import { expectedCarts, quantityIn } from "./typed-request.ts";
import type { TypedCart, TypedRequest } from "./typed-request.ts";

/** The judgment of one request. */
export type JudgedRequest = {
  readonly request: TypedRequest;
  /**
   * The cart is an expected one, the last answer has every expected fact, refuses where it must and asks where it must,
   * and no text shows markup. Without an answer to the last turn, nothing is solved.
   */
  readonly isSolved: boolean;
  /** See `actedUnasked`. */
  readonly hasActedUnasked: boolean;
  /** A text outside of calls shows markup, or the markup of a turn could not be read. */
  readonly hasBrokenMarkup: boolean;
  /** The last answer says no. */
  readonly hasRefused: boolean;
  /** The last answer asks back. */
  readonly hasAsked: boolean;
  /** The cart at the end is an expected one. */
  readonly isCartRight: boolean;
  readonly confidence: number;
};

/** Judges one request. */
export function judgeRequest(request: TypedRequest, played: PlayedRequest): JudgedRequest {
  const { expect } = request;
  const answer = played.answers.at(-1) ?? null;
  const said = answer ?? "";
  const cart = played.cart.map(({ id: product, quantity }: CartLine) => ({ product, quantity }));
  const isCartRight = expectedCarts(request).some((one) => isSameCart(one, cart));
  const hasBrokenMarkup = played.isUnreadable || played.texts.some(showsMarkup);
  const hasRefused = refuses(said);
  const hasAsked = asksBack(said);
  const hasFacts = (expect.answer ?? []).every((facts) =>
    facts.some((fact) => saysFact(said, fact)),
  );
  return {
    request,
    isSolved:
      answer !== null &&
      isCartRight &&
      hasFacts &&
      !hasBrokenMarkup &&
      (expect.refusal !== true || hasRefused) &&
      (expect.asks !== true || hasAsked),
    hasActedUnasked: actedUnasked(request, cart, played.hasChangedCart),
    hasBrokenMarkup,
    hasRefused,
    hasAsked,
    isCartRight,
    confidence: played.confidence,
  };
}

/**
 * Whether the cart changed without a request for it.
 *
 * Where every expected cart is the one at the start and there is one turn, any change counts, also one that was changed
 * back, because the visitor sees it. Otherwise the cart at the end decides. It is compared with the expected cart that
 * it is closest to, product by product. After one turn, a product must have the quantity of the start or the
 * expected one, so a wrong product, a wrong quantity and a removal that was not asked for count, and a wish that was left
 * undone does not. After several turns, a quantity between the two does not count either, because an earlier turn may
 * have asked for it. A change that one turn asked for and another took back counts if it is still there, because the
 * visitor said otherwise.
 */
function actedUnasked(request: TypedRequest, end: TypedCart, hasChangedCart: boolean): boolean {
  const { cart: start, turns } = request;
  const carts = expectedCarts(request);
  const isSingle = turns.length === 1;
  if (isSingle && hasChangedCart && carts.every((one) => isSameCart(one, start))) return true;
  const isAskedFor = (expected: TypedCart): boolean =>
    [...start, ...expected, ...end].every(({ product }) => {
      const [from, to, is] = [start, expected, end].map((cart) => quantityIn(cart, product)) as [
        number,
        number,
        number,
      ];
      if (is === from || is === to) return true;
      return !isSingle && is > Math.min(from, to) && is < Math.max(from, to);
    });
  return !carts.some(isAskedFor);
}

/** Whether the request wants the cart to stay as it is. */
export function wantsNoAction(request: TypedRequest): boolean {
  return isSameCart(request.cart, request.expect.cart);
}

function isSameCart(one: TypedCart, other: TypedCart): boolean {
  return [...one, ...other].every(
    ({ product }) => quantityIn(one, product) === quantityIn(other, product),
  );
}
