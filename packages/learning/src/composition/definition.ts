/**
 * A recipe: a paper's name, its settings with their defaults, and the stages that they make. Settings
 * are what a command line may change; everything the paper leaves open is one.
 */
import { WaggleError } from "@waggle/protocol";
import { LITERATURE, type LiteratureRow } from "../recipes/literature.ts";
import { type ArrangementName, requireArrangement } from "./arrangement.ts";
import type { Stage } from "./stage.ts";
import { requireTrainedModels } from "./trained-models.ts";

export type Settings = { readonly [name: string]: number | boolean | string };

export type RecipeDefinition<S extends Settings> = {
  /** As a command line gives it: `grpo-roc`. */
  readonly name: string;
  /** Its row in the table of the literature; a paper that is not in it brings its own. */
  readonly literature: string | LiteratureRow;
  /** What differs from the paper, and why; empty where nothing does. */
  readonly differs: readonly string[];
  /** How its stages follow one another. */
  readonly schedule: readonly ArrangementName[];
  /** A setting named `rounds` says how often the stages are gone through; absent = once. */
  readonly settings: S;
  /** @throws WaggleError `INVALID_ARGUMENT` from a part that refuses a value. */
  readonly stages: (settings: S) => readonly Stage[];
};

export type Recipe = {
  readonly name: string;
  readonly literature: LiteratureRow;
  readonly differs: readonly string[];
  readonly schedule: readonly ArrangementName[];
  readonly settings: Settings;
  readonly stages: readonly Stage[];
  /** How often the stages are gone through, ≥ 1. */
  readonly rounds: number;
};

/** Makes the recipe, with some settings of one's own. */
export type CreateRecipe = {
  readonly recipeName: string;
  readonly defaults: Settings;
  (overrides?: Settings): Recipe;
};

type Widened<S> = {
  readonly [name in keyof S]: S[name] extends number
    ? number
    : S[name] extends boolean
      ? boolean
      : string;
};

/** @returns a function that refuses unknown settings with the list of those that there are. */
export function recipe<const S extends Settings>(
  definition: RecipeDefinition<Widened<S>> & { readonly settings: S },
): CreateRecipe {
  const { name, differs, schedule, settings: defaults } = definition;
  const literature = rowOf(name, definition.literature);
  const create = (overrides: Settings = {}): Recipe => {
    for (const [key, value] of Object.entries(overrides)) {
      const standard = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
      if (typeof standard !== typeof value || !fitsNumber(standard, value)) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `a setting of recipe ${name} must be one of ${describe(defaults)}, got ${key.slice(0, 64)}=${String(value).slice(0, 64)}; set one of these with a ${standard === undefined ? "value of its type" : wordsFor(standard)}`,
        );
      }
    }
    const settings = { ...defaults, ...overrides } as unknown as Widened<S>;
    const stages = definition.stages(settings);
    const rounds = Number({ rounds: 1, ...defaults, ...overrides }.rounds);
    requireArrangement(name, schedule, stages, rounds);
    requireTrainedModels(name, stages);
    return { name, literature, differs, schedule, settings: settings as Settings, stages, rounds };
  };
  return Object.assign(create, { recipeName: name, defaults });
}

function rowOf(name: string, literature: string | LiteratureRow): LiteratureRow {
  if (typeof literature !== "string") return literature;
  const row = LITERATURE.find(({ recipe: known }) => known === literature);
  if (row === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `literature of recipe ${name} must be a row of the table, got ${literature}; give the row itself for a paper that is not in it`,
    );
  }
  return row;
}

/** Counts, rates and bounds are not below zero, but where the standard itself is. */
function fitsNumber(standard: unknown, value: unknown): boolean {
  if (typeof value !== "number" || typeof standard !== "number") return true;
  return Number.isFinite(value) && (value >= 0 || standard < 0);
}

function wordsFor(standard: Settings[string]): string {
  return typeof standard === "number" && standard >= 0 ? "number of at least 0" : typeof standard;
}

function describe(settings: Settings): string {
  const all = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return all.length === 0 ? "none (it has no settings)" : all.join(", ");
}

/** The parts that a recipe is made of, by slot, each once. */
export function partsOf({ stages, schedule }: Recipe): {
  readonly [slot: string]: readonly string[];
} {
  const parts: { slot: string; part: string }[] = stages
    .flatMap((stage) => [stage, ...(stage.merging?.members.flat() ?? [])])
    .flatMap((stage) => [
      stage.rollout,
      ...stage.filters,
      ...(stage.reward === null ? [] : [stage.reward]),
      ...(stage.advantage === null ? [] : [stage.advantage]),
      ...stage.losses.map(({ loss }) => loss),
      ...(stage.evolution === null ? [] : [stage.evolution.fitness, stage.evolution.how]),
      ...(stage.merging === null ? [] : [stage.merging.how]),
      ...(stage.writing?.credit ? [stage.writing.credit] : []),
      ...(stage.writing === null ? [] : [stage.writing.how]),
      ...(stage.kl?.in === "loss" ? [{ slot: "loss", part: "kl" }] : []),
      ...Object.values(stage.state),
      ...stage.schedule,
    ])
    .flatMap(unfolded);
  parts.push(...schedule.map((part) => ({ slot: "schedule", part })));
  const bySlot: { [slot: string]: string[] } = {};
  for (const { slot, part } of parts) {
    const names = (bySlot[slot] ??= []);
    if (!names.includes(part)) names.push(part);
  }
  return bySlot;
}

type Unfoldable = {
  readonly slot: string;
  readonly part: string;
  readonly around?: readonly Unfoldable[];
};

/** A part and those that it is put around. */
function unfolded(part: Unfoldable): Unfoldable[] {
  return [part, ...(part.around ?? []).flatMap(unfolded)];
}
