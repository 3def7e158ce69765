/** Valid schemas that people rarely write: each has a grammar that allows a value of it. */
import type { GrammarSpec } from "@waggle/protocol";
import { expect, test } from "vitest";
import { ODD_DEFINITIONS, ODD_SCHEMAS } from "../../../../test/fixtures/odd-schemas.ts";
import { allows } from "./grammar.fixture.ts";

test.each(ODD_SCHEMAS)("an odd schema allows its value: %j", async (schema, value) => {
  const of = (required: readonly string[]): GrammarSpec => ({
    kind: "json-schema",
    schema: { type: "object", properties: { p: schema }, required, $defs: ODD_DEFINITIONS },
  });
  expect(await allows(of(["p"]), JSON.stringify({ p: value }))).toBe(true);
  expect(await allows(of([]), "{}")).toBe(true);
});
