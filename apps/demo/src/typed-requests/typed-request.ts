/** A request as a person types it, with what must be true afterwards. README.md explains the fields. */
import { z } from "zod";
import { findProduct } from "../environment/catalogue.ts";

const Cart = z.array(
  z.strictObject({
    product: z.string().refine((id) => findProduct(id) !== undefined),
    quantity: z.int().min(1),
  }),
);

export type TypedRequest = z.infer<typeof TypedRequest>;
export const TypedRequest = z.strictObject({
  id: z.string().regex(/^t\d{3}$/),
  turns: z.array(z.string().min(1)).min(1),
  cart: Cart,
  features: z.array(z.string()),
  expect: z.strictObject({
    cart: Cart,
    alsoCarts: z.array(Cart).optional(),
    answer: z.array(z.array(z.string().min(1)).min(1)).optional(),
    refusal: z.literal(true).optional(),
    asks: z.literal(true).optional(),
  }),
  why: z.string().min(1),
});

/** The requests of a file. @throws ZodError for a file of another form. */
export function parseTypedRequests(json: string): TypedRequest[] {
  return z.array(TypedRequest).parse(JSON.parse(json));
}
