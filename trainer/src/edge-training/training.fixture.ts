/** A tiny random decoder and random trajectories, for tests of the training loop. */
import { randomUUID } from "node:crypto";
import { createOnnxEngine } from "@waggle/engine";
import { type DecoderConfig, initializeAdapter, initializeDecoder } from "@waggle/model";
import {
  FULL_SUPPORT,
  type LeasedGroup,
  type LeasedTrajectory,
  type Tensor,
  type TensorMap,
  type TrainEngine,
  type Trajectory,
  trajectoryDigest,
} from "@waggle/protocol";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { type LearnableGroup, learnableTrajectory } from "../check/learnable-group.ts";
import {
  learningStep,
  type LearningStepOptions,
  type LearningStepResult,
} from "../update/learning-step.ts";
import { seededRandom } from "@waggle/protocol";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import { rewardedForStep, waitingStep } from "../check/waiting-step.ts";

export const TINY: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 32,
  width: 16,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 16,
  feedForwardSize: 32,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 128,
  ropeScaling: null,
};
export const TINY_BASE: string = "b".repeat(64);
export const TINY_ADAPTER: { readonly rank: number; readonly alpha: number } = {
  rank: 2,
  alpha: 4,
};

/** Random weights with an embedding large enough that any token can be learned. */
export function tinyWeights(): TensorMap {
  const weights = new Map(initializeDecoder(TINY, 1));
  const name = "model.embed_tokens.weight";
  const embedding = weights.get(name) as Tensor;
  weights.set(name, { ...embedding, data: embedding.data.map((value) => 20 * value) });
  return weights;
}

export function tinyEngine(): Promise<TrainEngine> {
  return createOnnxEngine({
    config: TINY,
    weights: tinyWeights(),
    trains: "lora",
    adapter: initializeAdapter(TINY, { ...TINY_ADAPTER, seed: 1 }),
    threads: 1,
  });
}

/** A trajectory of random tokens. Half of them end with token 1; see `parityChecker`. */
export function randomTrajectory(seed: number, task: Trajectory["task"] = null): Trajectory {
  const random = seededRandom(seed);
  const tokens = (count: number): number[] =>
    Array.from({ length: count }, () => Math.floor(random() * TINY.vocabularySize));
  const sampled = [...tokens(3), random() < 0.5 ? 1 : 2];
  const numbers = sampled.map(() => -Math.log(TINY.vocabularySize));
  return {
    schemaVersion: 1,
    id: randomUUID(),
    task,
    assignmentId: null,
    consent: { version: "1", scopes: ["collect", "train"], grantedAt: new Date().toISOString() },
    client: { build: "test", backend: "scripted", device: "test", crossOriginIsolated: false },
    baseModel: TINY_BASE,
    policyVersion: 0,
    segments: [
      { kind: "given", id: "s0", parent: null, role: "user", tokenIds: tokens(5) },
      {
        kind: "sampled",
        id: "s1",
        parent: "s0",
        policyVersion: 0,
        sampling: { ...FULL_SUPPORT, seed },
        grammar: null,
        tokenIds: sampled,
        behaviorLogProbs: numbers,
        rawLogProbs: numbers,
        entropies: numbers.map(() => 3.4),
        stopReason: "stop-token",
      },
    ],
    turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
    stopReason: "completed",
    terminated: true,
    truncated: false,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:01.000Z",
  };
}

/** Groups of `size` random trajectories. */
export async function randomGroups(count: number, size: number): Promise<LeasedGroup[]> {
  const groups: LeasedGroup[] = [];
  for (let g = 0; g < count; g += 1) {
    const trajectories: LeasedTrajectory[] = [];
    for (let i = 0; i < size; i += 1) {
      const trajectory = randomTrajectory(g * 100 + i);
      trajectories.push({
        digest: await trajectoryDigest(trajectory),
        visitorId: randomUUID(),
        receivedAt: "2026-01-01T00:00:02.000Z",
        trajectory,
        feedback: [],
      });
    }
    groups.push({ groupId: randomUUID(), task: null, size, trajectories });
  }
  return groups;
}

/** Accepts the record; the reward is 1 if the last token is 1. */
export const parityChecker: TrajectoryChecker = {
  async check({ digest, trajectory }) {
    const success = trajectory.segments.at(-1)?.tokenIds.at(-1) === 1;
    return {
      trajectory: learnableTrajectory(digest, trajectory, {
        reward: success ? 1 : 0,
        success,
        parts: {},
      }),
      outcome: { digest, status: "learned", reward: success ? 1 : 0, success },
    };
  },
};

/** Takes a learning step on unrewarded groups. */
export async function learnFrom(
  engine: TrainEngine,
  recipe: EdgeRecipe,
  groups: readonly LearnableGroup[],
  options: LearningStepOptions,
): Promise<LearningStepResult> {
  const rewarded = await Promise.all(
    groups.map((group) => rewardedForStep(recipe, group, options)),
  );
  return learningStep(engine, recipe, waitingStep(recipe, rewarded, options), options);
}
