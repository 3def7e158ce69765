/**
 * A recipe: a paper's name, its settings with their defaults, and the stages that they make. Settings
 * are what a command line may change; everything the paper leaves open is one.
 */
import { WaggleError } from "@waggle/protocol";
import type { Stage } from "./stage.ts";

export type Settings = { readonly [name: string]: number | boolean | string };

export type RecipeDefinition<S extends Settings> = {
  /** As a command line gives it: `grpo-roc`. */
  readonly name: string;
  /** Title, and where it can be read. */
  readonly paper: string;
  /** What differs from the paper, and why; empty where nothing does. */
  readonly differs: readonly string[];
  readonly settings: S;
  /** @throws WaggleError `INVALID_ARGUMENT` from a part that refuses a value. */
  readonly stages: (settings: S) => readonly Stage[];
};

export type Recipe = {
  readonly name: string;
  readonly paper: string;
  readonly differs: readonly string[];
  readonly settings: Settings;
  readonly stages: readonly Stage[];
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
  const { name, paper, differs, settings: defaults } = definition;
  const create = (overrides: Settings = {}): Recipe => {
    for (const [key, value] of Object.entries(overrides)) {
      const standard = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
      if (typeof standard !== typeof value || Number.isNaN(value)) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `a setting of recipe ${name} must be one of ${describe(defaults)}, got ${key.slice(0, 64)}=${String(value).slice(0, 64)}; set one of these with a ${standard === undefined ? "value of its type" : typeof standard}`,
        );
      }
    }
    const settings = { ...defaults, ...overrides } as unknown as Widened<S>;
    return {
      name,
      paper,
      differs,
      settings: settings as Settings,
      stages: definition.stages(settings),
    };
  };
  return Object.assign(create, { recipeName: name, defaults });
}

function describe(settings: Settings): string {
  const all = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return all.length === 0 ? "none (it has no settings)" : all.join(", ");
}

/** The parts that a recipe is made of, by slot, each once. */
export function partsOf({ stages }: Recipe): { readonly [slot: string]: readonly string[] } {
  const parts = stages.flatMap((stage) => [
    stage.rollout,
    ...stage.filters,
    ...(stage.reward === null ? [] : [stage.reward]),
    ...(stage.advantage === null ? [] : [stage.advantage]),
    ...stage.losses.map(({ loss }) => loss),
    ...Object.values(stage.state),
    ...stage.schedule,
  ]);
  const bySlot: { [slot: string]: string[] } = {};
  for (const { slot, part } of parts) {
    const names = (bySlot[slot] ??= []);
    if (!names.includes(part)) names.push(part);
  }
  return bySlot;
}
