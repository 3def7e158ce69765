/**
 * Settings that a recipe has beside its own: what its parts left at their standards, and how many tasks a
 * step has. A value that all of them share has one name (`epsilon`), one that differs from stage to
 * stage, or whose name is the recipe's own, has one for each stage (`start.tasks`). Not a recipe.
 */
import { WaggleError } from "@waggle/protocol";
import { type AnyPart, type MadeValue, makingOf } from "./making.ts";
import type { Stage } from "./stage.ts";

export type OpenSetting = {
  readonly name: string;
  readonly standard: MadeValue;
  /** Words that fit; absent = any value of the type. */
  readonly choices?: readonly MadeValue[];
};

/** Where a value is: which of the stage's parts, or the stage itself. */
type Place = { readonly stage: string; readonly part: string; readonly dial: string };
type Found = Place & Omit<OpenSetting, "name">;

const TASKS = "tasks";

/** @param own names of the recipe's own settings. */
export function openSettings(stages: readonly Stage[], own: readonly string[]): OpenSetting[] {
  const found = everyPlace(stages);
  const named = new Map<string, OpenSetting>();
  for (const place of found) {
    const name = nameOf(place, found, own);
    const { standard, choices } = place;
    if (named.has(name)) continue;
    named.set(name, { name, standard, ...(choices === undefined ? {} : { choices }) });
  }
  return [...named.values()].filter(({ name }) => !own.includes(name));
}

/** The stages with these of their open settings changed; the same stages where none is. */
export function withOpenSettings(
  stages: readonly Stage[],
  own: readonly string[],
  values: { readonly [name: string]: MadeValue },
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
    changedStage(stage, (place, standard, choices) => {
      found.push({ ...place, standard, ...(choices === undefined ? {} : { choices }) });
      return standard;
    });
  }
  return found;
}

/** `epsilon`, or where that is not one value `start.epsilon`, or `start.pg-clip.epsilon`. */
function nameOf(place: Place, found: readonly Found[], own: readonly string[]): string {
  const { stage, part, dial } = place;
  const alike = found.filter((one) => one.dial === dial);
  if (!own.includes(dial) && isOneValue(alike)) return dial;
  // `tasks` of a recipe's own is the number of every step.
  if (dial === TASKS && own.includes(TASKS)) return TASKS;
  const ofStage = stage.replaceAll(" ", "-");
  const inStage = alike.filter((one) => one.stage === stage);
  return isOneValue(inStage) ? `${ofStage}.${dial}` : `${ofStage}.${part}.${dial}`;
}

function isOneValue(found: readonly Found[]): boolean {
  return new Set(found.map(({ standard }) => standard)).size === 1;
}

/** The stage, made again with whatever `change` says of each value that is open. */
function changedStage(
  stage: Stage,
  change: (place: Place, value: MadeValue, choices?: readonly MadeValue[]) => MadeValue,
): Stage {
  const of = <P extends AnyPart>(part: P): P =>
    changedPart(part, (dial, { part: name }, value, choices) =>
      change({ stage: stage.name, part: name, dial }, value, choices),
    ) as P;
  const { rollout, filters, reward, advantage, losses, state, evolution, writing, merging } = stage;
  const place = { stage: stage.name, part: "step", dial: TASKS };
  const { tasksPerStep } = stage.settings;
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
    settings:
      stage.learns === "merges"
        ? stage.settings
        : { ...stage.settings, tasksPerStep: requireTasks(change(place, tasksPerStep)) },
  };
}

function changedPart(
  part: AnyPart,
  change: (
    dial: string,
    part: AnyPart,
    value: MadeValue,
    choices?: readonly MadeValue[],
  ) => MadeValue,
): AnyPart {
  const making = makingOf(part);
  if (making === undefined) return part;
  const { dials, inner, again } = making;
  const values = Object.fromEntries(
    Object.entries(dials).map(([name, { value, isOpen, choices }]) => [
      name,
      isOpen ? change(name, part, value, choices) : value,
    ]),
  );
  const others = inner.map((one) => changedPart(one, change));
  const isSame =
    others.every((one, i) => one === inner[i]) &&
    Object.entries(dials).every(([name, { value }]) => values[name] === value);
  return isSame ? part : again(values, others);
}

function requireTasks(tasks: MadeValue): number {
  if (typeof tasks === "number" && Number.isInteger(tasks) && tasks >= 1) return tasks;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `tasks of a step must be a whole number from 1, got ${String(tasks)}; set another number`,
  );
}
