/** Roles that share a conversation on a real decoder, and roles that share a world. */
import { FAMILIES, type TaskWorld } from "@waggle/environments";
import { initializeAdapter } from "@waggle/model";
import type { Action, TensorMap } from "@waggle/protocol";
import { FULL_SUPPORT } from "@waggle/protocol";
import { type AdaptivePolicy, createNodePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TINY, TINY_BASE, tinyWeights } from "../../training.fixture.ts";
import { roleAttempt } from "./role-policy.ts";
import { SharedWorld } from "./shared-world.ts";

const PROMPT = Array.from({ length: 12 }, (_, i) => (i * i * 7 + 5) % 32);
const SHAPE = { rank: 4, alpha: 8 };
const { signal } = new AbortController();
let policy: AdaptivePolicy;

beforeAll(async () => {
  policy = await createNodePolicy({
    config: TINY,
    weights: tinyWeights(),
    baseModel: TINY_BASE,
    threads: 1,
  });
});
afterAll(() => policy.dispose());

function adapter(seed: number): { rank: number; alpha: number; tensors: TensorMap } {
  const { tensors } = initializeAdapter(TINY, { ...SHAPE, seed });
  const moved = new Map(tensors);
  for (const [name, { shape, data }] of tensors) {
    const turned = data.map((_, i) => Math.sin(i * 12.9898 + seed * 78.233));
    if (name.includes("lora_B")) moved.set(name, { shape, data: turned });
  }
  return { ...SHAPE, tensors: moved };
}

function named(name: string): (typeof FAMILIES)[number] {
  const family = FAMILIES.find((one) => one.name === name);
  if (family === undefined) throw new Error(`no family ${name}`);
  return family;
}

test("each turn of a shared conversation is its role's, and can be scored again under its adapter", async () => {
  const family = named("key-door");
  await policy.loadAdapter("planner#1", adapter(1));
  await policy.loadAdapter("searcher#1", adapter(2));
  const roles = {
    adapters: new Map([
      ["planner", "planner#1"],
      ["searcher", "searcher#1"],
    ]),
    roleOf: ({ turn }: { turn: number }) => (turn % 2 === 0 ? "planner" : "searcher"),
  };
  const task = family.reference(1, "train", 0);
  const attempt = roleAttempt(roles, policy, family, task, "policy");
  const { environment } = attempt.family.world(task);
  const context = await attempt.policy.createContext();
  await environment.observe();
  context.append(PROMPT);
  const said: number[][] = [];
  const logProbs: (readonly number[])[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const sample = await context.generate({
      sampling: { ...FULL_SUPPORT, seed: turn },
      stopTokenIds: [],
      maxTokens: 6,
    });
    said.push([...sample.tokenIds]);
    logProbs.push(sample.behaviorLogProbs);
    await environment.step(
      { text: "", toolCalls: [{ id: "1", name: "go", arguments: { to: "left" } }] } as Action,
      signal,
    );
  }
  context.dispose();

  const scored = async (seed: number): Promise<readonly number[]> => {
    await policy.setAdapter(seed, adapter(seed));
    const tokenIds = [...PROMPT, ...said.flat()];
    const { behaviorLogProbs } = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    return behaviorLogProbs.slice(PROMPT.length);
  };
  const [planner, searcher] = [await scored(1), await scored(2)];
  for (const [turn, recorded] of logProbs.entries()) {
    const own = turn % 2 === 0 ? planner : searcher;
    const other = turn % 2 === 0 ? searcher : planner;
    for (const [t, value] of recorded.entries()) {
      expect(value).toBeCloseTo(own[6 * turn + t] ?? Number.NaN, 3);
    }
    expect(recorded.some((value, t) => Math.abs(value - (other[6 * turn + t] ?? 0)) > 0.01)).toBe(
      true,
    );
  }
});

const calling = (name: string, args: { readonly [key: string]: string }): Action =>
  ({ text: "", toolCalls: [{ id: name, name, arguments: args }] }) as Action;

test("who shares a world acts in rounds, and hears of a round when all have acted", async () => {
  const family = named("form");
  const shared = new SharedWorld(family.world(family.reference(3, "train", 0)), ["one", "two"]);
  const [one, two]: TaskWorld[] = [shared.view("one"), shared.view("two")];
  await one?.environment.observe();
  await two?.environment.observe();
  let heard = 0;
  const first = one?.environment
    .step(calling("set", { field: "day", value: "monday" }), signal)
    .then((observation) => {
      heard += 1;
      return observation;
    });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(heard).toBe(0);
  const second = await two?.environment.step(calling("send", {}), signal);
  expect(second?.terminated).toBe(true);
  expect((await first)?.toolResults[0]?.ok).toBe(true);
  // The form is sent: whoever comes later is told so. Nobody waits for those who have left.
  shared.leave("two");
  const late = await one?.environment.step(
    calling("set", { field: "day", value: "friday" }),
    signal,
  );
  expect(late).toMatchObject({ terminated: true, toolResults: [{ ok: false }] });
  expect(shared.callers).toEqual(["one", "two"]);
});
