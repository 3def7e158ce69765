/** A request as a person types it, with what must be true afterwards. README.md explains the fields. */
import { z } from "zod";
import { findProduct } from "../environment/catalogue.ts";

/** Products with their quantities. */
export type TypedCart = readonly { readonly product: string; readonly quantity: number }[];

export type TypedRequest = {
  readonly id: string;
  readonly turns: readonly string[];
  readonly cart: TypedCart;
  readonly features: readonly string[];
  readonly expect: {
    readonly cart: TypedCart;
    readonly alsoCarts?: readonly TypedCart[] | undefined;
    readonly answer?: readonly (readonly string[])[] | undefined;
    readonly refusal?: true | undefined;
    readonly asks?: true | undefined;
  };
  readonly why: string;
};

const cart = z.array(
  z.strictObject({
    product: z.string().refine((id) => findProduct(id) !== undefined),
    quantity: z.int().min(1),
  }),
);

const typedRequests: z.ZodType<TypedRequest[]> = z.array(
  z.strictObject({
    id: z.string().regex(/^[dtv]\d{3}$/),
    turns: z.array(z.string().min(1)).min(1),
    cart,
    features: z.array(z.string()),
    expect: z.strictObject({
      cart,
      alsoCarts: z.array(cart).optional(),
      answer: z.array(z.array(z.string().min(1)).min(1)).optional(),
      refusal: z.literal(true).optional(),
      asks: z.literal(true).optional(),
    }),
    why: z.string().min(1),
  }),
);

/** The requests of a file. @throws ZodError for a file of another form. */
export function parseTypedRequests(json: string): TypedRequest[] {
  return typedRequests.parse(JSON.parse(json));
}

/** The carts that are right after the last turn. */
export function expectedCarts({ expect: { cart, alsoCarts = [] } }: TypedRequest): TypedCart[] {
  return [cart, ...alsoCarts];
}

/** The pieces of a product in a cart. */
export function quantityIn(cart: TypedCart, product: string): number {
  return cart
    .filter((line) => line.product === product)
    .reduce((sum, { quantity }) => sum + quantity, 0);
}
