/**
 * A recipe: the name of a paper, settings with defaults, and the stages that they define. Settings can be
 * changed on the command line. Everything that the paper leaves open is a setting: one that the recipe
 * declares, or an option that a part left at its default.
 */
import { type EnvironmentFeature, WaggleError } from "@waggle/protocol";
import { LITERATURE, type LiteratureRow } from "../recipes/literature.ts";
import { type ArrangementName, requireArrangement } from "./arrangement.ts";
import { type OpenSetting, openSettings, withOpenSettings } from "./open-settings.ts";
import type { Stage } from "./stage.ts";
import { requireTrainedModels } from "./trained-models.ts";

/** Values of a recipe's settings, by name. `--set <name>=<value>` replaces one. */
export type Settings = { readonly [name: string]: number | boolean | string };

/** A setting with a fixed list of values. */
export type Choice<T extends string> = { readonly default: T; readonly choices: readonly T[] };

/** A setting with these choices; the first one is the default. */
export function oneOf<const T extends string>(first: T, ...others: readonly T[]): Choice<T> {
  return { default: first, choices: [first, ...others] };
}

/**
 * How much of the paper's mechanism a recipe implements. `whole`: all of it, up to conventions. `partial`:
 * the main idea, with an essential piece replaced or missing. `nominal`: a simpler method; the paper's
 * distinguishing idea is missing.
 */
type Mechanism = "whole" | "partial" | "nominal";

export type RecipeDefinition<S extends Settings> = {
  /** Name on the command line, such as `grpo-roc`. */
  readonly name: string;
  /** Name of its row in the literature table, or a row of its own. */
  readonly literature: string | LiteratureRow;
  /** Differences from the paper; empty if there are none. */
  readonly differs: readonly string[];
  /** Absent = not judged; every recipe of the catalogue is. */
  readonly mechanism?: Mechanism;
  /** Absent = any environment with tools. */
  readonly needs?: readonly EnvironmentFeature[];
  /** How the stages follow each other. */
  readonly schedule: readonly ArrangementName[];
  /** Names and defaults. A setting `rounds` repeats all stages; absent = once. */
  readonly settings: S;
  /** @throws WaggleError `INVALID_ARGUMENT` if a part refuses a value. */
  readonly stages: (settings: S) => readonly Stage[];
};

/** A training procedure of a paper: its stages in order, and where it comes from. */
export type Recipe = {
  readonly name: string;
  readonly literature: LiteratureRow;
  readonly differs: readonly string[];
  /** `null` if not judged. */
  readonly mechanism: Mechanism | null;
  /** Requirements on its environment. */
  readonly needs: readonly EnvironmentFeature[];
  readonly schedule: readonly ArrangementName[];
  /** The recipe's own settings and the open options of its parts. */
  readonly settings: Settings;
  /** The allowed values of settings that have a fixed list. */
  readonly choices: { readonly [setting: string]: readonly string[] };
  readonly stages: readonly Stage[];
  /** How often all stages are repeated, ≥ 1. */
  readonly rounds: number;
};

/** Creates the recipe, with some settings changed. */
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

/** A setting with its default and allowed values. */
type Setting = Omit<OpenSetting, "name">;

/** @returns a function that creates the recipe; it refuses an unknown setting with the list of all settings. */
export function recipe<const S extends DefinedSettings>(
  definition: Omit<RecipeDefinition<Widened<S>>, "settings"> & { readonly settings: S },
): CreateRecipe {
  const { name, differs, mechanism = null, needs = [], schedule } = definition;
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
        ? { ...defaultsOf(own), ...Object.fromEntries(given.filter(isOwn)) }
        : defaultsOf(own),
    );
    const open = openSettings(plain, ownNames);
    const all = { ...own, ...Object.fromEntries(open.map((setting) => [setting.name, setting])) };
    const unfit = refusal ?? given.find(([key, value]) => !fits(settingOf(all, key), value));
    if (unfit !== undefined) {
      const [key, value] = unfit;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        refusalOf(name, all, key.slice(0, 64), String(value).slice(0, 64)),
      );
    }
    const others = Object.fromEntries(given.filter((entry) => !isOwn(entry)));
    const stages = withOpenSettings(plain, ownNames, others);
    const settings = { ...defaultsOf(all), ...overrides };
    const rounds = Number({ rounds: 1, ...settings }.rounds);
    requireArrangement(name, schedule, stages, rounds);
    requireTrainedModels(name, stages);
    return {
      name,
      literature,
      differs,
      mechanism,
      needs,
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

function defaultsOf(all: SettingsByName): Settings {
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
      `recipe ${name}: the literature table has no row ${literature}; for a paper that is not in the table, pass a row object`,
    );
  }
  return row;
}

/** Numbers must not be negative unless the default is. */
function fits(setting: Setting | undefined, value: unknown): boolean {
  if (setting === undefined || typeof setting.default !== typeof value) return false;
  if (setting.choices !== undefined) return setting.choices.some((choice) => choice === value);
  if (typeof value !== "number") return true;
  return Number.isFinite(value) && (value >= 0 || Number(setting.default) < 0);
}

function refusalOf(recipe: string, all: SettingsByName, key: string, value: string): string {
  const setting = settingOf(all, key);
  return setting === undefined
    ? `recipe ${recipe} has no setting ${key}; it has ${describe(all)}`
    : `setting ${key} of recipe ${recipe} must be ${domainOf(setting)}, got ${value}`;
}

function domainOf({ default: initial, choices }: Setting): string {
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (typeof initial !== "number") return `a ${typeof initial}`;
  return initial >= 0 ? "a number of at least 0" : "a number";
}

function describe(settings: SettingsByName): string {
  const all = Object.entries(settings).map(([name, { default: initial, choices }]) =>
    choices === undefined ? `${name}=${initial}` : `${name}=${initial} (${choices.join("|")})`,
  );
  return all.length === 0 ? "no settings" : all.join(", ");
}

/** Fields that all kinds of parts have. */
type UsedPart = {
  readonly slot: string;
  readonly part: string;
  readonly readsEntropies?: true;
  readonly around?: readonly UsedPart[];
};

/** All parts of a recipe, with the parts that they wrap. */
export function usedParts({ stages, schedule }: Recipe): UsedPart[] {
  const parts: UsedPart[] = stages
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
  return [...parts, ...schedule.map((part) => ({ slot: "schedule", part }))];
}

/** Names of the recipe's parts by slot, without duplicates. */
export function partsOf(recipe: Recipe): {
  readonly [slot: string]: readonly string[];
} {
  const bySlot: { [slot: string]: string[] } = {};
  for (const { slot, part } of usedParts(recipe)) {
    const names = (bySlot[slot] ??= []);
    if (!names.includes(part)) names.push(part);
  }
  return bySlot;
}

/** A part and the parts that it wraps. */
function unfolded(part: UsedPart): UsedPart[] {
  return [part, ...(part.around ?? []).flatMap(unfolded)];
}
