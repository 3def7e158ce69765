/** The typed requests fit the catalogue, have enough of each kind, and have not changed without a reason. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProduct } from "../environment/catalogue.ts";
import { parseTypedRequests } from "./typed-request.ts";

/** Change it together with the list of changes in README.md. */
const SHA256 = "dba5f0c5565e9919403c478122703e6e87422ef4b00bb39ee422e58544830dfb";

const file = await readFile(join(import.meta.dirname, "typed-requests.fixture.json"), "utf8");
const requests = parseTypedRequests(file);

const share = (isCounted: (request: (typeof requests)[number]) => boolean): number =>
  requests.filter(isCounted).length / requests.length;

test("there are at least 200 different requests, with enough of each kind", () => {
  expect(requests.length).toBeGreaterThanOrEqual(200);
  expect(new Set(requests.map(({ turns }) => turns.join("\n").toLowerCase())).size).toBe(
    requests.length,
  );
  const has = (...features: string[]): number =>
    share((request) => features.some((feature) => request.features.includes(feature)));
  const isSame = ({ cart, expect: { cart: after } }: (typeof requests)[number]): boolean =>
    JSON.stringify(cart) === JSON.stringify(after);
  expect(share((one) => one.features.includes("question") && isSame(one))).toBeGreaterThan(0.15);
  expect(has("out-of-scope")).toBeGreaterThan(0.1);
  expect(has("typo")).toBeGreaterThan(0.1);
  expect(has("negation", "correction")).toBeGreaterThan(0.1);
  expect(has("several")).toBeGreaterThan(0.1);
});

const requestsOf = async (name: string) =>
  parseTypedRequests(
    await readFile(join(import.meta.dirname, `${name}-requests.fixture.json`), "utf8"),
  );
const development = await requestsOf("development");
const validation = await requestsOf("validation");

test("no development request is one of those that a model is measured with", () => {
  const words = (turns: readonly string[]): string =>
    turns
      .join(" ")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, " ")
      .trim();
  const measured = new Set([...requests, ...validation].map(({ turns }) => words(turns)));
  expect(measured.size).toBe(requests.length + validation.length);
  expect(development.length).toBeGreaterThanOrEqual(300);
  expect(validation.length).toBeGreaterThanOrEqual(145);
  expect(development.filter(({ turns }) => measured.has(words(turns)))).toEqual([]);
});

test("no cart has more pieces than the warehouse, and a request that is asked back changes nothing", () => {
  const tooMany = [...requests, ...validation, ...development].filter(
    ({ cart, expect: { cart: after, alsoCarts = [] } }) =>
      [cart, after, ...alsoCarts]
        .flat()
        .some(({ product, quantity }) => quantity > (findProduct(product)?.stock ?? 0)),
  );
  expect(tooMany).toEqual([]);
  const asked = requests.filter((request) => request.expect.asks === true);
  expect(asked.map((request) => request.expect.cart)).toEqual(asked.map(({ cart }) => cart));
});

test("the file is the one that was written before the default model's data", () => {
  expect(createHash("sha256").update(file).digest("hex")).toBe(SHA256);
});
