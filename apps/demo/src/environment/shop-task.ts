/** Shop tasks in words: each wish is phrased with a template, one after the other. */
import { pick } from "@waggle/environments";
import { mulberry32, hashText, type RandomSource } from "@waggle/protocol";
import type { Task, TaskReference } from "@waggle/protocol";
import { NEW_PRODUCTS } from "./new-products.ts";
import { shopInstance, shopLevel } from "./shop-errands.ts";
import type { ShopWish } from "./shop-instance.ts";
import { CURRENCY_WORDS, JOINS, LIMITS, NUMBER_WORDS, TEMPLATES } from "./shop-templates.ts";

/** System message of every shop task. */
export const SHOP_SYSTEM = "You help in a shop.";

/** One in this many held-out tasks uses templates that no training task uses. */
const UNSEEN_SHARE = 4;
/** The same for new products. With it, a third of the held-out templates are unseen. */
const UNSEEN_SHARE_OF_NEW_PRODUCTS = 3;
/** Number of usual templates of each kind in held-out tasks of new products. */
const USUAL_OF_NEW_PRODUCTS = 4;

/**
 * The task of a reference. Deterministic. `template` contains `-unseen-` for templates that occur only in
 * held-out tasks, which are those whose seed is a multiple of four.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function shopTask(reference: TaskReference): Task {
  const { wishes } = shopInstance(reference);
  const { environment, split, seed } = reference;
  const level = shopLevel(reference);
  const random = mulberry32(hashText(`words/${split}/${seed}${level === 0 ? "" : `/${level}`}`));
  const isOfNewProducts = environment === NEW_PRODUCTS;
  const share = isOfNewProducts ? UNSEEN_SHARE_OF_NEW_PRODUCTS : UNSEEN_SHARE;
  const unseen = split === "heldOut" && seed % share === 0;
  const wording = unseen ? "unseen" : "usual";
  const worded = wishes.map((wish) => {
    const all = TEMPLATES[wish.kind][wording];
    const templates =
      isOfNewProducts && split === "heldOut" ? all.slice(0, USUAL_OF_NEW_PRODUCTS) : all;
    const template = pick(random, templates);
    const slots = slotsOf(wish, random);
    return {
      template: `${wish.kind}-${unseen ? "unseen-" : ""}${templates.indexOf(template)}`,
      request: template.replace(/\{(\w+)\}/g, (_, slot: string) => slots[slot] ?? ""),
    };
  });
  return {
    ...reference,
    kind: wishes.map(({ kind }) => kind).join("+"),
    template: worded.map(({ template }) => template).join("+"),
    system: SHOP_SYSTEM,
    request: worded
      .map(({ request }) => request)
      .reduce((said, more) => `${said}${pick(random, JOINS[wording])}${more}`),
    ...(isOfNewProducts ? { values: wishes.flatMap(valuesOf) } : {}),
  };
}

/** What fills the slots of a template besides currencies. */
function valuesOf(wish: ShopWish): string[] {
  switch (wish.kind) {
    case "add-cheapest":
    case "add-best-rated":
      return [wish.what, ...(wish.limit === null ? [] : [`${wish.limit}`])];
    case "add-two":
    case "replace":
      return [wish.item.name, wish.other.name];
    case "add-quantity":
      return [wish.item.name, `${wish.quantity}`];
    case "price-in-currency":
    case "remove":
    case "stock":
      return [wish.item.name];
    case "cart-total":
      return [];
  }
}

/** True for tasks phrased with templates that training never uses. */
export function isUnseenTemplate(task: Task): boolean {
  return task.template.includes("-unseen-");
}

function slotsOf(wish: ShopWish, random: RandomSource): { [slot: string]: string } {
  const name = (product: { readonly name: string }) =>
    random() < 0.5 ? product.name : product.name.toLowerCase();
  const count = (n: number) => (random() < 0.5 ? String(n) : (NUMBER_WORDS[n] ?? String(n)));
  const money = (code: string) => (random() < 0.5 ? code : (CURRENCY_WORDS[code] ?? code));
  switch (wish.kind) {
    case "add-cheapest":
    case "add-best-rated":
      return {
        what: wish.what,
        limit:
          wish.limit === null ? "" : pick(random, LIMITS).replace("{limit}", String(wish.limit)),
      };
    case "add-quantity":
      return { n: count(wish.quantity), name: name(wish.item) };
    case "add-two":
    case "replace":
      return { name: name(wish.item), other: name(wish.other) };
    case "remove":
    case "stock":
      return { name: name(wish.item) };
    case "price-in-currency":
      return {
        items:
          wish.quantity === 1
            ? `the ${name(wish.item)}`
            : `${count(wish.quantity)} ${name(wish.item)}`,
        currency: money(wish.currency),
      };
    case "cart-total":
      return { currency: money(wish.currency) };
  }
}
