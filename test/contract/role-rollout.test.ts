/** Roles that share a conversation on a real decoder. */
import { roleRollout } from "@waggle/agent/environments";
import { environmentNamed } from "@waggle/environments";
import type { Action, Sample } from "@waggle/protocol";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  movedAdapter,
  PROMPT,
  tinyPolicy,
} from "../../trainer/src/rollouts/tiny-policy.fixture.ts";

const { signal } = new AbortController();
let policy: AdaptivePolicy;

beforeAll(async () => {
  policy = await tinyPolicy();
});
afterAll(() => policy.dispose());

test("each turn of a shared conversation belongs to its role and scores the same under the role's adapter", async () => {
  const spec = environmentNamed("key-door");
  await policy.loadAdapter("planner#1", movedAdapter(1));
  await policy.loadAdapter("searcher#1", movedAdapter(2));
  const roles = {
    adapters: new Map([
      ["planner", "planner#1"],
      ["searcher", "searcher#1"],
    ]),
    roleOf: ({ turn }: { turn: number }) => (turn % 2 === 0 ? "planner" : "searcher"),
  };
  const task = spec.reference(1, "train", 0);
  const rollout = roleRollout(roles, policy, spec, task, "policy");
  const { environment } = rollout.spec.create(task);
  const context = await rollout.policy.createContext();
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

  const rewarded = async (seed: number): Promise<readonly number[]> => {
    await policy.setAdapter(seed, movedAdapter(seed));
    const tokenIds = [...PROMPT, ...said.flat()];
    const { behaviorLogProbs } = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    return behaviorLogProbs.slice(PROMPT.length);
  };
  const [planner, searcher] = [await rewarded(1), await rewarded(2)];
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

test("within a turn, the role changes where the call is divided, and not if no tool is named", async () => {
  const spec = environmentNamed("key-door");
  await policy.loadAdapter("selector#1", movedAdapter(1));
  await policy.loadAdapter("filler#1", movedAdapter(2));
  const adapters = new Map([
    ["selector", "selector#1"],
    ["filler", "filler#1"],
  ]);
  const task = spec.reference(1, "train", 0);
  const said = async (after: number, maxTokens: number) => {
    const at = (tokenIds: readonly number[]) =>
      tokenIds.length < after ? null : { role: "filler", after };
    const roles = { adapters, divider: { names: "selector", at } };
    const context = await roleRollout(roles, policy, spec, task, "policy").policy.createContext();
    context.append(PROMPT);
    const heard: number[] = [];
    const sample = await context.generate({
      sampling: { ...FULL_SUPPORT, seed: 5 },
      stopTokenIds: [],
      maxTokens,
      onToken: (id) => void heard.push(id),
    });
    expect(heard).toEqual([...sample.tokenIds]);
    expect(context.tokenIds).toEqual([...PROMPT, ...sample.tokenIds]);
    context.dispose();
    return sample;
  };
  const gaps = async (seed: number, { tokenIds, behaviorLogProbs }: Sample): Promise<number[]> => {
    await policy.setAdapter(seed, movedAdapter(seed));
    const whole = { tokenIds: [...PROMPT, ...tokenIds], sampling: FULL_SUPPORT };
    const scores = (await policy.score(whole)).behaviorLogProbs.slice(PROMPT.length);
    return scores.map((value, t) => Math.abs(value - (behaviorLogProbs[t] ?? Number.NaN)));
  };
  const divided = await said(4, 12);
  expect([divided.tokenIds.length, divided.stopReason]).toEqual([12, "max-tokens"]);
  const [selector, filler] = [await gaps(1, divided), await gaps(2, divided)];
  expect(Math.max(...selector.slice(0, 4), ...filler.slice(4))).toBeLessThan(1e-3);
  expect(Math.min(Math.max(...selector.slice(4)), Math.max(...filler.slice(0, 4)))).toBeGreaterThan(
    0.01,
  );
  // Control: the limit ends the turn before a tool is named.
  const undivided = await said(13, 12);
  expect(Math.max(...(await gaps(1, undivided)))).toBeLessThan(1e-3);
  expect((await said(12, 12)).stopReason).toBe("max-tokens");
});
