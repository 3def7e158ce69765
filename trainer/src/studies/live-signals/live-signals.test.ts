/** The study's people, learner and page. The bandit's base trains in seconds. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { mean } from "@waggle/evaluation";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { isLong, sampleSize, skipOutside } from "../../../../test/fixtures/long.ts";
import type { BaseModel } from "../../model/base-model.ts";
import { PolicyCache } from "../../model/policy-cache.ts";
import { banditBase } from "../../pretrain/bandit-base.fixture.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../../pretrain/environment-base.ts";
import { signalArms } from "./live-signals.ts";
import { liveSignalsPage } from "./live-signals-page.ts";
import { createPeople } from "./people.ts";
import { armRecipe, type LearnerStart, openCellLearner } from "./cell-learner.ts";
import { openLearnerProcess } from "./learner-process.ts";
import { runCell, type SignalRun, solvedBy } from "./run-cell.ts";
import { FORMULA_ARMS, SIGNAL_ARMS, type Signal } from "./signal-arms.ts";
import { reachesTarget, signalGains } from "./signal-gains.ts";

const spec = environmentNamed("bandit");
const { signal } = new AbortController();
const policies = new PolicyCache("wasm");
let model: BaseModel;

beforeAll(async () => {
  model = await banditBase();
}, 300_000);
afterAll(() => policies.dispose());

/** A site of the study, whose learner is in this process. */
async function siteHere() {
  const openLearner = (start: LearnerStart) => openCellLearner(model, start);
  return { spec, model, policy: await policies.take(model), openLearner };
}

async function cell(name: string, isShuffled: boolean) {
  const site = await siteHere();
  const measured = { evaluationTasks: 120, signal };
  const base = await solvedBy(site, measured);
  const arm = signalArms([name])[0]!;
  return runCell(site, { arm, isShuffled, seed: 3, base, requests: 2048, ...measured });
}

test.for(["outcomes", "edits", "all-openclaw", "all-five", "talk-rewards", "talk-own"])(
  "%s teach more than the same feedback on other requests",
  { timeout: 300_000 },
  async (name, context) => {
    skipOutside(name === "edits" || name === "all-openclaw", context);
    const [honest, control] = [await cell(name, false), await cell(name, true)];
    expect(honest.answered).toBeGreaterThan(20);
    expect(honest.steps).toBeGreaterThan(0);
    expect(honest.final - honest.base).toBeGreaterThan(0.05);
    expect(honest.final - control.final).toBeGreaterThan(0.05);
  },
);

test("arms that are compared have the same signals and steps, and differ in the advantage", async () => {
  for (const { formula, others } of FORMULA_ARMS) {
    const arms = signalArms([formula, ...others]);
    expect(arms).toHaveLength(1 + others.length);
    expect(new Set(arms.map(({ gives }) => gives.join())).size).toBe(1);
    expect(new Set(arms.map(({ epochs }) => epochs)).size).toBe(1);
    const stages = arms.map((arm) => armRecipe(arm).stage);
    expect(new Set(stages.map(({ settings }) => settings.tasksPerStep)).size).toBe(1);
  }
  // A weight that is refused reaches the recipe.
  const [arm] = signalArms(["talk-rewards"]);
  const none = { ...arm!, settings: { ...arm!.settings, rewardWeight: 0 } };
  expect(() => armRecipe(none)).toThrow(/both 0/);
});

test.each(["talk-both", "talk-distillation"])(
  "a cell of %s learns from messages and corrections",
  async (name) => {
    const site = await siteHere();
    const measured = { evaluationTasks: 20, signal };
    const base = await solvedBy(site, measured);
    const options = { isShuffled: false, seed: 3, base, requests: 320, ...measured };
    const run = await runCell(site, { arm: signalArms([name])[0]!, ...options });
    expect(run.steps).toBe(Math.floor(run.answered / 32));
    expect(run.steps).toBeGreaterThan(0);
  },
  300_000,
);

/** Feedback of 2,000 happy or unhappy people on a record. */
async function reactions(gives: readonly Signal[], isHappy: boolean) {
  const people = createPeople(spec, model.format, gives, { seed: 7, contextLength: 512 });
  const record = {
    id: crypto.randomUUID(),
    endedAt: "2026-11-28T00:00:00.000Z",
    segments: [],
    turns: [],
    stopReason: "max-turns",
  };
  const all = [];
  for (let i = 0; i < 2000; i += 1) {
    all.push(await people.reaction(i, record as never, isHappy));
  }
  return all;
}

test("a tenth of the people press a thumb, unhappy ones twice as often, and 15 % press the wrong one", async () => {
  const kinds = async (isHappy: boolean) =>
    (await reactions(["thumb"], isHappy)).flatMap(({ feedback }) =>
      feedback.map(({ kind }) => kind),
    );
  const [happy, unhappy] = [await kinds(true), await kinds(false)];
  expect(happy.length / 2000).toBeCloseTo(0.2 / 3, 1);
  expect(unhappy.length / happy.length).toBeGreaterThan(1.5);
  expect(unhappy.length / happy.length).toBeLessThan(2.7);
  const wrong = (all: readonly string[], kind: string): number =>
    mean(all.map((one) => (one === kind ? 1 : 0)));
  expect(wrong(unhappy, "thumb-up")).toBeGreaterThan(0.09);
  expect(wrong(unhappy, "thumb-up")).toBeLessThan(0.21);
  expect(wrong(happy, "thumb-down")).toBeLessThan(0.25);
});

test("an unhappy person's correction and edit name what the person wants", async () => {
  const people = createPeople(spec, model.format, ["correction", "edit"], {
    seed: 7,
    contextLength: 512,
  });
  const given = await reactions(["correction", "edit"], false);
  let checked = 0;
  for (const [i, { feedback }] of given.entries()) {
    for (const { kind, text = "" } of feedback) {
      const said = kind === "edit" ? text : text.replace(/^No, (.*)\.$/, "$1");
      expect((await spec.create(people.wish(i)).judge(said)).success).toBe(true);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(300);
});

/** Files that a module loads, with those that they load, and the packages that they name. Types are not loaded. */
function loads(entry: string): { files: Set<string>; packages: Set<string> } {
  const [files, packages] = [new Set<string>(), new Set<string>()];
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const source = readFileSync(file, "utf8");
    const imports = source.matchAll(
      /(?:import|export)\s+(?!type\b)(\{[^}]*\}|\*[^;]*?|\w+)\s*from\s*"([^"]+)"/g,
    );
    for (const [, names = "", from = ""] of imports) {
      const isTypes =
        names.startsWith("{") &&
        names
          .slice(1, -1)
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "")
          .every((name) => name.startsWith("type "));
      if (isTypes) continue;
      if (from.startsWith(".")) visit(join(dirname(file), from));
      else packages.add(from);
    }
  };
  visit(entry);
  return { files, packages };
}

test("a learner in a process that cannot load people and environments learns exactly the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-learner-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const recipe = { ...ENVIRONMENT_BASE, steps: 150, width: 32, layers: 2, mistakes: 0.5 };
  const base = join(folder, "base");
  const kept = await environmentBase(spec, base, recipe, { onProgress: () => {}, signal });
  const policy = await policies.take(kept);
  const measured = { evaluationTasks: sampleSize(10, 40), signal };
  const at = { spec, model: kept, policy };
  const solved = await solvedBy(at, measured);
  const [arm] = signalArms(["all-openclaw"]);
  const options = { isShuffled: false, seed: 3, base: solved, requests: 192, ...measured };
  const run = async (openLearner: (start: LearnerStart) => ReturnType<typeof openCellLearner>) => {
    const { seconds: _, ...figures } = await runCell(
      { ...at, openLearner },
      { arm: arm!, ...options },
    );
    return figures;
  };
  const here = await run((start) => openCellLearner(kept, start));
  const apart = await run((start) => openLearnerProcess(base, start));
  expect(apart).toEqual(here);
  expect(here.steps).toBeGreaterThan(0);
}, 300_000);

// Under `npm test`, refuse-modules.test.ts has what a process refuses.
test.runIf(isLong())(
  "the learner's process refuses what knows people's wishes",
  async () => {
    const start = { arm: signalArms(["thumbs"])[0]!, seed: 1, contextLength: 512 };
    // The control: it needs the recipes, so refusing them ends it.
    const recipes = join(import.meta.dirname, "../../recipes");
    await expect(openLearnerProcess("nowhere", start, [recipes])).rejects.toThrow(/ended with 1/);
    await expect(openLearnerProcess("nowhere", start)).rejects.toThrow(/the learner: .*nowhere/);
  },
  60_000,
);

test("the learner loads no environment, no verifier and none of the people", () => {
  const knowsPeople = ({ files, packages }: ReturnType<typeof loads>): boolean =>
    [...packages].some((name) => /environments/.test(name)) ||
    [...files].some((file) => /\/(people|replay|held-out)\.ts$/.test(file));
  const learner = loads(join(import.meta.dirname, "learner-main.ts"));
  expect(learner.files.size).toBeGreaterThan(10);
  expect([...learner.files].every((file) => existsSync(file))).toBe(true);
  expect(knowsPeople(learner)).toBe(false);
  // The control: the module that brings both together.
  expect(knowsPeople(loads(join(import.meta.dirname, "run-cell.ts")))).toBe(true);
});

const run = (arm: string, seed: number, isShuffled: boolean, final: number): SignalRun => ({
  site: "bandit",
  arm,
  isShuffled,
  seed,
  requests: 3000,
  answered: 300,
  steps: 18,
  base: 0.6,
  final,
  greedyBase: 0.9,
  greedyFinal: 0.95,
  evaluationTasks: 400,
  seconds: 60,
  date: "2026-11-28",
});

test("gains are in points over the base and over the control of the same seed", () => {
  const runs = [1, 2, 3, 4, 5].flatMap((seed) => [
    run("thumbs", seed, false, 0.7 + 0.01 * seed),
    run("thumbs", seed, true, 0.6),
    run("outcomes", seed, false, 0.7),
    run("outcomes", seed, true, 0.6 + 0.05 * seed),
  ]);
  const [thumbs, outcomes] = signalGains([...runs, run("edits", 1, false, 0.9)]);
  expect(thumbs).toMatchObject({ seeds: 5 });
  expect(thumbs?.gain).toBeCloseTo(13, 10);
  expect(thumbs?.overControl).toBeCloseTo(13, 10);
  expect(thumbs?.error).toBeCloseTo(Math.sqrt(2.5 / 5), 10);
  expect(reachesTarget(thumbs!)).toBe(true);
  // Ten points, of which the control has more.
  expect(outcomes?.overControl).toBeCloseTo(-5, 10);
  expect(reachesTarget(outcomes!)).toBe(false);
  const page = liveSignalsPage(runs);
  expect(page).toContain("**1 of 2 arms reach their target.");
  expect(page).toContain("| +13.0 | +8, reached | +13.0 ± 0.7 | +5.0 |");
  expect(liveSignalsPage(runs.filter(({ seed }) => seed === 1))).toContain(
    "No answer yet: one seed",
  );
});

test("the formula is compared with its terms alone and with the own recipe, by pairs of one seed", () => {
  const cells = (arm: string, final: (seed: number) => number) =>
    [1, 2, 3, 4, 5].flatMap((seed) => [
      run(arm, seed, false, final(seed)),
      run(arm, seed, true, 0.6),
    ]);
  const runs = [
    ...cells("talk-both", (seed) => 0.7 + 0.01 * seed),
    ...cells("talk-rewards", (seed) => 0.72 + 0.01 * seed + (seed === 1 ? 0.01 : 0)),
    ...cells("talk-distillation", () => 0.5),
    ...cells("thumbs", () => 0.8),
  ];
  const page = liveSignalsPage(runs);
  expect(page).toContain("### `bandit`: message, correction");
  expect(page).toContain("The best other: r, +2.2 ± 0.2 points. It beats the formula.");
  expect(page).toContain(
    "| r + Δ | `openclaw-rl` | 5 | 72 | 73.0 | 60.0 | +13.0 | +5.0 | |".replaceAll("| |", "|  |"),
  );
  expect(page).toContain(
    "| Δ | `openclaw-rl` | 5 | 72 | 50.0 | 60.0 | −10.0 | +5.0 | −23.0 ± 0.7 |",
  );
  // Arms without a target are no part of the main answer.
  expect(page).toContain("**1 of 1 arms reach their target.");
  // The control: the rewards alone are no better on average.
  const even = runs.map((one) =>
    one.arm === "talk-rewards" && !one.isShuffled
      ? { ...one, final: one.final - 0.02 + (one.seed % 2 === 1 ? 0.05 : -0.05) }
      : one,
  );
  expect(liveSignalsPage(even)).toContain(
    "No other row beats the formula by 2 standard errors; it beats 1 of 2. The best other: r, +1.2",
  );
  // Without another arm there is nothing to compare.
  expect(liveSignalsPage(cells("talk-both", () => 0.7))).not.toContain("equal budgets");
});

test("an unknown arm is refused with the known ones", () => {
  expect(signalArms(["edits", "thumbs"]).map(({ name }) => name)).toEqual(["thumbs", "edits"]);
  expect(() => signalArms(["stars"])).toThrow(/no arm stars; choose among thumbs, outcomes/);
  expect(new Set(SIGNAL_ARMS.map(({ name }) => name)).size).toBe(SIGNAL_ARMS.length);
});
