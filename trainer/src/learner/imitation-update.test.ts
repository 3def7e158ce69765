/**
 * Every recipe of the imitation table learns once, stage by stage, and does what its
 * paper says is different; plain imitation of the same demonstrations fails each check.
 */
import { FAMILIES } from "@waggle/environments";
import { recipe, STAGED_RECIPES, stagedRecipe, tokenStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { IMITATION_EXPECTATIONS } from "./imitation-expectations.fixture.ts";
import {
  type ActedFamily,
  actedFamily,
  type StageRecord,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";

let engines: Awaited<ReturnType<typeof tinyEngines>>;
let acted: ActedFamily;
let control: StageRecord[];

const SFT = recipe({
  name: "plain-sft",
  literature: "OPT-350M SFT",
  differs: ["the control of these tests"],
  schedule: ["sft"],
  settings: {},
  stages: () => [tokenStage({ rollout: parts.demos(0.3), losses: [parts.crossEntropy()] })],
});

beforeAll(async () => {
  const family = FAMILIES.find(({ name }) => name === "calculator");
  if (family === undefined) throw new Error("no calculator");
  engines = await tinyEngines();
  const made = await actedFamily(family);
  // Plans that go on from stored episodes find failures and a success, whatever they draw.
  const ended = (success: boolean): ActedFamily["stored"] =>
    made.stored.filter((episode) => episode.verification.success === success);
  acted = { ...made, stored: [...ended(false).slice(0, 2), ...ended(true).slice(0, 1)] };
  control = await updateOnce(SFT(), acted, engines);
});
afterAll(async () => {
  await engines.dispose();
});

const NAMES = [...STAGED_RECIPES.values()]
  .filter((create) => create().literature.table === "imitation")
  .map(({ recipeName }) => recipeName);

test.each(NAMES)("%s learns once in each of its stages", async (name) => {
  const expectation = IMITATION_EXPECTATIONS[name];
  const records = await updateOnce(stagedRecipe(name)(expectation?.settings), acted, engines);
  for (const { update, moved } of records) {
    expect(update.learned).toBe(true);
    expect(Number.isFinite(update.metrics["loss"])).toBe(true);
    expect(moved).toBeGreaterThan(0);
  }
  for (const check of expectation?.differs ?? []) {
    check(records);
    expect(() => check(control)).toThrow(/./);
  }
});

test.each([
  ["hft", /./, 0.5],
  ["loc-ft", /down_proj/, null],
  ["input-space", /layers\.0\.self_attn\.[qkv]_proj/, null],
] as const)("%s moves the parameters it names and no other", async (name, pattern, share) => {
  const moved = async (made: ReturnType<typeof SFT>): Promise<string[]> => {
    const before = await engines.engine.parameters();
    await updateOnce(made, acted, engines);
    const after = await engines.engine.parameters();
    return [...before.keys()].filter((key) => {
      const [a, b] = [before.get(key)?.data ?? [], after.get(key)?.data ?? []];
      return a.some((value, i) => value !== b[i]);
    });
  };
  const chosen = await moved(stagedRecipe(name)());
  const all = await moved(SFT());
  expect(chosen.length).toBeGreaterThan(0);
  expect(chosen.every((key) => pattern.test(key))).toBe(true);
  expect(chosen.length).toBeLessThan(share === null ? all.length : 0.7 * all.length);
  expect(all.every((key) => share === null && pattern.test(key))).toBe(false);
});

test("every recipe of the table says what is different", () => {
  expect(Object.keys(IMITATION_EXPECTATIONS).toSorted()).toEqual(NAMES.toSorted());
});
