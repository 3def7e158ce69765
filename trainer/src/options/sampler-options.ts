/** Options for sampling rollouts on an inference server, and the policy that they open. */
import type { ActingPolicy } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Recipe } from "@waggle/learning";
import type { Adapter, ResidentFormat } from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import type { Command } from "commander";
import type { BaseModel } from "../model/base-model.ts";
import { heldAs } from "../model/frozen-base.ts";
import { openPolicy } from "../model/open-model.ts";
import {
  openServedSampler,
  type SamplerAgreement,
  samplerAgreement,
  samplerFolder,
} from "../model/served-sampler.ts";
import { swapStrategy } from "../loop/recipe-engines.ts";
import { requireServable, withSamplerCorrection } from "../recipes/servable-recipe.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import { httpUrl, number } from "./option-values.ts";

/** A policy whose version the run replaces. */
type Sampler = ActingPolicy & Pick<AdaptivePolicy, "setAdapter">;

export type SamplerFlags = {
  readonly sampler?: string;
  readonly samplerFolder?: string;
  readonly samplerCap: number;
};

export function addSamplerOptions(command: Command): Command {
  return command
    .option(
      "--sampler <url>",
      "sample rollouts on this server (vLLM or SGLang) instead of here; its key is WAGGLE_SAMPLER_KEY",
      httpUrl,
    )
    .option(
      "--sampler-folder <folder>",
      "with --sampler: folder for adapters, which the server must see at the same path (default: in the run's folder)",
    )
    .option(
      "--sampler-cap <weight>",
      "with --sampler: cap on the importance weights that correct for the server's different numerics; 0 = no correction",
      number,
      2,
    );
}

/** The recipe to run: with an importance correction if a server samples. */
export function sampledRecipe(recipe: Recipe, { sampler, samplerCap }: SamplerFlags): Recipe {
  if (sampler === undefined) return recipe;
  requireServable(recipe);
  return withSamplerCorrection(recipe, samplerCap);
}

/** Opens the sampler: the server of `--sampler`, or a policy in this process. */
export async function openSampler(
  recipe: Recipe,
  model: BaseModel,
  given: SamplerFlags & { readonly base: ResidentFormat; readonly threads?: number },
  runFolder: string,
  environment: { readonly [name: string]: string | undefined },
): Promise<Sampler> {
  if (given.sampler === undefined) {
    return openPolicy(heldAs(model, given.base), given.threads, undefined, swapStrategy(recipe));
  }
  return openServedSampler(model, {
    url: given.sampler,
    folder: given.samplerFolder ?? samplerFolder(runFolder),
    apiKey: environment["WAGGLE_SAMPLER_KEY"],
  });
}

/** Sends the engine's adapter to the server and compares log-probs on the first training task. */
export async function checkedSampler(
  policy: Sampler,
  engine: TrainEngine,
  shape: Pick<Adapter, "rank" | "alpha">,
  { spec, format }: { readonly spec: EnvironmentSpec; readonly format: ChatFormat },
): Promise<{ readonly agreement: SamplerAgreement; readonly message: string }> {
  const { rank, alpha } = shape;
  await policy.setAdapter(0, { rank, alpha, tensors: adapterOf(await engine.parameters()) });
  const first = await spec.create(spec.reference(0, "train", 0)).environment.observe();
  const prompt = format.start(first).flatMap(({ tokenIds }) => tokenIds);
  const agreement = await samplerAgreement(policy, engine, prompt, format.stopTokenIds);
  const { tokens, gapMean, gapMost } = agreement;
  const message = `the server's log-probs of ${tokens} tokens differ by ${gapMean.toExponential(1)} nats on average, ${gapMost.toExponential(1)} at most`;
  return { agreement, message };
}
