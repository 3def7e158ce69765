/** A chart does not depend on the charts that the process drew before. */
import { expect, test } from "vitest";
import { curveChart } from "./curve-chart.ts";

test("a chart drawn again is the same text, and ids of different shapes differ", async () => {
  const points = [0, 1, 2].map((x) => ({ x, mean: x * x, error: 1 }));
  const draw = (): Promise<string> =>
    curveChart({ x: "tokens", y: "solved" }, [{ name: "grpo", points }], { name: "base", at: 1 });
  const first = await draw();
  expect(await draw()).toBe(first);
  const paths = [...first.matchAll(/<clipPath id="([^"]+)"/g)].map(([, id]) => id);
  expect(paths.length).toBeGreaterThan(1);
  expect(new Set(paths).size).toBe(paths.length);
  for (const [, id] of first.matchAll(/url\(#([^)]+)\)/g)) expect(first).toContain(`id="${id}"`);
});
