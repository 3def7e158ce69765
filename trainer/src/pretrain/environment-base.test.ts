/** A base is made once, and again if its recipe changes. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment } from "@waggle/agent/define";
import { environmentNamed, type EnvironmentSpec } from "@waggle/environments";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { baseRecipe, ENVIRONMENT_BASE, environmentBase } from "./environment-base.ts";

const TINY = { ...ENVIRONMENT_BASE, steps: 1, batchSize: 1, width: 32, layers: 1 };

test("an existing base is read, and a base of another recipe is made again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-base-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { signal } = new AbortController();
  let builds = 0;
  const count = (): void => {
    builds += 1;
  };
  const base = (name: string, more: Partial<typeof TINY> = {}, spec = environmentNamed(name)) =>
    environmentBase(
      spec,
      join(folder, "base"),
      { ...TINY, ...more },
      { onProgress: count, signal },
    );
  const first = await base("bandit");
  const again = await base("bandit");
  expect([builds, again.reference.sha256]).toEqual([1, first.reference.sha256]);
  const other = await base("bandit", { seed: 2 });
  expect(builds).toBe(2);
  expect(other.reference.sha256).not.toBe(first.reference.sha256);
  // The recipe of a base that is taught to read records the reading lessons too.
  await base("recall");
  await base("recall");
  expect(builds).toBe(3);
  const record: unknown = JSON.parse(await readFile(join(folder, "base", "base.json"), "utf8"));
  expect(record).toMatchObject({ spec: "recall", mistakes: 1, reading: 0.75, steps: 1 });
  // Tasks of some environments take more tokens than those of others.
  const spec = { ...environmentNamed("bandit"), contextLength: 2 * TINY.contextLength };
  expect((await base("bandit", {}, spec)).config.contextLength).toBe(2 * TINY.contextLength);
});

// Under `npm test`, an interrupted base goes on in resumed-commands.test.ts.
test.runIf(isLong())(
  "an unfinished base goes on, and with other settings it is discarded with a word",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "waggle-base-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const seen: { step: number; steps: number; secondsLeft: number }[] = [];
    const discarded: number[] = [];
    const base = (steps: number, controller = new AbortController()) =>
      environmentBase(
        environmentNamed("bandit"),
        join(folder, "base"),
        { ...TINY, steps },
        {
          onProgress: (progress) => {
            seen.push(progress);
            controller.abort();
          },
          onDiscard: (step) => discarded.push(step),
          signal: controller.signal,
          saveEvery: 1,
        },
      );
    await expect(base(12)).rejects.toMatchObject({ name: "AbortError" });
    // The first measurement comes after ten steps, and estimates the rest.
    expect(seen).toMatchObject([{ step: 10, steps: 12 }]);
    expect(seen[0]?.secondsLeft).toBeGreaterThan(0);
    await base(12);
    expect(seen.map(({ step }) => step)).toEqual([10, 12]);
    expect(discarded).toEqual([]);
    await rm(join(folder, "base"), { recursive: true });
    await expect(base(12)).rejects.toMatchObject({ name: "AbortError" });
    await base(11).catch(() => undefined);
    expect(discarded).toEqual([10]);
  },
);

test("bases of longer tasks take more steps, but those of built-in environments do not", () => {
  const builtIn = environmentNamed("bandit");
  const own = { ...builtIn, source: "./desk.ts" };
  expect(baseRecipe(own).steps).toBe(700);
  const steps = [256, 512, 768, 1024, 4096].map(
    (contextLength) => baseRecipe({ ...own, contextLength }).steps,
  );
  expect(steps).toEqual([700, 700, 1575, 2100, 2100]);
  expect(baseRecipe({ ...builtIn, contextLength: 1024 }).steps).toBe(700);
  expect(baseRecipe({ ...own, contextLength: 1024 }, { steps: 10 }).steps).toBe(10);
});

/** Books places, out of a list or with any number of names. */
function hall(letters: number): EnvironmentSpec {
  const spec = defineEnvironment({
    name: "hall",
    prompt: "You book places.",
    tasks: ({ pick, random }) => {
      const name = Array.from({ length: letters }, () => pick(Array.from("abcdefghijklmnopqrst")));
      const place = `place ${name.join("")}`;
      const time = String(Math.floor(24 * random()));
      return {
        request: `Book ${place} at ${time}.`,
        values: [place, time],
        state: {},
        data: place,
      };
    },
    tools: {},
    verify: ({ text, data }) => text === data,
    demonstrate: ({ data }) => [data],
  });
  return { ...spec, source: "./hall.ts" };
}

test("a base errs on purpose, unless the requests of training name the same values again and again", () => {
  const listed = baseRecipe(hall(1));
  expect(listed).toMatchObject({ mistakes: 0, steps: 2100 });
  expect(listed).not.toHaveProperty("habits");
  expect(baseRecipe(hall(1), { steps: 5, mistakes: 0.2 })).toMatchObject({
    steps: 5,
    mistakes: 0.2,
  });
  expect(baseRecipe(hall(4))).toMatchObject({ habits: 0.85, mistakes: 0.1, steps: 700 });
});
