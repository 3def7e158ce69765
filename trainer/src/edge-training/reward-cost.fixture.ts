/** Learns from page rewards and from gradients with the same number of rollouts, to compare what they reach. */
import { forwardingPolicy } from "@waggle/agent";
import { type ActingPolicy, environmentRollout } from "@waggle/agent/environments";
import { environmentNamed } from "@waggle/environments";
import { shareSolved } from "@waggle/evaluation";
import { recipeNamed, shuffled, withPerturbation } from "@waggle/learning";
import { type Adapter, initializeAdapter } from "@waggle/model";
import {
  derivedSeed,
  FULL_SUPPORT,
  type PageReward,
  type Perturbation,
  seededRandom,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { evaluateHeldOut } from "../evaluation/held-out.ts";
import { openRecipeEngines } from "../loop/recipe-engines.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import type { BaseModel } from "../model/base-model.ts";
import { rewardStep } from "../update/reward-step.ts";

const SPEC = environmentNamed("bandit");
const { signal } = new AbortController();
/** Slots of a task, as the edge gives them out: pairs of opposite directions. */
const SLOTS = 8;

type Learner = {
  readonly model: BaseModel;
  readonly policy: AdaptivePolicy;
  readonly seed: number;
};
type Result = { readonly base: number; readonly final: number; readonly rollouts: number };

export type PageRuns = {
  readonly steps: number;
  /** A multiple of 8. */
  readonly rewardsPerStep: number;
  readonly rank: number;
  readonly scale: number;
  readonly learningRate: number;
  /** The control: the rewards belong to other perturbations. */
  readonly shuffles: boolean;
  readonly evaluationTasks: number;
};

/** Every reward comes from one rollout of a perturbed adapter, in the way of a page: `loadAdapter`, then `activate`. */
export async function learnFromPages(
  { model, policy, seed }: Learner,
  { steps, rewardsPerStep, rank, scale, learningRate, shuffles, evaluationTasks }: PageRuns,
): Promise<Result> {
  const [stage] = recipeNamed("evolution-strategies")().stages;
  if (stage?.evolution == null) throw new Error("the recipe has no evolution");
  let adapter: Adapter = initializeAdapter(model.config, { rank, alpha: 2 * rank, seed });
  const solved = async (): Promise<number> => {
    await policy.setAdapter(1, adapter);
    const parts = { policy, format: model.format, spec: SPEC, signal };
    return shareSolved((await evaluateHeldOut(parts, evaluationTasks)).successes);
  };
  const base = await solved();
  for (let step = 0; step < steps; step++) {
    const rewards: PageReward[] = [];
    for (let i = 0; i < rewardsPerStep; i++) {
      const group = derivedSeed(seed, step, Math.floor(i / SLOTS));
      const pair = (i % SLOTS) >> 1;
      const perturbation: Perturbation = {
        policyVersion: step + 1,
        seed: derivedSeed(group, pair, 0),
        direction: i % 2 === 0 ? 1 : -1,
        scale,
      };
      const tensors = withPerturbation(adapter.tensors, perturbation);
      const task = SPEC.reference(group, "train", Math.floor(i / SLOTS) % SPEC.levels);
      const reward = await withAdapter(policy, { ...adapter, tensors }, async (perturbed) => {
        const options = { sampling: FULL_SUPPORT, seed: derivedSeed(group, pair, 1) };
        const rollout = await environmentRollout(
          perturbed,
          model.format,
          SPEC,
          task,
          options,
          signal,
        );
        return rollout.verification.reward;
      });
      const [visitorId, network] = [`visitor ${i % 64}`, `network ${i % 64}`];
      rewards.push({ assignmentId: `${step}/${i}`, visitorId, network, perturbation, reward });
    }
    const random = seededRandom(seed, step);
    const next = rewardStep(adapter.tensors, rewards, stage.evolution, {
      learningRate,
      shares: { visitor: 0.1, network: 0.1 },
      shuffle: shuffles ? (weights) => shuffled(weights, random) : null,
    });
    adapter = { ...adapter, tensors: new Map([...adapter.tensors, ...next.parameters]) };
  }
  return { base, final: await solved(), rollouts: steps * rewardsPerStep };
}

async function withAdapter<T>(
  policy: AdaptivePolicy,
  adapter: Adapter,
  run: (perturbed: ActingPolicy) => Promise<T>,
): Promise<T> {
  await policy.loadAdapter("perturbed", adapter);
  const createContext = async () => {
    const session = await policy.createContext();
    session.activate("perturbed");
    return session;
  };
  try {
    return await run(forwardingPolicy(policy, { createContext }));
  } finally {
    await policy.unloadAdapter("perturbed");
  }
}

/** Steps of 12 groups of 8 rollouts each, with group-relative advantages: the default recipe's estimator. */
export async function learnFromGradients(
  { model, policy, seed }: Learner,
  { steps, evaluationTasks }: Pick<PageRuns, "steps" | "evaluationTasks">,
): Promise<Result> {
  const recipe = recipeNamed("artist")({ steps });
  const shape = { rank: 8, alpha: 16 };
  const engines = await openRecipeEngines(recipe, model, "cpu", { ...shape, seed }, { threads: 1 });
  try {
    const { base, final } = await runRecipe(
      recipe,
      { ...engines, policy, format: model.format, spec: SPEC, adapterShape: shape },
      { seed, evaluationTasks, evaluateEvery: 0 },
      () => {},
      signal,
    );
    return {
      base: shareSolved(base.successes),
      final: shareSolved(final.successes),
      rollouts: steps * 96,
    };
  } finally {
    await engines.dispose();
  }
}
