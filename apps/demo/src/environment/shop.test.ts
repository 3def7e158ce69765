import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CATALOGUE } from "./catalogue-data.ts";
import { searchProducts } from "./catalogue.ts";
import { convertCurrency } from "./currency.ts";
import { createShop, initialShopState, shopReducer } from "./shop.ts";
import { createShopEnvironment } from "./shop-environment.ts";
import { runEdgeTool, runPageTool, SHOP_TOOLS } from "./shop-tools.ts";

describe("the catalogue", () => {
  test("has at least 64 products with unique ids, unique names and whole prices", () => {
    expect(CATALOGUE.length).toBeGreaterThanOrEqual(64);
    expect(new Set(CATALOGUE.map((item) => item.id)).size).toBe(CATALOGUE.length);
    expect(new Set(CATALOGUE.map((item) => item.name)).size).toBe(CATALOGUE.length);
    for (const item of CATALOGUE) {
      expect(Number.isInteger(item.price) && item.price > 0).toBe(true);
      expect(item.rating).toBe(Math.round(item.rating * 10) / 10);
      expect(item.name.split(" ").length).toBeLessThanOrEqual(3);
    }
  });

  test("a search respects the price limit and the sort order", () => {
    const found = searchProducts({ query: "jackets", maxPrice: 160, sort: "price" });
    const prices = found.map((item) => item.price);
    expect(prices).toEqual(
      CATALOGUE.filter((item) => item.category === "jacket" && item.price <= 160)
        .map((item) => item.price)
        .sort((a, b) => a - b),
    );
  });

  test("a word with a minus leaves products out, by attribute or by a word of the name", () => {
    const names = (query: string): string[] => searchProducts({ query }).map(({ name }) => name);
    const scarves = CATALOGUE.filter(({ category }) => category === "scarf");
    const free = scarves.filter(({ attributes }) => !attributes.includes("red"));
    expect(free.length).toBeLessThan(scarves.length);
    expect(names("scarf -red")).toEqual(free.map(({ name }) => name));
    expect(names("-red   scarf")).toEqual(names("scarf -red"));
    expect(names("scarf -red -wool")).toEqual(
      free.filter(({ attributes }) => !attributes.includes("wool")).map(({ name }) => name),
    );
    expect(names("scarf -garden")).toEqual(
      scarves.map(({ name }) => name).filter((name) => name !== "Garden Scarf"),
    );
    // Alone it leaves something out of all products, and a minus within a word or alone means nothing.
    expect(names("-scarf")).toHaveLength(CATALOGUE.length - scarves.length);
    expect(names("warm-red scarf - wool")).toEqual(names("warm red scarf wool"));
  });

  test("a search knows plurals and other words that mean one category or attribute", () => {
    const ids = (query: string): string[] => searchProducts({ query }).map(({ id }) => id);
    expect(ids("rucksacks")).toEqual(ids("backpack"));
    expect(ids("Sun Scarves")).toEqual(ids("sun scarf"));
    expect(ids("diaries")).toEqual(ids("notebook"));
    expect(ids("wooden chair -navy")).toEqual(ids("wood chair -blue"));
    // Of more than one word, each would find too much.
    expect(ids("water bottle")).toEqual(ids("bottle"));
    expect(ids("table")).toEqual([]);
  });

  test("a search for an unknown word finds nothing", () => {
    expect(searchProducts({ query: "submarine" })).toEqual([]);
  });
});

describe("the state machine", () => {
  const action = fc.oneof(
    fc.record({
      type: fc.constant("add-to-cart" as const),
      id: fc.constantFrom("p01", "p02", "p99"),
      quantity: fc.integer({ min: -1, max: 5 }),
    }),
    fc.record({
      type: fc.constant("remove-from-cart" as const),
      id: fc.constantFrom("p01", "p02", "p99"),
      quantity: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    }),
  );

  test("a cart never contains an unknown product, a product twice or an empty line", () => {
    fc.assert(
      fc.property(fc.array(action), (actions) => {
        const { cart } = actions.reduce(shopReducer, initialShopState());
        expect(cart.every((line) => line.quantity >= 1 && line.id !== "p99")).toBe(true);
        expect(new Set(cart.map((line) => line.id)).size).toBe(cart.length);
      }),
    );
  });

  test("a listener is called on every change until it unsubscribes", () => {
    const shop = createShop();
    const heard: (string | null)[] = [];
    const leave = shop.subscribe((state) => heard.push(state.opened));
    shop.dispatch({ type: "open", id: "p01" });
    shop.dispatch({ type: "open", id: "p99" });
    leave();
    shop.dispatch({ type: "close" });
    expect(heard).toEqual(["p01"]);
  });

  test("a filter narrows the previous search", () => {
    const shop = createShop();
    runPageTool(shop, "search", { query: "nordic" });
    runPageTool(shop, "filter", { category: "lamp" });
    expect(shop.state.results).toEqual(["p14"]);
  });
});

describe("tools", () => {
  test("a search returns at most three compact results, in the requested order", () => {
    expect(
      runPageTool(createShop(), "search", {
        query: "waterproof jacket",
        maxPrice: 100,
        sort: "price",
      }),
    ).toEqual([
      { id: "p03", name: "Classic Jacket", price: 64 },
      { id: "p01", name: "Nordic Jacket", price: 87 },
    ]);
    expect(runPageTool(createShop(), "search", { query: "" })).toHaveLength(3);
  });

  test("adding more than the stock is refused and leaves the cart unchanged", () => {
    const shop = createShop();
    expect(() => runPageTool(shop, "add_to_cart", { id: "p01", quantity: 5 })).toThrow(/only 4/);
    expect(shop.state.cart).toEqual([]);
  });

  test("every parameter of every tool is a flat value", () => {
    const types = SHOP_TOOLS.flatMap((tool) =>
      Object.values(tool.parameters["properties"] as { [name: string]: { type: string } }),
    ).map((property) => property.type);
    expect([...new Set(types)].sort()).toEqual(["integer", "number", "string"]);
  });

  test.each([
    ["3*45", 135],
    ["2 + 3 * (4 - 1) / 2", 6.5],
    ["-(2-5)*.5", 1.5],
    ["0.1+0.2", 0.3],
  ])("calculates %s", (expression, value) => {
    expect(runEdgeTool("calculate", { expression })).toBe(value);
  });

  test("currencies are converted with the table, through the euro", () => {
    expect(convertCurrency(100, "EUR", "usd")).toBe(108);
    expect(convertCurrency(108, "USD", "GBP")).toBe(85);
    expect(() => convertCurrency(1, "EUR", "toString")).toThrow(/currency must be one of/);
  });
});

test("an environment can be observed once and ends with an answer", async () => {
  const environment = createShopEnvironment({ environment: "shop", seed: 1, split: "train" });
  const signal = new AbortController().signal;
  await environment.observe();
  await expect(environment.observe()).rejects.toThrow(/single-use/);
  const last = await environment.step({ text: "Done.", toolCalls: [] }, signal);
  expect(last.terminated).toBe(true);
  await expect(environment.step({ text: "", toolCalls: [] }, signal)).rejects.toThrow(/single-use/);
});

test("an unreachable edge gives a failed result instead of throwing", async () => {
  const environment = createShopEnvironment(
    { environment: "shop", seed: 1, split: "train" },
    { edgeTools: () => Promise.reject(new Error("offline")) },
  );
  await environment.observe();
  const { toolResults } = await environment.step(
    { text: "", toolCalls: [{ id: "c0", name: "calculate", arguments: { expression: "1" } }] },
    new AbortController().signal,
  );
  expect(toolResults[0]).toMatchObject({ ok: false, error: { code: "TOOL_UNAVAILABLE" } });
});
