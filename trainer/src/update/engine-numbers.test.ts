/**
 * Engine outputs other than the log-probs of taken tokens, tested in one or a few updates on a real
 * engine.
 */
import { environmentNamed } from "@waggle/environments";
import { rewardStage } from "@waggle/learning";
import type {
  AdvantagePart,
  JudgedGroup,
  JudgedTrajectory,
  KlTerm,
  LossPart,
  Stage,
  StateName,
  StateValues,
} from "@waggle/learning";
import { nextKlCoefficient } from "../../../packages/learning/src/kl/adaptive-kl.ts";
import { optimalTokenAdvantages } from "../../../packages/learning/src/advantages/optimal-token-baseline.ts";
import * as parts from "@waggle/learning/parts";
import { FULL_SUPPORT, type TrainEngine, type TrainSequence } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "@waggle/protocol";
import { FIRST_STEP } from "../rollouts/part-context.fixture.ts";
import { rolledOut } from "../rollouts/rollout-driver.ts";
import { actedEnvironment, tinyEngines } from "../expectations/recipe-update.fixture.ts";
import { roleEngine } from "./role-engine.ts";
import { type StageResources, type StageUpdate, updateStage } from "./stage-update.ts";
import { candidateScorer, type CandidateScorer } from "./teacher-candidates.ts";

/** The policy, and a frozen policy with different weights that serves as teacher and reference. */
let engines: Awaited<ReturnType<typeof tinyEngines>>;
let groups: readonly JudgedGroup[];
let start: Awaited<ReturnType<TrainEngine["save"]>>;
let vocabularySize: number;
const { signal } = new AbortController();

beforeAll(async () => {
  engines = await tinyEngines();
  const acted = await actedEnvironment(environmentNamed("calculator"));
  ({ vocabularySize } = acted.policy);
  const tasks = [0, 1, 2].map((i) => acted.spec.reference(i * 977, "train", i));
  const options = { sampling: FULL_SUPPORT, seed: 1, staleness: 1 };
  groups = await rolledOut(
    parts.toldDemos([], { size: 4, mistakes: 0.5 }).strategy(FIRST_STEP),
    tasks,
    [],
    { ...acted, signal },
    options,
  );
  const { engine, reference } = engines;
  const sequences = sequencesOf(groups);
  const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(-0.01));
  await reference.backward({ sequences }, { logProb });
  await reference.optimStep({ learningRate: 3e-3 });
  start = await engine.save();
});
afterAll(() => engines.dispose());

const trajectoriesOf = (of: readonly JudgedGroup[]): JudgedTrajectory[] =>
  of.flatMap(({ trajectories }) => [...trajectories]);
const sequencesOf = (of: readonly JudgedGroup[]): TrainSequence[] =>
  trajectoriesOf(of).flatMap(({ samples }) => samples.map(({ sequence }) => sequence));

const base = {
  rollout: parts.group(4),
  reward: parts.outcome(),
  advantage: parts.groupAdvantage({ scale: "none" as const }),
  losses: [parts.pgClip()],
};

/** A stage without the type requirements on its state slot; each test fills the slot itself. */
function staged(spec: {
  readonly advantage?: AdvantagePart<StateName>;
  readonly losses?: readonly LossPart<StateName>[];
  readonly kl?: KlTerm;
  readonly state?: Stage["state"];
  readonly settings?: object;
}): Stage {
  return rewardStage({ ...base, ...spec } as unknown as Parameters<typeof rewardStage>[0]);
}

async function update(
  stage: Stage,
  {
    engine = engines.engine,
    state = {},
    ...resources
  }: StageResources & {
    readonly engine?: TrainEngine;
    readonly state?: StateValues;
  } = {},
): Promise<StageUpdate> {
  const context = { step: 0, steps: 1, random: seededRandom(1), state, ports: {}, signal };
  return updateStage(engine, stage, groups, context, resources, signal);
}

/** The same engine without the output `name`. */
const without = (name: "sumSquaredProb" | "candidateLogProbs" | "parents"): TrainEngine => ({
  ...engines.engine,
  forward: (batch) => engines.engine.forward(batch),
  backward: (batch, derivatives) => engines.engine.backward(batch, derivatives),
  capabilities: () => {
    const all = engines.engine.capabilities();
    return {
      ...all,
      outputs: all.outputs.filter((other) => other !== name),
      derivatives: all.derivatives.filter((other) => other !== name),
      sequences: all.sequences.filter((other) => other !== name),
    };
  },
});

const lacking = expect.objectContaining({ code: "CAPABILITY_MISSING" });

test("otb gets the engine's outputs from before the step and learns with them", async () => {
  const stage = staged({ advantage: parts.optimalTokenBaseline() });
  await engines.engine.load(start);
  const { logProb, sumSquaredProb } = await engines.engine.forward({
    sequences: sequencesOf(groups),
  });
  const { numbers, metrics } = await update(stage);
  let row = 0;
  for (const { trajectories } of groups) {
    expect(trajectories.every(({ samples }) => samples.length === 1)).toBe(true);
    const rows = trajectories.map(() => row++);
    const byHand = optimalTokenAdvantages({
      lossMask: trajectories.map(({ samples }) => samples[0]?.lossMask ?? []),
      rewards: trajectories.map(({ verification }) => verification.reward),
      logProbs: rows.map((b) => logProb[b] ?? []),
      sumSquaredProbs: rows.map((b) => sumSquaredProb[b] ?? []),
    });
    for (const [i, { id }] of trajectories.entries()) {
      expect(numbers?.advantages?.get(id)).toEqual([byHand[i]]);
    }
  }
  expect(metrics["gradientNorm"]).toBeGreaterThan(0);
  // Control: a baseline that is only the mean reward gives a different step.
  await engines.engine.load(start);
  const plain = await update(staged({}));
  expect(plain.metrics["gradientNorm"]).not.toBeCloseTo(metrics["gradientNorm"] ?? 0, 6);
  await expect(update(stage, { engine: without("sumSquaredProb") })).rejects.toThrow(lacking);
});

/** Asks a teacher that does not change each question once. */
function askedOnce(scorer: CandidateScorer): CandidateScorer {
  const known = new Map<string, ReturnType<CandidateScorer>>();
  return (...asked) => {
    const key = JSON.stringify(asked);
    const answer = known.get(key) ?? scorer(...asked);
    known.set(key, answer);
    return answer;
  };
}

test("a teacher's top-k tokens are its most probable ones, and the policy moves toward them", async () => {
  const { engine, reference } = engines;
  await engine.load(start);
  const teacherCandidates = askedOnce(candidateScorer(reference, vocabularySize));
  const sequences = sequencesOf(groups).slice(0, 1);
  const mask = [(groups[0]?.trajectories[0]?.samples[0]?.lossMask ?? []).slice()];
  const { tokenIds, logProbs } = await teacherCandidates(sequences, mask, 5);
  const t = mask[0]?.indexOf(true) ?? -1;
  expect(tokenIds[0]?.map((ids) => ids?.length ?? 0)).toEqual(mask[0]?.map((m) => (m ? 5 : 0)));
  const all = Array.from({ length: vocabularySize }, (_, id) => id);
  const asked = sequences.map((sequence) => ({
    ...sequence,
    candidateTokenIds: sequence.tokenIds.map((_, at) => (at === t ? all : null)),
  }));
  const { candidateLogProbs } = await reference.forward({ sequences: asked });
  const row = Array.from(candidateLogProbs?.[0]?.[t] ?? []);
  const best = row.toSorted((a, b) => b - a).slice(0, 5);
  expect([...(logProbs[0]?.[t] ?? [])]).toEqual(best);
  expect(tokenIds[0]?.[t]?.map((id) => row[id])).toEqual(best);

  const teacher = async (of: readonly TrainSequence[]) =>
    (await reference.forward({ sequences: of })).logProb;
  const resources = { teacher, teacherCandidates };
  const stage = staged({
    losses: [parts.distilledCandidates(5)],
    state: { teacher: parts.teacher },
  });
  const distances: number[] = [];
  for (let step = 0; step < 6; step += 1) {
    distances.push((await update(stage, resources)).metrics["teacherDivergence"] ?? Number.NaN);
  }
  expect(distances.at(-1)).toBeLessThan(0.5 * (distances[0] ?? 0));
  // Control: a policy that is its own teacher does not move.
  await engine.load(start);
  const own = { teacher, teacherCandidates: candidateScorer(engine, vocabularySize) };
  const { metrics } = await update(stage, own);
  expect(Math.abs(metrics["teacherDivergence"] ?? 1)).toBeLessThan(1e-4 * (distances[0] ?? 0));

  await expect(update(stage, { teacher })).rejects.toThrow(/--teacher/);
  await expect(
    update(stage, { ...resources, engine: without("candidateLogProbs") }),
  ).rejects.toThrow(lacking);
  // Tokens with several owners have no candidates.
  const owners = sequences.map(({ tokenIds: ids }) => ids.map(() => "policy"));
  const several = roleEngine(new Map([["policy", engine]]), owners, ["policy"]);
  expect(several.capabilities().derivatives).not.toContain("candidateLogProbs");
});

test("tree-pack does not change the loss and needs an engine with prefix trees", async () => {
  const norm = async (loss: LossPart, engine: TrainEngine = engines.engine): Promise<number> => {
    await engines.engine.load(start);
    return (await update(staged({ losses: [loss] }), { engine })).metrics["gradientNorm"] ?? 0;
  };
  const packed: LossPart = { ...parts.pgClip(), packs: true };
  expect(await norm(packed)).toBe(await norm(parts.pgClip()));
  expect(await norm(packed)).toBeGreaterThan(0);
  await expect(norm(packed, without("parents"))).rejects.toThrow(/prefix trees/);
});

test("log-linear: the first step is that of its loss, later steps use an estimate", async () => {
  const epochs = (count: number) => ({ settings: { epochs: count, learningRate: 1e-2 } });
  const norms = async (losses: readonly LossPart[], count: number): Promise<number> => {
    await engines.engine.load(start);
    return (await update(staged({ losses, ...epochs(count) }))).metrics["gradientNorm"] ?? 0;
  };
  const exact = [parts.truncatedImportance(parts.pgClip())];
  const guessed = [parts.logLinear(parts.truncatedImportance(parts.pgClip()))];
  expect(await norms(guessed, 1)).toBe(await norms(exact, 1));
  const [two, guess] = [await norms(exact, 2), await norms(guessed, 2)];
  expect(Number.isFinite(guess)).toBe(true);
  expect(guess).not.toBeCloseTo(two, 6);
});

test.each(["loss", "reward"] as const)(
  "a KL budget in the %s: the weight rises above the target divergence and falls below it",
  async (place) => {
    const { engine, reference } = engines;
    const scorer = async (of: readonly TrainSequence[]) =>
      (await reference.forward({ sequences: of })).logProb;
    const withBudget = (coefficient: KlTerm["coefficient"]): Stage =>
      staged({
        kl:
          place === "reward"
            ? { in: "reward", coefficient }
            : { in: "loss", coefficient, estimator: "k2" },
        state: { ref: parts.reference, "kl-coefficient": parts.klCoefficient(0.5) },
      });
    const run = async (stage: Stage, state: StateValues): Promise<StageUpdate> => {
      await engine.load(start);
      return update(stage, { reference: scorer, state });
    };
    const begun = { "kl-coefficient": parts.klCoefficient(0.5).initial?.() };
    const far = { target: 1e-6, horizon: 100 };
    const first = await run(withBudget(far), begun);
    const kl = first.metrics["referenceKl"] ?? 0;
    expect(kl).toBeGreaterThan(far.target);
    const samples = trajectoriesOf(groups).length;
    expect(first.state["kl-coefficient"]).toBe(nextKlCoefficient(0.5, { kl, samples }, far));
    expect(first.state["kl-coefficient"]).toBeCloseTo(0.5 * (1 + (0.2 * samples) / 100), 12);
    const near = await run(withBudget({ target: 1e3, horizon: 100 }), begun);
    expect(near.state["kl-coefficient"]).toBeCloseTo(0.5 * (1 - (0.2 * samples) / 100), 12);
    // The step uses the weight that it began with; the next step uses the new weight.
    const fixed = await run(withBudget(0.5), {});
    expect(fixed.metrics["gradientNorm"]).toBe(first.metrics["gradientNorm"]);
    expect(fixed.state["kl-coefficient"]).toBeUndefined();
    const second = await run(withBudget(far), first.state);
    expect(second.metrics["klCoefficient"]).toBe(first.state["kl-coefficient"]);
    expect(second.metrics["gradientNorm"]).not.toBe(first.metrics["gradientNorm"]);
    await expect(run(withBudget(far), {})).rejects.toThrow(lacking);
  },
);
