/**
 * The settings that a recipe offers in addition to its own: the options that its parts left at their defaults, the
 * number of tasks per step, and for a reward stage its epochs and minibatches. A value that all stages share
 * has one name (`epsilon`). Where it differs between stages, or the recipe has a setting of that name, each
 * stage has its own (`start.tasks`).
 */
import { WaggleError } from "@waggle/protocol";
import { type AnyPart, type OptionValue, partDefinition } from "./part-options.ts";
import type { Stage, StepSettings } from "./stage.ts";

export type OpenSetting = {
  readonly name: string;
  readonly default: OptionValue;
  /** The allowed values; absent = any value of the type. */
  readonly choices?: readonly OptionValue[];
};

/** Where an option is: in a part of the stage, or in the stage itself. */
type Place = { readonly stage: string; readonly part: string; readonly option: string };
type Found = Place & Omit<OpenSetting, "name">;

/** Options of a step: its number of tasks, epochs and minibatches. */
const STEP_OPTIONS = ["tasks", "epochs", "minibatches"];

/** @param own names of the recipe's own settings. */
export function openSettings(stages: readonly Stage[], own: readonly string[]): OpenSetting[] {
  const found = everyPlace(stages);
  const named = new Map<string, OpenSetting>();
  for (const place of found) {
    const name = nameOf(place, found, own);
    const { default: value, choices } = place;
    if (named.has(name)) continue;
    named.set(name, { name, default: value, ...(choices === undefined ? {} : { choices }) });
  }
  return [...named.values()].filter(({ name }) => !own.includes(name));
}

/** The stages with these open settings changed; the same stages where `values` is empty. */
export function withOpenSettings(
  stages: readonly Stage[],
  own: readonly string[],
  values: { readonly [name: string]: OptionValue },
): readonly Stage[] {
  if (Object.keys(values).length === 0) return stages;
  const found = everyPlace(stages);
  return stages.map((stage) =>
    changedStage(stage, (place, value) => values[nameOf(place, found, own)] ?? value),
  );
}

function everyPlace(stages: readonly Stage[]): readonly Found[] {
  const found: Found[] = [];
  for (const stage of stages) {
    changedStage(stage, (place, value, choices) => {
      found.push({ ...place, default: value, ...(choices === undefined ? {} : { choices }) });
      return value;
    });
  }
  return found;
}

/** `epsilon`; where stages differ `start.epsilon`; where parts of a stage differ `start.pg-clip.epsilon`. */
function nameOf(place: Place, found: readonly Found[], own: readonly string[]): string {
  const { stage, part, option } = place;
  const alike = found.filter((one) => one.option === option);
  if (!own.includes(option) && isOneValue(alike)) return option;
  // A recipe's own setting of that name applies to every stage.
  if (STEP_OPTIONS.includes(option) && own.includes(option)) return option;
  const ofStage = stage.replaceAll(" ", "-");
  const inStage = alike.filter((one) => one.stage === stage);
  return isOneValue(inStage) ? `${ofStage}.${option}` : `${ofStage}.${part}.${option}`;
}

function isOneValue(found: readonly Found[]): boolean {
  return new Set(found.map(({ default: value }) => value)).size === 1;
}

/** The stage, defined again with the value that `change` returns for each open option. */
function changedStage(
  stage: Stage,
  change: (place: Place, value: OptionValue, choices?: readonly OptionValue[]) => OptionValue,
): Stage {
  const of = <P extends AnyPart>(part: P): P =>
    changedPart(part, (option, { part: name }, value, choices) =>
      change({ stage: stage.name, part: name, option }, value, choices),
    ) as P;
  const { rollout, filters, reward, advantage, losses, state, evolution, writing, merging } = stage;
  const ofStep = (option: string, value: number): number =>
    requireCount(option, change({ stage: stage.name, part: "step", option }, value));
  return {
    ...stage,
    rollout: of(rollout),
    filters: filters.map(of),
    reward: reward === null ? null : of(reward),
    advantage: advantage === null ? null : of(advantage),
    losses: losses.map(({ loss, weight }) => ({ loss: of(loss), weight })),
    state: Object.fromEntries(Object.entries(state).map(([name, part]) => [name, of(part)])),
    evolution:
      evolution === null ? null : { fitness: of(evolution.fitness), how: of(evolution.how) },
    writing:
      writing === null
        ? null
        : { credit: writing.credit === null ? null : of(writing.credit), how: of(writing.how) },
    merging:
      merging === null
        ? null
        : {
            ...merging,
            members: merging.members.map((chain) =>
              chain.map((member) => changedStage(member, change)),
            ),
            how: of(merging.how),
          },
    settings: stage.learns === "merges" ? stage.settings : changedSettings(stage, ofStep),
  };
}

function changedSettings(
  { learns, settings }: Stage,
  ofStep: (option: string, value: number) => number,
): StepSettings {
  const tasksPerStep = ofStep("tasks", settings.tasksPerStep);
  if (learns !== "rewards") return { ...settings, tasksPerStep };
  const epochs = ofStep("epochs", settings.epochs);
  const minibatches = ofStep("minibatches", settings.minibatches);
  return { ...settings, tasksPerStep, epochs, minibatches };
}

function changedPart(
  part: AnyPart,
  change: (
    option: string,
    part: AnyPart,
    value: OptionValue,
    choices?: readonly OptionValue[],
  ) => OptionValue,
): AnyPart {
  const definition = partDefinition(part);
  if (definition === undefined) return part;
  const { options, inner, define } = definition;
  const values = Object.fromEntries(
    Object.entries(options).map(([name, { value, isOpen, choices }]) => [
      name,
      isOpen ? change(name, part, value, choices) : value,
    ]),
  );
  const others = inner.map((one) => changedPart(one, change));
  const isSame =
    others.every((one, i) => one === inner[i]) &&
    Object.entries(options).every(([name, { value }]) => values[name] === value);
  return isSame ? part : define(values, others);
}

function requireCount(option: string, count: OptionValue): number {
  if (typeof count === "number" && Number.isInteger(count) && count >= 1) return count;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${option} per step must be a whole number of at least 1, got ${String(count)}`,
  );
}
