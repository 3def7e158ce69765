/** What a step learned from by signal and consent text, and the sum over the steps of a version. */
import { signalInfluence } from "@waggle/learning";
import type { LearnedFrom } from "@waggle/protocol";
import { wantedId } from "../check/edited-answer.ts";
import type { UpdateNumbers } from "./stage-update.ts";

/** Most names in a list: the limit of the schema. Consent versions come from pages, so there can be any number. */
const MOST_NAMES = 100;

/** Ids of the rejected sides of pairs within one record. Such a request counts once. */
export function rejectedIds({
  minibatch: { rows, pairs },
}: Pick<UpdateNumbers, "minibatch">): ReadonlySet<string> {
  const idOf = (row: number) => rows[row]?.rewarded.trajectory.id ?? "";
  return new Set(
    pairs.flatMap(([chosen, rejected]) => {
      const ids = [idOf(chosen), idOf(rejected)] as const;
      // With exchanged sides, the wanted one is rejected.
      const isOneRecord = ids[0] === wantedId(ids[1]) || ids[1] === wantedId(ids[0]);
      return isOneRecord ? [ids[1]] : [];
    }),
  );
}

/** What one step learned from. */
export function learnedInStep(recipe: string, numbers: UpdateNumbers): LearnedFrom {
  const { minibatch, advantages, ofCorrection } = numbers;
  const rejected = rejectedIds(numbers);
  const groups = numbers.groups.map(({ task, trajectories: all }) => ({
    task,
    trajectories: all.filter(({ trajectory }) => !rejected.has(trajectory.id)),
  }));
  const trajectories = groups.flatMap((group) => group.trajectories.map((one) => one.trajectory));
  const versions = Map.groupBy(trajectories, ({ record }) => record.consent.version);
  const judged = trajectories.flatMap(({ verification: { parts, signals = {} } }) => {
    const isJudged = Object.keys(signals).some((signal) => signal.startsWith("judge:"));
    return isJudged && typeof parts["judge"] === "string" ? [parts["judge"]] : [];
  });
  const prompts = [...Map.groupBy(judged, (version) => version)];
  return {
    recipe,
    steps: 1,
    trajectories: trajectories.length,
    signals: signalInfluence(groups, minibatch, { advantages, ofCorrection }),
    ...(prompts.length > 0 && { prompts: counted(prompts) }),
    consents: counted([...versions]),
  };
}

/** The sum of what earlier steps and this one learned from. */
export function withLearned(earlier: LearnedFrom | undefined, step: LearnedFrom): LearnedFrom {
  if (earlier === undefined) return step;
  const signals = Map.groupBy([...earlier.signals, ...step.signals], ({ signal }) => signal);
  const prompts = [...(earlier.prompts ?? []), ...(step.prompts ?? [])];
  return {
    recipe: step.recipe,
    steps: earlier.steps + step.steps,
    trajectories: earlier.trajectories + step.trajectories,
    signals: most(
      [...signals].map(([signal, all]) => ({
        signal,
        trajectories: all.reduce((sum, one) => sum + one.trajectories, 0),
        weight: all.reduce((sum, one) => sum + one.weight, 0),
      })),
    ),
    ...(prompts.length > 0 && { prompts: summed(prompts) }),
    consents: summed([...earlier.consents, ...step.consents]),
  };
}

type Counted = LearnedFrom["consents"][number];

function counted(grouped: readonly (readonly [string, readonly unknown[]])[]): Counted[] {
  return most(grouped.map(([version, all]) => ({ version, trajectories: all.length })));
}

function summed(all: readonly Counted[]): Counted[] {
  const versions = [...Map.groupBy(all, ({ version }) => version)];
  return most(
    versions.map(([version, same]) => ({
      version,
      trajectories: same.reduce((sum, one) => sum + one.trajectories, 0),
    })),
  );
}

/** Those with most trajectories, as many as the schema allows. */
function most<T extends { readonly trajectories: number }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => b.trajectories - a.trajectories).slice(0, MOST_NAMES);
}
