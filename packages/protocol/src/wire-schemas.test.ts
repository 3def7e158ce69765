/**
 * Pages, edges and trainers of different versions talk to each other, and stored trajectories are read for years. So a
 * schema must not change by accident. Where it is meant to change, it needs what the design says about versions; then
 * run test/golden/protocol/write.ts and read the difference.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wireSchemas } from "./wire-schemas.fixture.ts";

const PATH = join(import.meta.dirname, "../../../test/golden/protocol/wire-schemas.json");
const golden = JSON.parse(readFileSync(PATH, "utf8")) as { readonly [name: string]: unknown };
const schemas = wireSchemas();

test("the public schemas are those recorded", () => {
  expect(Object.keys(schemas)).toEqual(Object.keys(golden));
  expect(Object.keys(schemas).length).toBeGreaterThan(50);
});

test.each(Object.keys(golden))("%s accepts what it accepted when it was recorded", (name) => {
  expect(schemas[name]).toEqual(golden[name]);
});
