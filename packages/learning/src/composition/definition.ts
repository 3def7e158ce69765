/**
 * A recipe: a paper's name, its settings with their defaults, and the stages that they make. Settings
 * are what a command line may change; everything the paper leaves open is one: by the recipe's own word,
 * or because its parts were left at their standards.
 */
import { WaggleError } from "@waggle/protocol";
import { LITERATURE, type LiteratureRow } from "../recipes/literature.ts";
import { type ArrangementName, requireArrangement } from "./arrangement.ts";
import { type OpenSetting, openSettings, withOpenSettings } from "./open-settings.ts";
import type { Stage } from "./stage.ts";
import { requireTrainedModels } from "./trained-models.ts";

export type Settings = { readonly [name: string]: number | boolean | string };

/** A setting that is one of some words. */
export type Choice<T extends string> = { readonly default: T; readonly choices: readonly T[] };

/** A setting with these choices; the first one is the default. */
export function oneOf<const T extends string>(first: T, ...others: readonly T[]): Choice<T> {
  return { default: first, choices: [first, ...others] };
}

/**
 * How much of its paper's mechanism a recipe has. `whole`: all of it; what differs is a convention.
 * `partial`: the main idea runs, and an essential piece is replaced or missing. `nominal`: what makes the
 * paper its own is missing, and a simpler method runs under its name.
 */
type Mechanism = "whole" | "partial" | "nominal";

export type RecipeDefinition<S extends Settings> = {
  /** As a command line gives it: `grpo-roc`. */
  readonly name: string;
  /** Its row in the table of the literature; a paper that is not in it brings its own. */
  readonly literature: string | LiteratureRow;
  /** What differs from the paper, and why; empty where nothing does. */
  readonly differs: readonly string[];
  /** Absent = not judged. Recipes of the catalogue are. */
  readonly mechanism?: Mechanism;
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
  /** `null` where nobody judged it. */
  readonly mechanism: Mechanism | null;
  readonly schedule: readonly ArrangementName[];
  /** Its own, and what its parts left open. */
  readonly settings: Settings;
  /** Words that fit, of settings that are one of some. */
  readonly choices: { readonly [setting: string]: readonly string[] };
  readonly stages: readonly Stage[];
  /** How often the stages are gone through, ≥ 1. */
  readonly rounds: number;
};

/** Makes the recipe, with some settings of one's own. */
export type CreateRecipe = {
  readonly recipeName: string;
  (overrides?: Settings): Recipe;
};

type DefinedSettings = { readonly [name: string]: Settings[string] | Choice<string> };

type Widened<S> = {
  readonly [name in keyof S]: S[name] extends Choice<infer T>
    ? T
    : S[name] extends number
      ? number
      : S[name] extends boolean
        ? boolean
        : string;
};

/** A setting as it is checked and listed. */
type Setting = Omit<OpenSetting, "name">;

/** @returns a function that refuses unknown settings with the list of those that there are. */
export function recipe<const S extends DefinedSettings>(
  definition: Omit<RecipeDefinition<Widened<S>>, "settings"> & { readonly settings: S },
): CreateRecipe {
  const { name, differs, mechanism = null, schedule } = definition;
  const literature = rowOf(name, definition.literature);
  const own = Object.fromEntries(
    Object.entries(definition.settings).map(([key, value]): [string, Setting] => [
      key,
      typeof value === "object" ? value : { default: value },
    ]),
  );
  const ownNames = Object.keys(own);
  const stagesOf = (settings: Settings): readonly Stage[] =>
    definition.stages(settings as unknown as Widened<S>);
  const create = (overrides: Settings = {}): Recipe => {
    const isOwn = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(own, key);
    const given = Object.entries(overrides);
    const refusal = given.filter(isOwn).find(([key, value]) => !fits(own[key], value));
    const plain = stagesOf(
      refusal === undefined
        ? { ...standardsOf(own), ...Object.fromEntries(given.filter(isOwn)) }
        : standardsOf(own),
    );
    const open = openSettings(plain, ownNames);
    const all = { ...own, ...Object.fromEntries(open.map((setting) => [setting.name, setting])) };
    const unfit = refusal ?? given.find(([key, value]) => !fits(settingOf(all, key), value));
    if (unfit !== undefined) {
      const [key, value] = unfit;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a setting of recipe ${name} must be one of ${describe(all)}, got ${key.slice(0, 64)}=${String(value).slice(0, 64)}; set one of these with a ${wordsFor(settingOf(all, key))}`,
      );
    }
    const others = Object.fromEntries(given.filter((entry) => !isOwn(entry)));
    const stages = withOpenSettings(plain, ownNames, others);
    const settings = { ...standardsOf(all), ...overrides };
    const rounds = Number({ rounds: 1, ...settings }.rounds);
    requireArrangement(name, schedule, stages, rounds);
    requireTrainedModels(name, stages);
    return {
      name,
      literature,
      differs,
      mechanism,
      schedule,
      settings,
      choices: choicesOf(all),
      stages,
      rounds,
    };
  };
  return Object.assign(create, { recipeName: name });
}

type SettingsByName = { readonly [name: string]: Setting };

function settingOf(all: SettingsByName, name: string): Setting | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

function standardsOf(all: SettingsByName): Settings {
  return Object.fromEntries(Object.entries(all).map(([name, { default: value }]) => [name, value]));
}

function choicesOf(all: SettingsByName): Recipe["choices"] {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, { choices }]) =>
      choices === undefined ? [] : [[name, choices.map(String)]],
    ),
  );
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

/** Counts, rates and bounds are not below zero, but where the default itself is. */
function fits(setting: Setting | undefined, value: unknown): boolean {
  if (setting === undefined || typeof setting.default !== typeof value) return false;
  if (setting.choices !== undefined) return setting.choices.some((choice) => choice === value);
  if (typeof value !== "number") return true;
  return Number.isFinite(value) && (value >= 0 || Number(setting.default) < 0);
}

function wordsFor(setting: Setting | undefined): string {
  if (setting === undefined) return "value of its type";
  const { default: initial, choices } = setting;
  if (choices !== undefined) return `word of ${choices.join(", ")}`;
  return typeof initial === "number" && initial >= 0 ? "number of at least 0" : typeof initial;
}

function describe(settings: SettingsByName): string {
  const all = Object.entries(settings).map(([name, { default: initial, choices }]) =>
    choices === undefined ? `${name}=${initial}` : `${name}=${initial} (${choices.join("|")})`,
  );
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
