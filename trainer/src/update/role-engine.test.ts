/** An engine shared by several roles. */
import { expect, test } from "vitest";
import { tableEngine } from "../expectations/table-engine.fixture.ts";
import { roleEngine } from "./role-engine.ts";

test("with two owners, each engine computes the outputs and takes the gradients of its own tokens", async () => {
  const [a, b] = [tableEngine([-1, -1, -1]), tableEngine([-5, -5, -5])];
  const both = roleEngine(
    new Map([
      ["a", a],
      ["b", b],
    ]),
    [["a", "a", "b"]],
    ["b"],
  );
  const batch = { sequences: [{ tokenIds: [0, 1, 2] }] };
  const { logProb } = await both.forward(batch);
  expect([...(logProb[0] ?? [])]).toEqual([-1, -1, -5]);
  await both.backward(batch, { logProb: [Float32Array.of(1, 2, 3)] });
  expect(a.given).toEqual([]);
  expect([...(b.given[0]?.logProb?.[0] ?? [])]).toEqual([0, 0, 3]);
  expect(both.learners).toEqual([b]);
});
