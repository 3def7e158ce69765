/** What a step learned from by signal and consent text, and the sum over the steps of a version. */
import { signalInfluence } from "@waggle/learning";
import type { LearnedFrom } from "@waggle/protocol";
import type { UpdateNumbers } from "./stage-update.ts";

/** Most names in a list: the limit of the schema. Consent versions come from pages, so there can be any number. */
const MOST_NAMES = 100;

/** What one step learned from. */
export function learnedInStep(
  recipe: string,
  { groups, minibatch, advantages, ofCorrection }: UpdateNumbers,
): LearnedFrom {
  const trajectories = groups.flatMap((group) => group.trajectories.map((one) => one.trajectory));
  const versions = Map.groupBy(trajectories, ({ record }) => record.consent.version);
  return {
    recipe,
    steps: 1,
    trajectories: trajectories.length,
    signals: signalInfluence(groups, minibatch, { advantages, ofCorrection }),
    consents: most([...versions].map(([version, all]) => ({ version, trajectories: all.length }))),
  };
}

/** The sum of what earlier steps and this one learned from. */
export function withLearned(earlier: LearnedFrom | undefined, step: LearnedFrom): LearnedFrom {
  if (earlier === undefined) return step;
  const signals = Map.groupBy([...earlier.signals, ...step.signals], ({ signal }) => signal);
  const consents = Map.groupBy([...earlier.consents, ...step.consents], ({ version }) => version);
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
    consents: most(
      [...consents].map(([version, all]) => ({
        version,
        trajectories: all.reduce((sum, one) => sum + one.trajectories, 0),
      })),
    ),
  };
}

/** Those with most trajectories, as many as the schema allows. */
function most<T extends { readonly trajectories: number }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => b.trajectories - a.trajectories).slice(0, MOST_NAMES);
}
