import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openControlLog } from "../evidence/control-log.ts";
import type { TrialRun } from "../trials/trial.ts";
import { STUDIES, studyNamed } from "./studies.ts";
import { atEqualKl } from "./equal-kl.ts";
import { experimentOf } from "./study.ts";
import { studyPage } from "./study-page.ts";
import { answer, compared, wholeSeeds } from "./study-results.ts";

const NO_CONTROLS = await openControlLog("/nowhere/controls.jsonl");
const study = studyNamed("transfer");
const [first, second, third] = study.arms.map(({ name }) => name) as [string, string, string];

function run(arm: string, seed: number, hardest: number): TrialRun {
  return {
    arm,
    seed,
    base: 0.5,
    final: 0.7,
    toolCalls: 2,
    sampledTokens: 100,
    seconds: 1,
    probes: { easiest: { base: 0.6, final: 0.9 }, hardest: { base: 0.5, final: hardest } },
  };
}

/** Imitation is worse by 10, 20 and 30 points; rehearsal differs by +5, −5 and 0. */
const runs = [1, 2, 3].flatMap((seed) => [
  run(first, seed, 0.8),
  run(second, seed, 0.8 - 0.1 * seed),
  run(third, seed, 0.8 + [0.05, -0.05, 0][seed - 1]!),
]);

test("arms are compared with the first on the same seeds", () => {
  const of = (arm: string) =>
    compared(study, runs).find((one) => one.arm === arm && one.measure === "hardest")!;
  expect(of(second).mean).toBeCloseTo(60, 10);
  expect(of(second).difference).toBeCloseTo(-20, 10);
  // The sample deviation of 10, 20 and 30 is 10.
  expect(of(second).differenceError).toBeCloseTo(10 / Math.sqrt(3), 10);
  // One of eight sign patterns is as extreme; two-sided.
  expect(of(second).pValue).toBeCloseTo(0.25, 10);
  expect(of(third).difference).toBeCloseTo(0, 10);
  expect(of(first).pValue).toBe(1);
});

test("the answer names the significant arms and leaves out the others", () => {
  // Two more seeds like the first two: imitation is worse in all five, rehearsal in two.
  const five = [
    ...runs,
    ...runs.filter(({ seed }) => seed < 3).map((one) => ({ ...one, seed: one.seed + 3 })),
  ];
  expect(answer(study, five)).toContain(
    `*${second}* solves 18.0 points fewer of the hardest tasks than`,
  );
  expect(answer(study, five)).not.toContain(third);
  const alike = five.map((one) => ({ ...one, arm: one.arm === second ? third : one.arm }));
  const same = alike
    .filter(({ arm }) => arm !== third)
    .flatMap((one) => [one, { ...one, arm: second }, { ...one, arm: third }]);
  expect(answer(study, same)).toContain("No arm differs");
});

test("a seed counts once every arm has it, and too few seeds give no answer", () => {
  const cut = runs.filter(({ arm, seed }) => !(arm === third && seed === 3));
  expect(wholeSeeds(study, cut)).toEqual([1, 2]);
  expect(answer(study, cut)).toContain("No answer yet");
  expect(studyPage(study, cut, "picture.svg", NO_CONTROLS)).toContain("2 seeds and");
});

test("an arm that ended before its budget was spent is named", () => {
  const spent = runs.map((one) => ({
    ...one,
    sampledTokens: one.arm === third ? 0.6 * study.tokens : 1.1 * study.tokens,
  }));
  const page = studyPage(study, spent, "picture.svg", NO_CONTROLS);
  expect(page).toContain(`Not at equal budget: *${third}* (60 %) ended`);
  const whole = spent.map((one) => ({ ...one, sampledTokens: study.tokens }));
  expect(studyPage(study, whole, "picture.svg", NO_CONTROLS)).not.toContain("Not at equal budget");
});

test("at equal KL, an arm is compared with the line of other arms, seed by seed", () => {
  const at = (arm: string, seed: number, kl: number, hardest: number): TrialRun => ({
    ...run(arm, seed, hardest),
    kl,
  });
  // Hardest is 1 − kl on the line. The first arm is on it, the second 0.1 above, the third beyond
  // its end.
  const measured = [1, 2].flatMap((seed) => [
    at("far", seed, 0.4, 0.6),
    at("near", seed, 0.1 * seed, 1 - 0.1 * seed),
    at("on", seed, 0.3, 0.7),
    at("above", seed, 0.25, 0.85),
    at("beyond", seed, 0.9, 0.5),
  ]);
  const given = { line: ["far", "near"], arms: ["on", "above", "beyond"], seeds: [1, 2] };
  const [on, above, beyond] = atEqualKl(
    given,
    measured,
    ({ probes }) => 100 * (probes["hardest"]?.final ?? 0),
  );
  expect(on?.difference).toBeCloseTo(0, 10);
  expect(above).toMatchObject({ arm: "above", kl: 0.25 });
  expect(above?.expected).toBeCloseTo(75, 10);
  expect(above?.difference).toBeCloseTo(10, 10);
  expect(above?.error).toBeCloseTo(0, 10);
  // Two-sided, with two seeds.
  expect(above?.pValue).toBeCloseTo(0.5, 10);
  expect(beyond?.expected).toBeCloseTo(60, 10);
});

test("every study has arms that share one budget", () => {
  for (const each of STUDIES) {
    const { arms, budget, probes } = experimentOf(each, [1]);
    expect(new Set(arms.map(({ name }) => name)).size).toBe(arms.length);
    for (const { shares, recipe } of arms) {
      expect(shares).toHaveLength(recipe.stages.length);
      expect(shares!.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
    }
    expect(budget?.sampledTokens).toBe(each.tokens);
    for (const { spec } of probes) {
      const levels = [0, 1, 2, 3].map((seed) => spec.levelOf(spec.reference(seed, "heldOut", 0)));
      expect(new Set(levels).size).toBe(1);
    }
  }
  expect(() => studyNamed("why")).toThrow(/sft-before-rl/);
});

test("every committed page is generated from its runs and controls", async () => {
  const folder = join(import.meta.dirname, "../../../docs/evidence");
  const controls = await openControlLog(join(folder, "controls.jsonl"));
  for (const each of STUDIES) {
    const file = join(folder, "studies", each.name);
    const lines = readFileSync(`${file}-runs.jsonl`, "utf8").trim().split("\n");
    const committed = lines.map((line) => JSON.parse(line) as TrialRun);
    expect(studyPage(each, committed, `${each.name}.svg`, controls)).toBe(
      readFileSync(`${file}.md`, "utf8"),
    );
  }
});
