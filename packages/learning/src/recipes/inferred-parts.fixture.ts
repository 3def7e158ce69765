/**
 * Finds the settings that control a part of a recipe. A setting controls a part if changing it changes the part's
 * options, its weight, or the state that it reads. The changes are read from the recipe's stages, so a setting
 * without an effect is not found.
 */
import type { CreateRecipe, Recipe } from "../composition/definition.ts";
import { type AnyPart, type OptionValue, partDefinition } from "../composition/part-options.ts";
import type { Stage } from "../composition/stage.ts";
import { weightName } from "../rewards/combinators.ts";
import type { PlainPart } from "./literature.ts";

/**
 * The settings that control a part, for each of its uses in the recipe's stages.
 *
 * @returns `[uses][settings]` names in the recipe's order; an empty list for a use without a setting. A setting that
 *   changes the number of uses controls all of them.
 */
export function governing(create: CreateRecipe, of: PlainPart): string[][] {
  const initial = create();
  const before = seen(initial, of);
  const found = before.map((): string[] => []);
  for (const name of Object.keys(initial.settings)) {
    const others = changesOf(initial, name).flatMap((value) => {
      const changed = builtWith(create, { [name]: value });
      return changed === null ? [] : [seen(changed, of)];
    });
    for (const [i, names] of found.entries()) {
      const isMoved = others.some(
        (after) => after.length !== before.length || after[i] !== before[i],
      );
      if (isMoved) names.push(name);
    }
  }
  return found;
}

/** Other values for a setting. Several, because the part may refuse some of them. */
function changesOf({ settings, choices }: Recipe, name: string): readonly OptionValue[] {
  const value = settings[name] as OptionValue;
  if (choices[name] !== undefined) return choices[name].filter((choice) => choice !== value);
  if (typeof value === "boolean") return [!value];
  if (typeof value === "string") return [`${value}.`];
  return [value + 1, value / 2, value + 0.1];
}

function builtWith(create: CreateRecipe, settings: Recipe["settings"]): Recipe | null {
  try {
    return create(settings);
  } catch {
    return null;
  }
}

/** `[uses]` the weight, the options and the state of a part, as JSON, for each use in each stage. */
function seen({ stages, rounds }: Recipe, { slot, part }: PlainPart): string[] {
  const all = stages.flatMap(withMembers);
  if (slot === "schedule") {
    return [JSON.stringify([rounds, all.map(({ name, steps }) => [name, steps])])];
  }
  return all.flatMap((stage) =>
    partsIn(stage)
      .filter((one) => one.part.slot === slot && one.part.part === part)
      .map(({ part: one, weight }) =>
        JSON.stringify([weight, optionsOf(one), dependenciesOf(stage, one)]),
      ),
  );
}

function withMembers(stage: Stage): readonly Stage[] {
  return [stage, ...(stage.merging?.members.flat().flatMap(withMembers) ?? [])];
}

type SeenPart = AnyPart & { readonly needs?: readonly string[] };

type WeightedPart = { readonly part: SeenPart; readonly weight: OptionValue | null };

const COMPARES: readonly string[] = ["mc", "semantic"];

const KL: SeenPart = { slot: "loss", part: "kl", needs: ["ref"] };

/** All parts of a stage with their weights, including the parts inside other parts. */
function partsIn(stage: Stage): readonly WeightedPart[] {
  const { rollout, filters, reward, advantage, losses, state, kl, writing } = stage;
  const plain = [
    rollout,
    ...filters,
    reward,
    advantage,
    ...Object.values(state),
    writing?.credit ?? null,
    writing?.how ?? null,
  ].flatMap((part) => (part === null ? [] : [{ part, weight: null }]));
  return [
    ...plain,
    ...losses.map(({ loss, weight }) => ({ part: loss, weight })),
    ...(kl === null ? [] : [{ part: KL, weight: JSON.stringify(kl.coefficient) }]),
  ].flatMap(withInner);
}

function withInner({ part, weight }: WeightedPart): readonly WeightedPart[] {
  const weights = partDefinition(part)?.options;
  return [
    { part, weight },
    ...(part.around ?? []).flatMap((inner) =>
      withInner({ part: inner, weight: weights?.[weightName(inner.part)]?.value ?? weight }),
    ),
  ];
}

function optionsOf(part: SeenPart): readonly (readonly [string, OptionValue])[] {
  return Object.entries(partDefinition(part)?.options ?? {}).map(([name, { value }]) => [
    name,
    value,
  ]);
}

/**
 * The options of other parts that a part's effect depends on:
 * - of a state part, the parts that read it;
 * - of `mc` and `semantic`, the rollout part, which sets the number of rollouts;
 * - of `td`, the part that writes cases;
 * - of any other part, the states that it reads.
 */
function dependenciesOf(stage: Stage, part: SeenPart): unknown {
  const isDependency = (one: SeenPart): boolean =>
    part.slot === "state"
      ? (one.needs ?? []).includes(part.part)
      : (part.needs ?? []).includes(one.part) ||
        (COMPARES.includes(part.part) && one.slot === "rollout") ||
        (part.part === "td" && one.part === "mem-write");
  return partsIn(stage)
    .filter((one) => isDependency(one.part))
    .map((one) => [one.part.part, one.weight, optionsOf(one.part)]);
}
