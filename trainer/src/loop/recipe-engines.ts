/**
 * Opens the engines that a recipe needs over one resident base model: the policy (with a value head
 * if a stage has a critic), the base if a stage has a reference, and further models.
 */
import { openSharedBase } from "@waggle/engine";
import type { StageResources } from "../update/stage-update.ts";
import type { FrozenScorer } from "../update/recipe-models.ts";
import { type Recipe, requireCapabilities, type Stage, type StateName } from "@waggle/learning";
import {
  type Adapter,
  initializeAdapter,
  initializeValueHead,
  type ValueHead,
} from "@waggle/model";
import { type SharedBase, type TrainEngine, WaggleError } from "@waggle/protocol";
import type { AdapterStrategy } from "@waggle/runtime/node";
import type { BaseModel } from "../model/base-model.ts";
import { requireBase } from "../model/frozen-base.ts";
import type { EngineResources } from "../model/open-model.ts";
import type { Device } from "../model/device.ts";
import { inPasses } from "../update/engine-passes.ts";
import { candidateScorer } from "../update/teacher-candidates.ts";
import { needsWorldModel } from "../rollouts/world-model-need.ts";
import type { EnvironmentSimulator } from "../rollouts/fitted-environment.ts";

/** The engines of a run, and how to dispose them. */
export type RecipeEngines = {
  readonly engine: TrainEngine;
  readonly resources: StageResources;
  /** The engine of the world model, for recipes that have one. */
  readonly simulator?: EnvironmentSimulator;
  readonly dispose: () => Promise<void>;
};

/** State that this module opens or that learning keeps itself. */
const SERVED: ReadonlySet<string> = new Set<StateName>([
  "critic",
  "ref",
  "teacher",
  "task-stats",
  "good-buffer",
  "rest-buffer",
  "baseline",
  "tree-store",
  "delta",
  "judge",
  "fast-weights",
  "memory-bank",
  "rm",
  "iprm",
  "role-adapters",
  "slow-copy",
  "world-model",
]);

/** @throws WaggleError `CAPABILITY_MISSING` naming what the recipe needs and this run lacks. */
export async function openRecipeEngines(
  recipe: Recipe,
  model: BaseModel,
  device: Device,
  shape: { readonly rank: number; readonly alpha: number; readonly seed: number },
  {
    threads,
    memoryLimit,
    base: format = "f32",
    precision = "f32",
    start = null,
    teacher = null,
    microbatchTokens,
  }: EngineResources & {
    /** Initial adapter of the policy, of this shape; default: a fresh adapter. */
    readonly start?: Adapter | null;
    /** The teacher's adapter over the same base, for stages with a teacher. */
    readonly teacher?: Adapter | null;
    /** Most tokens per pass of an engine; default: as many as its memory allows. */
    readonly microbatchTokens?: number | undefined;
  } = {},
): Promise<RecipeEngines> {
  requireBase(format, device);
  const parts = stagesOf(recipe).flatMap(({ state }) => Object.values(state));
  // State with a value of its own needs no engine.
  const opened = parts.filter(({ initial }) => initial === undefined).map(({ part }) => part);
  const needed = new Set(opened);
  const needsTeacher = needed.has("teacher");
  if (needsTeacher && teacher === null) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `recipe ${recipe.name} needs a teacher; pass the folder of an adapter over the same base with --teacher`,
    );
  }
  const missing = opened.filter((part) => !SERVED.has(part));
  if (missing.length > 0) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `a local run can open ${[...SERVED].join(", ")}, but recipe ${recipe.name} needs ${missing.join(", ")}; choose another recipe`,
    );
  }
  const { config, weights } = model;
  const base = await openSharedBase({
    device,
    config,
    weights,
    base: format,
    precision,
    ...(threads === undefined ? {} : { threads }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  });
  const createModel = modelOpener(base, microbatchTokens);
  try {
    const engine = await createModel("policy", {
      adapter: start ?? initializeAdapter(config, shape),
      ...(needed.has("critic") ? { valueHead: criticOf(model, shape) } : {}),
    });
    const ofPolicy = stagesOf(recipe).filter(({ trains }) => trains === "policy");
    requireCapabilities(recipe.name, ofPolicy, engine.capabilities());
    const models = new Map<string, TrainEngine>();
    if (needed.has("rm")) {
      const valueHead = initializeValueHead(config, { seed: shape.seed });
      const adapter = initializeAdapter(config, shape);
      models.set("rm", await createModel("rm", { adapter, valueHead }));
    }
    if (needed.has("iprm")) {
      const adapter = initializeAdapter(config, shape);
      models.set("iprm", await createModel("iprm", { adapter }));
    }
    for (const role of rolesOf(recipe)) {
      const adapter = initializeAdapter(config, shape);
      const head = needed.has("critic") ? { valueHead: criticOf(model, shape) } : {};
      models.set(role, await createModel(role, { adapter, ...head }));
    }
    const simulator = needsWorldModel(recipe)
      ? await simulatorOf(model, device, { threads, memoryLimit })
      : undefined;
    const reference = needed.has("ref") ? await referenceOf(createModel, model) : undefined;
    const taught =
      needsTeacher && teacher !== null ? await teacherOf(createModel, model, teacher) : {};
    return {
      engine,
      resources: { models, ...(reference === undefined ? {} : { reference }), ...taught },
      ...(simulator === undefined ? {} : { simulator }),
      dispose: async () => {
        await simulator?.dispose();
        await base.dispose();
      },
    };
  } catch (error) {
    await base.dispose();
    throw error;
  }
}

/**
 * How the policy swaps adapters for this recipe. Perturbed adapters act for a few tokens each;
 * otherwise the policy decides.
 */
export function swapStrategy({ stages }: Recipe): AdapterStrategy | undefined {
  return stages.some(({ evolution }) => evolution !== null) ? "inputs" : undefined;
}

type CreateModel = SharedBase["createModel"];

/** @param tokens - most tokens per pass; absent: as many as the memory allows. */
function modelOpener(base: SharedBase, tokens: number | undefined): CreateModel {
  if (tokens === undefined) return (name, start) => base.createModel(name, start);
  // All sequences have one key: passes are filled in the order of the batch.
  const passes = { tokens, keyOf: () => null, between: async () => {} };
  return async (name, start) => inPasses(await base.createModel(name, start), passes);
}

/** An untrained critic predicts 0: random weights would add noise to the first advantages. */
function criticOf({ config }: BaseModel, { seed }: { readonly seed: number }): ValueHead {
  return initializeValueHead(config, { seed, deviation: 0 });
}

async function referenceOf(createModel: CreateModel, { config }: BaseModel): Promise<FrozenScorer> {
  // A fresh adapter changes nothing, so this engine is the base.
  const adapter = initializeAdapter(config, { rank: 1, alpha: 1, seed: 0 });
  return scorerOf(await createModel("reference", { adapter }));
}

/** Environments are loaded only for a recipe that fits one. */
async function simulatorOf(
  model: BaseModel,
  device: Device,
  resources: EngineResources,
): Promise<EnvironmentSimulator> {
  const { openSimulator } = await import("../rollouts/fitted-environment.ts");
  return openSimulator(model, device, resources);
}

async function teacherOf(
  createModel: CreateModel,
  { config }: BaseModel,
  adapter: Adapter,
): Promise<Pick<StageResources, "teacher" | "teacherCandidates">> {
  const engine = await createModel("teacher", { adapter });
  return {
    teacher: scorerOf(engine),
    teacherCandidates: candidateScorer(engine, config.vocabularySize),
  };
}

function scorerOf(engine: TrainEngine): FrozenScorer {
  return async (sequences) => (await engine.forward({ sequences })).logProb;
}

/** Names of the models with an adapter of their own, other than the policy. */
function rolesOf(recipe: Recipe): ReadonlySet<string> {
  const parts = stagesOf(recipe).flatMap(({ state }) => Object.values(state));
  const names = parts.flatMap(({ part, roles }) =>
    part === "opponents" ? [] : (roles?.names ?? []),
  );
  return new Set(names.filter((name) => name !== "policy"));
}

/** The recipe's stages and those of the members that it merges. */
function stagesOf({ stages }: Recipe): Stage[] {
  return stages.flatMap((stage) => [stage, ...(stage.merging?.members.flat() ?? [])]);
}
