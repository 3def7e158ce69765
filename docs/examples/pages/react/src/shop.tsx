/** A shop whose cart is React state. Visitors fill it with buttons, and the assistant with a tool. */
import "@waggle/embed/element";
import { useAgent } from "@waggle/embed/react";
import { useReducer } from "react";
import { GOODS, shopTools } from "./goods.ts";

const SUGGESTIONS = ["Add the City Jacket to my cart."];

type Cart = { readonly [id: string]: number };
type Line = { readonly id: string; readonly quantity: number };

function withLine(cart: Cart, { id, quantity }: Line): Cart {
  return { ...cart, [id]: (cart[id] ?? 0) + quantity };
}

export function Shop() {
  const [cart, add] = useReducer(withLine, {});
  // The options are read once, when the component is mounted. React keeps `add` the same until the end.
  const agent = useAgent({
    edgeUrl: "https://edge.example",
    siteKey: "my-site",
    system: "You help in a shop.",
    tools: shopTools(add),
  });
  const bought = GOODS.filter(({ id }) => id in cart);
  return (
    <>
      <main>
        <h1>Shop</h1>
        <ul className="goods">
          {GOODS.map(({ id, name, price }) => (
            <li key={id}>
              {name} <span>{price} €</span>
              <button
                type="button"
                aria-label={`Add ${name}`}
                onClick={() => add({ id, quantity: 1 })}
              >
                Add
              </button>
            </li>
          ))}
        </ul>
        <h2>Cart</h2>
        {bought.length === 0 && <p>Your cart is empty.</p>}
        <ul aria-label="Cart">
          {bought.map(({ id, name }) => (
            <li key={id}>
              {cart[id]} × {name}
            </li>
          ))}
        </ul>
      </main>
      <waggle-agent agent={agent} suggestions={SUGGESTIONS} />
    </>
  );
}
