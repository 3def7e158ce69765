/** The evidence of `npm run test:interop` is that of its record, and the listed deviations are read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type InteropRecord,
  interopPages,
  interopTotals,
} from "../../scripts/interop/interop-page.ts";
import { ROOT } from "../../scripts/root.ts";
import { openAIDeviations } from "../interop/listed-deviations.ts";

const evidence = (file: string) => readFileSync(join(ROOT, "docs/evidence", file), "utf8");

test("the pages are those of the recorded run, in which nothing failed", () => {
  const record = JSON.parse(evidence("interop.json")) as InteropRecord;
  const { page, appendix } = interopPages(record);
  expect(evidence("interop.md")).toBe(page);
  expect(evidence("appendix/interop.md")).toBe(appendix);
  expect(record.totals).toEqual(interopTotals(record.counterparts));
  expect(record.totals.failed).toBe(0);
});

test("every row of the table of differences is a deviation with a reason", () => {
  const deviations = openAIDeviations();
  expect(deviations.length).toBeGreaterThan(10);
  expect(deviations).toContainEqual({
    case: "any `model`",
    reason: "accepted: a handler serves one model",
  });
});
