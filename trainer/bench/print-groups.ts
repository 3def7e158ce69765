/**
 * `node --conditions=source trainer/bench/print-groups.ts <groups>` prints PrintedGroups as JSON: what a
 * learning step of the loop trains on, for benchmarks of an engine alone.
 */
import { join } from "node:path";
import type { DecoderConfig } from "@waggle/model";
import type { TrainingSample } from "@waggle/protocol";
import { readBaseModel } from "../src/model/base-model.ts";
import { edgeRecipeNamed } from "../src/recipes/edge-recipe.ts";
import { LOG_PROB_BAND } from "../src/check/trajectory-check.ts";
import { playGroups } from "./played-groups.ts";

export type PrintedGroups = {
  /** Of the nano model. */
  readonly config: DecoderConfig;
  /** Samples of each group. */
  readonly groups: readonly (readonly Pick<TrainingSample, "sequence" | "lossMask">[])[];
};

const [, , wanted = "8"] = process.argv;
const model = await readBaseModel(join(import.meta.dirname, "../../packages/model/nano"));
const recipe = edgeRecipeNamed("dr-grpo-tis");
const coming = { step: 0, band: LOG_PROB_BAND.max };
const played = await playGroups(model, recipe, Number(wanted), coming);
const groups = played.groups.map(({ trajectories }) =>
  trajectories.flatMap(({ trajectory }) =>
    trajectory.samples.map(({ sequence, lossMask }) => ({ sequence, lossMask })),
  ),
);
const printed: PrintedGroups = { config: model.config, groups };
process.stdout.write(`${JSON.stringify(printed)}\n`);
