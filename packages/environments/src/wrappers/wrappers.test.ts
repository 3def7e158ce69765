/** Each wrapper over a scripted environment: what the policy sees, and what reaches the environment. */
import { expect, test } from "vitest";
import { CALCULATOR } from "../calculator.ts";
import { LIBRARY } from "../library/library.ts";
import { explained, retrying, told } from "./hints.ts";
import { limited, silentAfter, toolless, underContract } from "./limits.ts";
import { call, scripted, signal, turn } from "./scripted-environment.fixture.ts";
import { requireSearch, searched } from "./search.ts";
import { trials } from "./trials.ts";

const failed = (message: string, callId = "c0") => ({
  callId,
  ok: false,
  error: { code: "TOOL_FAILED", message },
});

test("a sentence is added to the system message", async () => {
  const first = await told("Hurry.")(scripted()).environment.observe();
  expect(first).toMatchObject({ system: "Be good. Hurry.", userMessage: "Where?" });
  const empty = { ...scripted() };
  const silent = {
    ...empty.environment,
    observe: async () => ({ system: "", tools: [], userMessage: "" }),
  };
  const { system } = await told("Hurry.")({ ...empty, environment: silent }).environment.observe();
  expect(system).toBe("Hurry.");
});

test("a failing answer is given guidance once, a right one and calls are not", async () => {
  const inner = scripted();
  const { environment } = retrying("Look again.")(inner);
  expect(await environment.step(turn("", "look"), signal)).toMatchObject({ terminated: false });
  expect(await environment.step(turn("wrong"), signal)).toEqual({
    toolResults: [],
    userMessage: "Look again.",
    terminated: false,
  });
  expect(inner.seen).toHaveLength(1);
  expect(await environment.step(turn("wrong"), signal)).toMatchObject({ terminated: true });
  const right = retrying("Look again.")(scripted()).environment;
  expect(await right.step(turn("right"), signal)).toMatchObject({ terminated: true });
});

test("failed calls are explained with the signatures of all tools", async () => {
  const { environment } = explained(scripted(["look", "take"]));
  await environment.observe();
  const { toolResults } = await environment.step(turn("", "fail", "look"), signal);
  expect(toolResults).toEqual([
    failed("broken; try look(at, for), take(at, for)"),
    { callId: "c1", ok: true, value: "look done" },
  ]);
});

test("without tools every call fails, and text reaches the environment", async () => {
  const inner = scripted();
  const { environment } = toolless(inner);
  expect((await environment.observe()).tools).toEqual([]);
  expect(await environment.step(turn("", "look", "look"), signal)).toEqual({
    toolResults: [failed("no tool here"), failed("no tool here", "c1")],
    terminated: false,
  });
  expect(await environment.step(turn("done"), signal)).toMatchObject({ terminated: true });
  expect(inner.seen.map(({ text }) => text)).toEqual(["done"]);
});

const LIMITS = { toolBudget: 3, turnBudget: 5, faultRate: 0 };

test("calls beyond the budget fail and cost nothing, and the last turn ends the task", async () => {
  const inner = scripted();
  const { environment } = limited(LIMITS, 1)(inner);
  expect((await environment.observe()).system).toBe("Be good. Calls: 3.");
  const step = (...names: readonly string[]) => environment.step(turn("", ...names), signal);
  expect((await step("look", "look")).toolResults.every(({ ok }) => ok)).toBe(true);
  expect(await step("look", "look")).toEqual({
    toolResults: [failed("no calls left"), failed("no calls left", "c1")],
    terminated: false,
  });
  expect((await step("look")).toolResults.every(({ ok }) => ok)).toBe(true);
  expect((await step("look")).toolResults).toEqual([failed("no calls left")]);
  expect(await step("look")).toMatchObject({ terminated: true });
  expect(inner.seen).toHaveLength(2);
});

test("faults strike calls at their rate, never text, and with the same seed alike", async () => {
  const faults = async (seed: number, faultRate: number): Promise<boolean[]> => {
    const { environment } = limited(
      { toolBudget: 1e6, turnBudget: 1e6, faultRate },
      seed,
    )(scripted());
    const struck: boolean[] = [];
    for (let i = 0; i < 400; i += 1) {
      const { toolResults } = await environment.step(turn("", "look"), signal);
      struck.push(toolResults[0]?.ok === false);
    }
    return struck;
  };
  const some = await faults(7, 0.25);
  expect(some.filter(Boolean).length / 400).toBeCloseTo(0.25, 1);
  expect(await faults(7, 0.25)).toEqual(some);
  expect(await faults(8, 0.25)).not.toEqual(some);
  expect((await faults(7, 0)).some(Boolean)).toBe(false);
  expect((await faults(7, 1)).every(Boolean)).toBe(true);
  const { environment } = limited({ ...LIMITS, faultRate: 1 }, 1)(scripted());
  expect((await environment.step(turn("", "look"), signal)).toolResults).toEqual([
    failed("out of order"),
  ]);
  expect(await environment.step(turn("answer"), signal)).toMatchObject({ terminated: true });
});

test("calls that break the contract are refused, and the second refusal ends the rollout", async () => {
  const contract = async () => {
    const inner = scripted();
    const { environment } = underContract(2, "against the contract")(inner);
    await environment.observe();
    const step = async (...calls: ReturnType<typeof call>[]) =>
      environment.step({ text: "", toolCalls: calls }, signal);
    return { step, inner };
  };
  const good = call("look", { at: "sky" });
  const { step, inner } = await contract();
  expect((await step(good, good)).toolResults.every(({ ok }) => ok)).toBe(true);
  expect(await step(good)).toEqual({
    toolResults: [failed("against the contract")],
    terminated: false,
  });
  expect(await step(good)).toMatchObject({ terminated: true });
  expect(inner.seen).toHaveLength(1);
  for (const bad of [
    call("look"),
    call("look", { for: "stars" }),
    call("look", { at: "sky", with: "glasses" }),
    call("take", { at: "sky" }),
  ]) {
    const { step: tried } = await contract();
    expect((await tried(good, bad)).toolResults[0]).toEqual(failed("against the contract"));
  }
  const { step: allowed } = await contract();
  const both = call("look", { at: "sky", for: "stars" });
  expect((await allowed(both)).toolResults[0]).toMatchObject({ ok: true });
});

test("after its turns an environment ends without an answer", async () => {
  const inner = scripted();
  const { environment } = silentAfter(inner, 2);
  for (const _ of [1, 2]) await environment.step(turn("", "look"), signal);
  expect(await environment.step(turn("right"), signal)).toEqual({
    toolResults: [],
    terminated: true,
  });
  expect(inner.seen).toHaveLength(2);
});

test("an environment without a search tool is refused by name", async () => {
  expect((await searched(scripted(["look", "search"])).environment.observe()).tools).toHaveLength(
    2,
  );
  await expect(searched(scripted()).environment.observe()).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining('"scripted" has no documents') as string,
  });
  await expect(requireSearch(LIBRARY)).resolves.toBeUndefined();
  await expect(requireSearch(CALCULATOR)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("trials go on in one context until told, and the last one is judged", async () => {
  const rounds: number[][] = [];
  let begun = 0;
  const instance = trials(
    scripted(),
    (rewards) => {
      rounds.push([...rewards]);
      return rewards.length < 3;
    },
    () => {
      begun += 1;
      return scripted();
    },
  );
  await instance.environment.observe();
  expect(await instance.environment.step(turn("", "look"), signal)).toMatchObject({
    terminated: false,
    toolResults: [{ ok: true }],
  });
  expect(await instance.environment.step(turn("wrong"), signal)).toEqual({
    toolResults: [],
    userMessage: "Wrong. Again: Where?",
    terminated: false,
  });
  expect(await instance.environment.step(turn("right"), signal)).toMatchObject({
    userMessage: "Right. Again: Where?",
  });
  expect(await instance.environment.step(turn("right"), signal)).toEqual({
    toolResults: [],
    terminated: true,
  });
  expect([rounds, begun]).toEqual([[[0], [0, 1], [0, 1, 1]], 2]);
  expect(await instance.judge(null)).toEqual({
    reward: 1,
    success: true,
    parts: { turns: 1, trials: 3 },
  });
});

test("a rollout that is cut within a trial is judged as it stands", async () => {
  const instance = trials(scripted(), () => true, scripted);
  await instance.environment.step(turn("wrong"), signal);
  expect(await instance.judge("right")).toMatchObject({ success: true, parts: { trials: 1 } });
});
