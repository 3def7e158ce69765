/** Recipes that learn from what visitors said, without a verifier. */
import type { CreateRecipe } from "../composition/definition.ts";
import { thumbsKto } from "./thumbs-kto.ts";
import { thumbsReinforce } from "./thumbs-reinforce.ts";

export const FEEDBACK_RECIPES: readonly CreateRecipe[] = [thumbsKto, thumbsReinforce];
