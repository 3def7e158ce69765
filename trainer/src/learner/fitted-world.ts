/**
 * Who answers in the tools' place during a run: the policy itself, and, where a recipe has a world model,
 * one that is fitted to logged attempts before the run begins. It stays as it is then.
 */
import type { Recipe } from "@waggle/learning";
import { FULL_SUPPORT, type TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { finalTextOf } from "../final-text.ts";
import { derivedSeed } from "../random.ts";
import { collect, type CollectParts } from "./collect.ts";
import type { ActingPolicy } from "./family-attempt.ts";
import type { WorldModels } from "./imagined-world.ts";
import { fitWorldModel, modelledWorld, worldLesson } from "./world-model.ts";

/** What a world model is made of: an engine that fits it, and a policy of its own that speaks for it. */
export type WorldSimulator = {
  readonly engine: TrainEngine;
  readonly policy: ActingPolicy & Pick<AdaptivePolicy, "setAdapter">;
};

/** Logged attempts that it is fitted to, and how often they err: it has to know what mistakes come to. */
const LOGGED = 256;
const LOGGED_MISTAKES = 0.35;
const FIT = { steps: 120, batchSize: 32, learningRate: 6e-3 } as const;

/** True where a stage of the recipe asks for a model that was fitted. */
export function needsWorldModel({ stages }: Pick<Recipe, "stages">): boolean {
  return stages.some(({ state }) => {
    const part = state["world-model"];
    return part !== undefined && part.initial === undefined;
  });
}

export async function fittedWorlds(
  recipe: Pick<Recipe, "stages">,
  parts: CollectParts & {
    readonly adapterShape: { readonly rank: number; readonly alpha: number };
  },
  simulator: WorldSimulator | undefined,
  seed: number,
): Promise<WorldModels> {
  const { policy, format, family, signal, adapterShape } = parts;
  const own = { policy: modelledWorld(policy, format) };
  if (simulator === undefined || !needsWorldModel(recipe)) return own;
  const tasks = Array.from({ length: LOGGED }, (_, i) =>
    family.reference(derivedSeed(seed, i, 0x3a1), "train", i % family.levels),
  );
  const logged = await collect(
    { kind: "demos", size: 1, mistakes: LOGGED_MISTAKES },
    tasks,
    [],
    parts,
    { sampling: FULL_SUPPORT, seed: derivedSeed(seed, 0x3a2), staleness: 0 },
  );
  const lessons = logged.flatMap(({ episodes }, i) =>
    episodes.map((episode) => {
      const { request } = family.task(tasks[i] as (typeof tasks)[number]);
      return worldLesson(episode, request, finalTextOf(episode.trajectory, format) ?? "", format);
    }),
  );
  const { contextLength } = policy;
  await fitWorldModel(simulator.engine, lessons, { ...FIT, seed, contextLength }, signal);
  const tensors = await simulator.engine.parameters();
  await simulator.policy.setAdapter(1, { ...adapterShape, tensors });
  return { ...own, "world-model": modelledWorld(simulator.policy, format) };
}
