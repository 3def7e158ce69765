/** The formats and options of an export. */
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";

/** Names of the export formats. */
export const EXPORT_FORMATS = [
  "verl",
  "trl-sft",
  "trl-dpo",
  "trl-kto",
  "prime-rl",
  "adp",
  "atif",
  "waggle",
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Options of an export. */
export type ExportOptions = {
  readonly format: ExportFormat;
  /** The recipe's reward and advantage, for formats whose trainers receive advantages. */
  readonly recipe: EdgeRecipe;
  /** `trl-sft`: include unsuccessful trajectories. */
  readonly includesFailures: boolean;
  /** `trl-sft`: rows of tokens instead of messages. */
  readonly asTokens: boolean;
  /** `trl-dpo`, `trl-kto`: completions of one turn. */
  readonly firstTurnOnly: boolean;
  /** `verl`, `prime-rl`: tokens of restricted distributions stay in the mask. */
  readonly keepsRestricted: boolean;
};
