/**
 * Which settings of a recipe govern a part of its row: those whose change is seen in what the part was made
 * with, in its weight, or in the state that it reads. Seen in the built stages, not in the settings.
 */
import type { CreateRecipe, Recipe } from "../composition/definition.ts";
import { type AnyPart, type OptionValue, partDefinition } from "../composition/part-options.ts";
import type { Stage } from "../composition/stage.ts";
import { weightName } from "../rewards/combinators.ts";
import type { PlainPart } from "./literature.ts";

/**
 * `[places][settings]` names of settings, in the recipe's order, for each place of its stages where the part
 * stands; none where it is there as it is. A change of how many places there are counts for all of them.
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

/** What else a setting may be: one that its part refuses is answered by another. */
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

/** `[places]` everything that can be seen of a part, in every stage that has it. */
function seen({ stages, rounds }: Recipe, { slot, part }: PlainPart): string[] {
  const all = stages.flatMap(withMembers);
  if (slot === "schedule") {
    return [JSON.stringify([rounds, all.map(({ name, steps }) => [name, steps])])];
  }
  return all.flatMap((stage) =>
    partsIn(stage)
      .filter((one) => one.part.slot === slot && one.part.part === part)
      .map(({ part: one, weight }) => JSON.stringify([weight, optionsOf(one), beside(stage, one)])),
  );
}

function withMembers(stage: Stage): readonly Stage[] {
  return [stage, ...(stage.merging?.members.flat().flatMap(withMembers) ?? [])];
}

type Seen = AnyPart & { readonly needs?: readonly string[] };

type Weighed = { readonly part: Seen; readonly weight: OptionValue | null };

const COMPARES: readonly string[] = ["mc", "semantic"];

const KL: Seen = { slot: "loss", part: "kl", needs: ["ref"] };

/** All parts of a stage, those inside others too, each with what it weighs there. */
function partsIn(stage: Stage): readonly Weighed[] {
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
  ].flatMap(unfolded);
}

function unfolded({ part, weight }: Weighed): readonly Weighed[] {
  const weights = partDefinition(part)?.options;
  return [
    { part, weight },
    ...(part.around ?? []).flatMap((inner) =>
      unfolded({ part: inner, weight: weights?.[weightName(inner.part)]?.value ?? weight }),
    ),
  ];
}

function optionsOf(part: Seen): readonly (readonly [string, OptionValue])[] {
  return Object.entries(partDefinition(part)?.options ?? {}).map(([name, { value }]) => [
    name,
    value,
  ]);
}

/**
 * What a part does not do by itself. A state is what others read it for. What continuations and written
 * comparisons say depends on how many rollouts there are, what a case was worth on how it is written.
 */
function beside(stage: Stage, part: Seen): unknown {
  const asked = (one: Seen): boolean =>
    part.slot === "state"
      ? (one.needs ?? []).includes(part.part)
      : (part.needs ?? []).includes(one.part) ||
        (COMPARES.includes(part.part) && one.slot === "rollout") ||
        (part.part === "td" && one.part === "mem-write");
  return partsIn(stage)
    .filter((one) => asked(one.part))
    .map((one) => [one.part.part, one.weight, optionsOf(one.part)]);
}
