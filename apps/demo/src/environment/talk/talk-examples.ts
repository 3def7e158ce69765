/** Conduct that is nearly right and must fail, to test the verifier with. */
import type { DemonstratedAction } from "@waggle/environments";
import type { Talk } from "./talk-instance.ts";
import { sameCart } from "./talk-judge.ts";

/** The right actions, spoiled in ways that a policy would try. */
export function nearMisses(
  gold: readonly DemonstratedAction[],
  talk: Talk,
): (readonly DemonstratedAction[])[] {
  const turns = talk.messages.flat();
  const known = [...talk.cart, ...turns.flatMap(({ expected }) => expected.cart)];
  const foreign = talk.goods.find(({ id }) => !known.some((line) => line.id === id))?.id ?? "";
  const call = (name: string) => ({ text: "", calls: [{ name, arguments: { id: foreign } }] });
  /** With other arguments, or beside the right actions if these add nothing. */
  const nearly = (near: { readonly [argument: string]: unknown }) => {
    const adds = gold.some(({ calls }) => calls.some(({ name }) => name === "add_to_cart"));
    if (!adds) return [{ text: "", calls: [{ name: "add_to_cart", arguments: near }] }, ...gold];
    return gold.map(({ text, calls }) => ({
      text,
      calls: calls.map((one) =>
        one.name === "add_to_cart" ? { ...one, arguments: { ...one.arguments, ...near } } : one,
      ),
    }));
  };
  const spoken = (change: (text: string) => string) =>
    gold.map(({ text, calls }) => ({ text: calls.length > 0 ? text : change(text), calls }));
  const hasNumbers = turns.some(({ expected }) =>
    expected.facts.some((fact) => typeof fact === "number"),
  );
  const carts = [talk.cart, ...talk.messages.map((turns) => turns.at(-1)?.expected.cart ?? [])];
  const acts = carts.some((cart, at) => at > 0 && !sameCart(cart, carts[at - 1] ?? []));
  return [
    // It says nothing, or shows markup.
    spoken(() => ""),
    spoken((text) => `${text} <tool_call>{"name": "search"}`),
    // It adds what was not asked for.
    [call("add_to_cart"), ...gold],
    // It takes what was taken back or left out.
    ...turns.flatMap(({ near }) => (near === undefined ? [] : [nearly(near)])),
    // It speaks without acting, or claims and takes back what was not asked for.
    ...(acts
      ? [gold.filter(({ calls }) => calls.length === 0)]
      : [
          spoken((text) => `I added it. ${text}`),
          [call("add_to_cart"), call("remove_from_cart"), ...gold],
        ]),
    ...(hasNumbers ? [spoken((text) => text.replaceAll(/\d+/g, "7777"))] : []),
  ];
}
