/**
 * Models that simulate tools during a run: the policy itself, or a world model fitted to logged
 * rollouts before the run. The fitted model then stays fixed.
 */
import { finalTextOf } from "@waggle/agent";
import { type ActingPolicy, modeledEnvironment } from "@waggle/agent/environments";
import type { Recipe } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { createEngine } from "@waggle/engine";
import type { BaseModel } from "../model/base-model.ts";
import { type EngineResources, openPolicy } from "../model/open-model.ts";
import type { Device } from "../model/device.ts";
import { derivedSeed } from "@waggle/protocol";
import { demonstrations } from "./demonstration.ts";
import type { DriverParts } from "./driver-parts.ts";
import type { WorldModels } from "./changed-environment.ts";
import { needsWorldModel } from "./world-model-need.ts";
import { fitWorldModel, type OnFitStep, worldLesson } from "./world-model.ts";

/**
 * What a world model needs: an engine that trains a copy of all base weights, and a function that
 * opens a policy with the fitted weights. An adapter is not enough, because bases are trained to
 * ignore tool results.
 */
export type EnvironmentSimulator = {
  readonly engine: TrainEngine;
  readonly speaker: (weights: TensorMap) => Promise<ActingPolicy>;
  readonly dispose: () => Promise<void>;
};

/** Opens the engine for a world model. */
export async function openSimulator(
  model: BaseModel,
  device: Device,
  { threads, memoryLimit }: EngineResources,
): Promise<EnvironmentSimulator> {
  const { config, weights } = model;
  const engine = await createEngine({
    device,
    config,
    weights,
    trains: "full",
    ...(threads === undefined ? {} : { threads }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  });
  const opened: AdaptivePolicy[] = [];
  return {
    engine,
    async speaker(fitted) {
      const policy = await openPolicy({ ...model, weights: fitted }, threads);
      opened.push(policy);
      return policy;
    },
    async dispose() {
      for (const policy of opened) await policy.dispose();
      await engine.dispose();
    },
  };
}

/**
 * Number of logged rollouts and their error rate: the model must also learn the consequences of
 * mistakes.
 */
const LOGGED = 256;
const LOGGED_MISTAKES = 0.35;
const FIT = { steps: 80, batchSize: 16, learningRate: 3e-3 } as const;

/** Fits the world model if the recipe needs one. */
export async function fittedWorldModels(
  recipe: Pick<Recipe, "stages">,
  parts: DriverParts,
  simulator: EnvironmentSimulator | undefined,
  seed: number,
  onStep?: OnFitStep,
): Promise<WorldModels> {
  const { policy, format, spec, signal } = parts;
  const own = { policy: modeledEnvironment(policy, format) };
  if (simulator === undefined || !needsWorldModel(recipe)) return own;
  const tasks = Array.from({ length: LOGGED }, (_, i) =>
    spec.reference(derivedSeed(seed, i, 0x3a1), "train", i % spec.levels),
  );
  const logged = await demonstrations(parts, tasks, LOGGED_MISTAKES, derivedSeed(seed, 0x3a2));
  const lessons = logged.map((trajectory, i) => {
    const { request } = spec.task(tasks[i] as (typeof tasks)[number]);
    return worldLesson(trajectory, request, finalTextOf(trajectory.record, format) ?? "", format);
  });
  const { contextLength } = policy;
  const fit = { ...FIT, seed, contextLength, onStep };
  await fitWorldModel(simulator.engine, lessons, fit, signal);
  const speaker = await simulator.speaker(await simulator.engine.parameters());
  return { ...own, "world-model": modeledEnvironment(speaker, format) };
}
