/** Whether a site's recipe learns from what the site collects. */
import { recipeNamed } from "@waggle/learning";
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
export function requireFittingLevel({ source, definition }: SiteConfig): void {
  const { training, consent } = definition;
  if (training?.recipe === undefined) return;
  const isFromRewards = recipeNamed(training.recipe)(training.settings).stages.some(
    ({ evolution }) => evolution !== null,
  );
  const { collect = "full" } = consent ?? {};
  if (isFromRewards === (collect === "rewards")) return;
  throw source.mistake(
    source.nodeAt(["training", "recipe"]),
    isFromRewards
      ? `recipe ${training.recipe} learns from rewards alone, and the site collects trajectories; write consent.collect: "rewards", or another recipe`
      : `recipe ${training.recipe} learns from trajectories, and with consent.collect "rewards" there are none; leave it out, or write "${REWARDS_RECIPE}"`,
  );
}
