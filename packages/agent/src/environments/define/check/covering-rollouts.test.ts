/** Which tasks other runtimes repeat. */
import { expect, test } from "vitest";
import { defineEnvironment, type EnvironmentSpec } from "../index.ts";
import { coveringRollouts } from "./covering-rollouts.ts";
import type { RecordedRollout } from "./recorded-rollout.ts";

const { signal } = new AbortController();

/** An environment whose gold turns call one tool each: for the task with a seed, what `toolFor` gives. */
function environment(names: readonly string[], toolFor: (seed: number) => string): EnvironmentSpec {
  const tool = {
    description: "Set.",
    parameters: { type: "object", properties: {}, additionalProperties: false } as const,
    run: () => "set",
  };
  return defineEnvironment({
    name: "setters",
    prompt: "You set.",
    splits: "own",
    tasks: ({ seed }) => ({
      request: `Set ${seed}.`,
      state: {},
      data: { tool: toolFor(seed) },
    }),
    tools: Object.fromEntries(names.map((name) => [name, tool])),
    verify: ({ text }) => text === "Done.",
    demonstrate: ({ data }) => [[data.tool, {}], "Done."],
  });
}

/** Tools that the turns after the first one, which has wrong calls of every tool, call. */
const calledIn = (rollouts: readonly RecordedRollout[]): Set<string> =>
  new Set(
    rollouts.flatMap(({ turns }) =>
      turns.filter(({ calls }) => calls.length === 1).map(({ calls }) => calls[0]?.name ?? ""),
    ),
  );

test("besides the first tasks, those are chosen whose gold turns call other tools", async () => {
  const toolFor = (seed: number): string =>
    seed === 40 ? "archive" : seed % 10 === 9 ? "share" : "save";
  const spec = environment(["save", "share", "archive", "erase"], toolFor);
  const covering = await coveringRollouts(spec, 50, signal);
  expect(covering).toMatchObject({
    tools: ["save", "share", "archive"],
    leftOut: [],
    uncalled: ["erase"],
    tasks: 8,
  });
  const others = covering.rollouts.slice(12);
  expect(others.map(({ task }) => task.seed)).toEqual([9, 9, 40, 40]);
  expect(calledIn(covering.rollouts)).toEqual(new Set(["save", "share", "archive"]));
  expect(others[3]?.judgment).toMatchObject({ success: true });
});

test("no more than the checked tasks are chosen, and not more than a limit", async () => {
  const few = await coveringRollouts(
    environment(["save"], () => "save"),
    2,
    signal,
  );
  expect(few.tasks).toBe(4);
  const names = Array.from({ length: 40 }, (_, i) => `tool${i}`);
  const many = await coveringRollouts(
    environment(names, (seed) => names[seed % 40] ?? ""),
    100,
    signal,
  );
  expect(many.tasks).toBe(30);
  expect(many.tools).toEqual(names.slice(0, 27));
  expect(many.leftOut).toEqual(names.slice(27));
  expect(many.uncalled).toEqual([]);
});

test("an environment without gold turns is repeated with wrong calls, and names its tools as not called", async () => {
  const { examples: _, ...spec } = environment(["save"], () => "save");
  const { rollouts, tools, uncalled } = await coveringRollouts(spec, 10, signal);
  expect(rollouts).toHaveLength(6);
  expect({ tools, uncalled }).toEqual({ tools: [], uncalled: ["save"] });
});
