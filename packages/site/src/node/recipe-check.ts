/** Whether a site's recipe is known, takes its settings, and learns from what the site collects. */
import { type Recipe, recipeNamed } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import type { SiteDefinition } from "../site-definition.ts";
import type { SiteConfig } from "./config-file.ts";

/** The recipe that learns from rewards alone. */
const REWARDS_RECIPE = "evolution-strategies";

/** The name of the site's recipe; `undefined` for the trainer's default. */
export function recipeOf({
  training,
  consent,
}: Pick<SiteDefinition, "training" | "consent">): string | undefined {
  return training?.recipe ?? (consent?.collect === "rewards" ? REWARDS_RECIPE : undefined);
}

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function requireFittingRecipe(config: SiteConfig): void {
  const { source, definition } = config;
  const { training, consent } = definition;
  const name = recipeOf(definition);
  if (name === undefined) {
    if (training?.settings === undefined) return;
    throw source.mistake(
      source.nodeAt(["training", "settings"]),
      "training.settings belong to a recipe, and there is none; write training.recipe too",
    );
  }
  const isFromRewards = createdRecipe(config, name).stages.some(
    ({ evolution }) => evolution !== null,
  );
  if (isFromRewards === (consent?.collect === "rewards")) return;
  throw source.mistake(
    source.nodeAt(["training", "recipe"]),
    isFromRewards
      ? `recipe ${name} learns from rewards alone, and the site collects trajectories; write consent.collect: "rewards", or another recipe`
      : `recipe ${name} learns from trajectories, and with consent.collect "rewards" there are none; leave it out, or write "${REWARDS_RECIPE}"`,
  );
}

function createdRecipe({ source, definition }: SiteConfig, name: string): Recipe {
  const refusal = (field: "recipe" | "settings", error: unknown): unknown =>
    WaggleError.is(error)
      ? source.mistake(source.nodeAt(["training", field]), error.message)
      : error;
  let create: ReturnType<typeof recipeNamed>;
  try {
    create = recipeNamed(name);
  } catch (error) {
    throw refusal("recipe", error);
  }
  try {
    return create(definition.training?.settings);
  } catch (error) {
    throw refusal("settings", error);
  }
}
