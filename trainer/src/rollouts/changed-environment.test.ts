/**
 * Environment wrappers: the policy sees the wrapped environment, and the environment's own verifier
 * judges the real calls.
 */
import { environmentNamed, type Judgment } from "@waggle/environments";
import type { EnvironmentChange } from "@waggle/learning";
import type { Observation } from "@waggle/protocol";
import { expect, test } from "vitest";
import { changedEnvironment } from "./changed-environment.ts";

/** A tool's answer when its call budget is exhausted. */
const NO_CALLS_LEFT = "no calls left";

type Call = { readonly name: string; readonly arguments: { readonly [key: string]: string } };

/** A wrapped environment for the easiest look-up task, and a function that takes steps in it. */
function changed(change: EnvironmentChange, env = "lookup", seeds = { taskSeed: 1, seed: 2 }) {
  const spec = environmentNamed(env);
  const task = spec.reference(33, "train", 0);
  const own = spec.create(task);
  // The verifier of the look-up answers synchronously.
  const answer = String((own.judge(null) as Judgment).parts["answer"]);
  const instance = changedEnvironment(change, { spec, task, worldModels: {}, ...seeds })(own);
  const step = (text: string, ...calls: readonly Call[]): Promise<Observation> =>
    instance.environment.step(
      { text, toolCalls: calls.map((call, i) => ({ id: `c${i}`, ...call })) },
      new AbortController().signal,
    );
  return { instance, answer, step };
}

const LOOK: Call = { name: "look", arguments: { name: "ann", field: "city" } };

function messages({ toolResults }: Observation): (string | null)[] {
  return toolResults.map((result) => (result.ok ? null : result.error.message));
}

test("a failed trial restarts the task in the same conversation, and the last trial counts", async () => {
  const { instance, answer, step } = changed({ kind: "trials", most: 3, stopsAtSuccess: true });
  const { userMessage } = await instance.environment.observe();
  const first = await step("nowhere");
  expect(first).toMatchObject({ terminated: false, userMessage: `Wrong. Again: ${userMessage}` });
  expect((await step(answer)).terminated).toBe(true);
  expect(await instance.judge(null)).toMatchObject({ success: true, parts: { trials: 2 } });
});

test("trials end at their limit or with a success", async () => {
  const failing = changed({ kind: "trials", most: 2, stopsAtSuccess: true });
  await failing.instance.environment.observe();
  await failing.step("nowhere");
  expect((await failing.step("nowhere")).terminated).toBe(true);
  expect(await failing.instance.judge("nowhere")).toMatchObject({
    success: false,
    parts: { trials: 2 },
  });
  const succeeding = changed({ kind: "trials", most: 2, stopsAtSuccess: true });
  await succeeding.instance.environment.observe();
  expect((await succeeding.step(succeeding.answer)).terminated).toBe(true);
  expect(await succeeding.instance.judge(null)).toMatchObject({
    success: true,
    parts: { trials: 1 },
  });
});

test("without tools none is offered, and calls are not executed", async () => {
  const { instance, step, answer } = changed({ kind: "toolless" });
  expect((await instance.environment.observe()).tools).toEqual([]);
  expect(messages(await step("", LOOK))).toEqual(["no tool here"]);
  await step(answer);
  expect(await instance.judge(answer)).toMatchObject({ success: true, parts: { calls: 0 } });
});

test("a call budget is announced, enforced, and drawn once per task", async () => {
  const range = { toolBudget: { from: 1, to: 9 }, turnBudget: { from: 20, to: 20 } };
  const change = { kind: "drawn", ranges: { ...range, faultRate: { from: 0, to: 0 } } } as const;
  const systems = [];
  for (const seed of [2, 3]) {
    const { instance, step } = changed(change, "lookup", { taskSeed: 1, seed });
    const { system } = await instance.environment.observe();
    systems.push(system);
    const budget = Number(/Calls: (\d+)\./.exec(system)?.[1]);
    for (let call = 0; call < budget; call += 1)
      expect(messages(await step("", LOOK))).toEqual([null]);
    expect(messages(await step("", LOOK))).toEqual([NO_CALLS_LEFT]);
    expect((await instance.judge(null)).parts["calls"]).toBe(budget);
  }
  expect(systems[0]).toBe(systems[1]);
});

test("faults occur at the drawn rate, and the turn budget ends the rollout", async () => {
  const range = { toolBudget: { from: 9, to: 9 }, turnBudget: { from: 2, to: 2 } };
  const { instance, step } = changed({
    kind: "drawn",
    ranges: { ...range, faultRate: { from: 1, to: 1 } },
  });
  await instance.environment.observe();
  expect(messages(await step("", LOOK))).toEqual(["out of order"]);
  expect((await step("", LOOK)).terminated).toBe(true);
  expect((await instance.judge(null)).parts["calls"]).toBe(0);
});

test("a call that breaks the contract reaches no tool, and the second refusal ends the rollout", async () => {
  const breaking: readonly Call[] = [
    { name: "delete", arguments: {} },
    { name: "look", arguments: { name: "ann" } },
    { name: "look", arguments: { name: "ann", field: "city", more: "x" } },
  ];
  for (const call of breaking) {
    const { instance, step } = changed({ kind: "contract", mostCalls: 2 });
    await instance.environment.observe();
    expect(messages(await step("", call))).toEqual(["refused"]);
    expect(messages(await step("", LOOK))).toEqual([null]);
    expect((await step("", call)).terminated).toBe(true);
    expect((await instance.judge(null)).parts["calls"]).toBe(1);
  }
  const { instance, step } = changed({ kind: "contract", mostCalls: 1 });
  await instance.environment.observe();
  await step("", LOOK);
  expect(messages(await step("", LOOK))).toEqual(["refused"]);
  expect((await instance.judge(null)).parts["calls"]).toBe(1);
});

test("a failed call is answered with the tool's parameters", async () => {
  const { instance, step } = changed({ kind: "explained" });
  await instance.environment.observe();
  const [message] = messages(
    await step("", { name: "look", arguments: { name: "x", field: "city" } }),
  );
  expect(message).toMatch(/; try look\(name, field\)/);
});

test("corpus search needs an environment with documents", async () => {
  await expect(changed({ kind: "searched" }).instance.environment.observe()).rejects.toThrow(
    /environment "lookup" has no documents/,
  );
  const { instance } = changed({ kind: "searched" }, "library");
  expect((await instance.environment.observe()).tools.map(({ name }) => name)).toContain("search");
});

test("a simulated environment without a model is refused", () => {
  expect(() => changed({ kind: "simulated", by: "world-model", share: 1, judges: false })).toThrow(
    /needs a model that answers/,
  );
});
