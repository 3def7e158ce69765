import { expect, test } from "vitest";
import { readHealth } from "./health-store.ts";
import { bindings, freshEdge, rows } from "./testing/edge.ts";

test("the operator sees the hundred most frequent kinds of refusals", async () => {
  await freshEdge();
  const insert = bindings.DB.prepare(
    "INSERT INTO refusals VALUES ('default', '2026-11-20', ?1, 'FORBIDDEN', ?2, 0)",
  );
  await bindings.DB.batch(
    Array.from({ length: 101 }, (_, i) => insert.bind(`operation${i}`, i + 1)),
  );
  const { refusals } = await readHealth(rows, Date.parse("2026-11-22T12:00:00Z"));
  expect(refusals).toHaveLength(100);
  expect(refusals[0]).toMatchObject({ operation: "operation100", count: 101 });
  expect(refusals.at(-1)).toMatchObject({ operation: "operation1", count: 2 });
});
