/** Makes the base that a user chose: one with its own small shape, or one that goes on from a model. */
import { existsSync } from "node:fs";
import type { EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import { modelFolder, SHIPPED_MODELS } from "../model/shipped-models.ts";
import type { BaseRun } from "./base-training.ts";
import { type ContinuedRecipe, continuedBase } from "./continued-base.ts";
import {
  baseRecipe,
  environmentBase,
  type EnvironmentBaseRecipe,
  type OwnBase,
} from "./environment-base.ts";

/** Settings that a user chooses. */
export type ChosenBase = OwnBase & {
  /** Folder of the model that the base goes on from; absent: the base starts from random weights. */
  readonly from?: string | undefined;
};

/**
 * The base that a site's config chooses, with the absolute folder of the model that it goes on from.
 * @throws WaggleError `NOT_FOUND` for a name that is no model and no folder. A path is checked when the base is made.
 */
export function siteBase(folder: string, { from, ...base }: ChosenBase): ChosenBase {
  if (from === undefined) return base;
  const path = modelFolder(from, folder);
  if (/^[\w-]+$/.test(from) && !existsSync(path)) {
    const names = [...SHIPPED_MODELS.keys()].map((name) => `"${name}"`).join(" or ");
    throw new WaggleError(
      "NOT_FOUND",
      `base.from is ${JSON.stringify(from.slice(0, 64))}, and there is no model and no folder of this name; write ${names} for a model that comes with Waggle, or the folder of another one`,
    );
  }
  return { ...base, from: path };
}

/** A base with the settings that it was made with. */
export type MadeBase = {
  readonly model: BaseModel;
  readonly recipe: EnvironmentBaseRecipe | ContinuedRecipe;
};

/**
 * Reads the base in `folder`, or makes it there if there is none with these settings.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for mistakes or habits of a base that goes on from a model.
 */
export async function chosenBase(
  spec: EnvironmentSpec,
  folder: string,
  { from, ...chosen }: ChosenBase,
  run: BaseRun,
): Promise<MadeBase> {
  if (from === undefined) {
    const recipe = baseRecipe(spec, chosen);
    return { recipe, model: await environmentBase(spec, folder, recipe, run) };
  }
  if (chosen.mistakes !== undefined || chosen.habits !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "error: a base that goes on from a model makes no mistakes on purpose; leave mistakes and habits out",
    );
  }
  return continuedBase(spec, folder, from, chosen, run);
}
