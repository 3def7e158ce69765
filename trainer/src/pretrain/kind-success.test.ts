import { defineEnvironment } from "@waggle/agent/define";
import { expect, test } from "vitest";
import { heldOutTask } from "../evaluation/held-out.ts";
import { kindSuccess } from "./kind-success.ts";

/** Requests of two kinds: those with an even seed are of the kind `even`. */
function parity(kind: (seed: number) => string) {
  return defineEnvironment({
    name: "parity",
    splits: "own",
    prompt: "You say numbers.",
    tasks: ({ seed }) => ({ request: `Say ${seed}.`, state: {}, data: null, kind: kind(seed) }),
    tools: {},
    verify: () => true,
  });
}

test("each kind has the success of its own tasks", () => {
  const spec = parity((seed) => (seed % 2 === 0 ? "even" : "odd"));
  const tasks = Array.from({ length: 60 }, (_, i) => heldOutTask(spec, i));
  const isEven = tasks.map((task) => task.seed % 2 === 0);
  const even = isEven.filter(Boolean).length;
  const found = kindSuccess(spec, tasks, { greedy: isEven, sampled: isEven.map((is) => !is) });
  expect(found?.["even"]).toMatchObject({
    greedy: { successes: even, trials: even },
    sampled: { successes: 0, trials: even },
  });
  expect(found?.["odd"]).toMatchObject({
    greedy: { successes: 0, trials: 60 - even },
    sampled: { successes: 60 - even, trials: 60 - even },
  });
});

test("tasks of one kind have no table of kinds", () => {
  const spec = parity(() => "any");
  const tasks = Array.from({ length: 4 }, (_, i) => heldOutTask(spec, i));
  const all = tasks.map(() => true);
  expect(kindSuccess(spec, tasks, { greedy: all, sampled: all })).toBeNull();
});
