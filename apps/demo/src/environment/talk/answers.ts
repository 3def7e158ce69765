/** The few sentence forms of the scripted assistant's answers. */

/** A product as a search or a cart shows it. */
export type Shown = { readonly name: string; readonly price?: number; readonly quantity?: number };

/** "a", "a and b" or "a, b and c", or with "or". */
export function series(parts: readonly string[], joint: "and" | "or" = "and"): string {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} ${joint} ${parts.at(-1) ?? ""}`;
}

/** "the Desk Lamp" or "2 x Desk Lamp". */
export function pieces({ name, quantity = 1 }: Shown): string {
  return quantity === 1 ? `the ${name}` : `${quantity} x ${name}`;
}

/** Products with their prices. */
export function priced(items: readonly Shown[], joint?: "and" | "or"): string {
  return series(
    items.map((item) => {
      const price = item.price ?? "?";
      return `${pieces(item)} (${price} EUR${(item.quantity ?? 1) > 1 ? " each" : ""})`;
    }),
    joint,
  );
}

/** "I added the Desk Lamp (25 EUR)." */
export function added(items: readonly Shown[]): string {
  return `I added ${priced(items)}.`;
}

/** "I removed the Desk Lamp and 2 x Sun Hat." */
export function removed(items: readonly Shown[]): string {
  return `I removed ${series(items.map(pieces))}.`;
}

/** What the assistant says that it can do. */
export const ABILITIES = "I can find products, tell you prices and fill your cart.";
/** The answer to a request that the assistant cannot fulfil. */
export const REFUSAL: string = `I can't help with that. ${ABILITIES}`;
