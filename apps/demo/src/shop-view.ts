/**
 * Renders the state of a `Shop` and turns clicks into actions. Visitors, the assistant's tools and tests act on
 * the same `Shop`; the view shows each change and stores nothing.
 */
import { CATALOGUE, cartTotal, findProduct } from "./environment/index.ts";
import type { Product, SearchSort, Shop, ShopState } from "./environment/index.ts";
import { h, required } from "@waggle/embed/dom";
import { productArt } from "./product-art.ts";

const EUROS = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "EUR",
  maximumFractionDigits: 0,
});

const CATEGORIES: readonly string[] = [...new Set(CATALOGUE.map((item) => item.category))];

/** Starts rendering. @param isAgentActing - true while a tool of the assistant runs, to highlight its changes. */
export function renderShop(shop: Shop, isAgentActing: () => boolean): void {
  const search = required("search", HTMLInputElement);
  const maxPrice = required("max-price", HTMLInputElement);
  const sort = required("sort", HTMLSelectElement);
  const cards = new Map(CATALOGUE.map((item) => [item.id, productCard(item, shop)]));
  const chips = [null, ...CATEGORIES].map((category) => categoryChip(category, shop));
  required("categories", HTMLElement).append(...chips.map((chip) => chip.button));
  const renderCart = createCartView(shop);
  const renderOpened = createOpenedView(shop);

  const query = (): void => {
    const limit = maxPrice.value === "" ? undefined : Number(maxPrice.value);
    const category = shop.state.category ?? undefined;
    shop.dispatch({
      type: "search",
      query: search.value,
      maxPrice: limit,
      sort: sort.value as SearchSort,
    });
    if (category !== undefined) shop.dispatch({ type: "filter", category });
  };
  search.placeholder = `Search ${CATALOGUE.length} things worth keeping`;
  search.addEventListener("input", query);
  maxPrice.addEventListener("input", query);
  sort.addEventListener("change", query);

  let shown: ShopState | null = null;
  const render = (state: ShopState): void => {
    const byAgent = shown !== null && isAgentActing();
    if (document.activeElement !== search) search.value = state.query;
    if (document.activeElement !== maxPrice) maxPrice.value = state.maxPrice?.toString() ?? "";
    sort.value = state.sort;
    if (byAgent) {
      if (state.query !== shown?.query) flash(required("search-box", HTMLElement));
      if (state.maxPrice !== shown?.maxPrice) flash(maxPrice);
      if (state.sort !== shown?.sort) flash(sort);
    }
    for (const chip of chips) {
      chip.button.setAttribute("aria-pressed", String(chip.category === state.category));
    }
    if (state.results !== shown?.results) renderResults(state, cards, byAgent);
    if (state.opened !== shown?.opened) renderOpened(state.opened, byAgent);
    if (state.cart !== shown?.cart) renderCart(state, shown, byAgent);
    shown = state;
  };
  shop.subscribe(render);
  render(shop.state);
}

/** Highlights a change by the assistant for the length of the animation. */
function flash(target: Element): void {
  target.classList.remove("flash");
  // Reading the size restarts the animation.
  void (target as HTMLElement).offsetWidth;
  target.classList.add("flash");
}

function renderResults(
  state: ShopState,
  cards: ReadonlyMap<string, HTMLElement>,
  byAgent: boolean,
): void {
  const list = required("results", HTMLElement);
  list.replaceChildren(...state.results.flatMap((id) => cards.get(id) ?? []));
  list.classList.toggle("by-agent", byAgent);
  const everything = state.query === "" && state.category === null && state.maxPrice === null;
  const heading =
    state.query !== ""
      ? `“${state.query}”`
      : state.category !== null
        ? plural(state.category)
        : everything
          ? "Everything"
          : "Filtered";
  required("heading", HTMLElement).textContent = heading;
  const notes = [
    `${state.results.length} ${state.results.length === 1 ? "thing" : "things"}`,
    state.attribute ?? "",
    state.query !== "" && state.category !== null ? plural(state.category).toLowerCase() : "",
    state.maxPrice === null ? "" : `up to ${EUROS.format(state.maxPrice)}`,
  ];
  required("count", HTMLElement).textContent = notes.filter((note) => note !== "").join(" · ");
}

function productCard(item: Product, shop: Shop): HTMLElement {
  const open = h("button", { class: "card-open", type: "button" }, item.name);
  open.addEventListener("click", () => shop.dispatch({ type: "open", id: item.id }));
  return h(
    "li",
    { class: "card", "data-id": item.id },
    h("div", { class: "ground" }, productArt(item)),
    h("div", { class: "card-line" }, open, h("span", { class: "price" }, EUROS.format(item.price))),
    h("div", { class: "card-line small" }, rating(item), addButton(item, shop)),
  );
}

function rating(item: Product): HTMLElement {
  return h(
    "span",
    { class: "rating" },
    h("span", { "aria-hidden": "true" }, "★ "),
    h("span", { class: "hidden-text" }, "rated "),
    item.rating.toFixed(1),
  );
}

function addButton(item: Product, shop: Shop): HTMLElement {
  const button = h(
    "button",
    { class: "add", type: "button", "aria-label": `Add ${item.name} to cart` },
    "Add",
  );
  button.addEventListener("click", () => {
    const inCart = shop.state.cart.find((line) => line.id === item.id)?.quantity ?? 0;
    if (inCart < item.stock) shop.dispatch({ type: "add-to-cart", id: item.id, quantity: 1 });
  });
  return button;
}

function createOpenedView(shop: Shop): (id: string | null, byAgent: boolean) => void {
  const section = required("opened", HTMLElement);
  return (id, byAgent) => {
    const item = id === null ? undefined : findProduct(id);
    section.hidden = item === undefined;
    if (item === undefined) return;
    const close = h("button", { class: "close", type: "button", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => shop.dispatch({ type: "close" }));
    section.replaceChildren(
      h("div", { class: "ground" }, productArt(item)),
      h(
        "div",
        { class: "details" },
        h("h2", {}, item.name),
        h("p", { class: "price" }, EUROS.format(item.price)),
        h("p", { class: "facts" }, rating(item), ` · ${item.stock} in stock · ${item.category}`),
        h("ul", { class: "tags" }, ...item.attributes.map((attribute) => h("li", {}, attribute))),
        addButton(item, shop),
      ),
      close,
    );
    if (byAgent) flash(section);
    section.scrollIntoView({ block: "nearest" });
  };
}

function createCartView(
  shop: Shop,
): (state: ShopState, before: ShopState | null, byAgent: boolean) => void {
  const cart = required("cart", HTMLElement);
  const lines = required("cart-lines", HTMLElement);
  const button = required("cart-button", HTMLElement);
  button.addEventListener("click", () => {
    const open = cart.classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
  });
  return (state, before, byAgent) => {
    const quantityBefore = new Map(before?.cart.map((line) => [line.id, line.quantity]));
    lines.replaceChildren(
      ...state.cart.map((line) => {
        const row = cartRow(line.id, line.quantity, shop);
        if (byAgent && quantityBefore.get(line.id) !== line.quantity) flash(row);
        return row;
      }),
    );
    const count = state.cart.reduce((sum, line) => sum + line.quantity, 0);
    required("cart-count", HTMLElement).textContent = String(count);
    required("cart-total", HTMLElement).textContent = EUROS.format(cartTotal(state.cart));
    required("cart-empty", HTMLElement).hidden = count > 0;
    required("cart-sum", HTMLElement).hidden = count === 0;
    if (byAgent) flash(button);
  };
}

function cartRow(id: string, quantity: number, shop: Shop): HTMLElement {
  const item = findProduct(id);
  if (item === undefined) return h("li", {});
  const change = (label: string, text: string, run: () => void): HTMLElement => {
    const button = h("button", { type: "button", "aria-label": `${label} ${item.name}` }, text);
    button.addEventListener("click", run);
    return button;
  };
  return h(
    "li",
    { "data-id": id },
    h("div", { class: "ground" }, productArt(item)),
    h("span", { class: "cart-name" }, item.name),
    h(
      "span",
      { class: "stepper" },
      change("One less", "−", () => shop.dispatch({ type: "remove-from-cart", id, quantity: 1 })),
      h("output", {}, String(quantity)),
      change("One more", "+", () => {
        if (quantity < item.stock) shop.dispatch({ type: "add-to-cart", id, quantity: 1 });
      }),
    ),
    h("span", { class: "price" }, EUROS.format(item.price * quantity)),
  );
}

function categoryChip(
  category: string | null,
  shop: Shop,
): { category: string | null; button: HTMLElement } {
  const button = h(
    "button",
    { type: "button", "aria-pressed": "false" },
    category === null ? "Everything" : plural(category),
  );
  button.addEventListener("click", () => {
    if (category === null) shop.dispatch({ type: "search", query: "" });
    else shop.dispatch({ type: "filter", category });
  });
  return { category, button };
}

function plural(word: string): string {
  const many = /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
  return many.charAt(0).toUpperCase() + many.slice(1);
}
