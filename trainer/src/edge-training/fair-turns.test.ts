import { expect, test } from "vitest";
import { fairTurns, type Turn } from "./fair-turns.ts";

/** Sites that share a clock, and the order in which they worked. */
function open(...names: string[]) {
  let time = 0;
  const order: string[] = [];
  const add = fairTurns(() => time);
  const sites = new Map<string, Turn>(names.map((name) => [name, add()]));
  /** Asks for a turn that takes this long. */
  const ask = (name: string, ms: number): Promise<void> =>
    (sites.get(name) as Turn)(async () => {
      order.push(name);
      await Promise.resolve();
      time += ms;
    });
  return { order, ask };
}

test("the site that has worked least goes next", async () => {
  const { order, ask } = open("busy", "small");
  const repeat = async (name: string, times: number, ms: number) => {
    for (let i = 0; i < times; i += 1) await ask(name, ms);
  };
  await Promise.all([repeat("busy", 4, 30), repeat("small", 9, 10)]);
  expect(order.slice(0, 8).join(" ")).toBe("busy small small small busy small small small");
});

test("a site that was idle gets at most a minute of that time back", async () => {
  const { order, ask } = open("old", "late");
  for (let i = 0; i < 5; i += 1) await ask("old", 100_000);
  order.length = 0;
  const repeat = async (name: string) => {
    for (let i = 0; i < 3; i += 1) await ask(name, 100_000);
  };
  await Promise.all([repeat("old"), repeat("late")]);
  expect(order).toEqual(["late", "late", "old", "late", "old", "old"]);
});

test("one site works at a time, and a failed turn is passed on", async () => {
  let working = 0;
  const add = fairTurns(() => 0);
  const results = await Promise.allSettled(
    [1, 2, 3].map((n) =>
      add()(async () => {
        working += 1;
        expect(working).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        working -= 1;
        if (n === 2) throw new Error("failed");
        return n;
      }),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
