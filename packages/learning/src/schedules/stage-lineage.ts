/**
 * `stages` with their lineage: what each artefact was made from, by which configuration and data. An
 * interrupted pipeline goes on where it stopped and ends at the same artefact; a stage never begins on
 * what is not there. Not the runner, and not the checkpoints.
 *
 * Source: staged pipelines (cpt, sft, rl, rft, preference, merge, deploy) of KAT-Coder, DR-Venus,
 * GraphWalker.
 */
import { WaggleError } from "@waggle/protocol";

/** What a stage is to be; digests are of content, so that equal inputs are recognized. */
export type PlannedStage = {
  readonly name: string;
  /** Names of the stages it starts from; several for a merge; none starts from the base model. */
  readonly parents: readonly string[];
  /** Digest of its settings and recipe. */
  readonly configuration: string;
  /** Digest of its data or tasks, `null` where it makes its own. */
  readonly data: string | null;
};

export type Artefact = PlannedStage & {
  /** Content hash of what came out. */
  readonly hash: string;
  /** Hashes of the parents, in the order of the plan; the base model's where there are none. */
  readonly parentHashes: readonly string[];
};

/** Artefacts in the order in which they were made. */
export type Lineage = { readonly base: string; readonly artefacts: readonly Artefact[] };

/** Stages whose parents are all made and which are not made themselves, in the order of the plan. */
export function readyStages(plan: readonly PlannedStage[], lineage: Lineage): PlannedStage[] {
  requirePlan(plan);
  return plan.filter(
    (stage) =>
      artefactOf(plan, lineage, stage.name) === null &&
      stage.parents.every((parent) => artefactOf(plan, lineage, parent) !== null),
  );
}

/**
 * The lineage with what a stage made.
 *
 * @throws WaggleError `CONFLICT` where a parent is missing, or the stage was made of other inputs.
 */
export function recordStage(
  plan: readonly PlannedStage[],
  lineage: Lineage,
  name: string,
  hash: string,
): Lineage {
  const ready = readyStages(plan, lineage).find((stage) => stage.name === name);
  if (ready === undefined) {
    throw new WaggleError(
      "CONFLICT",
      `stage ${name.slice(0, 64)} must be ready, got ${readyStages(plan, lineage)
        .map((stage) => stage.name)
        .join(", ")}; make its parents first`,
    );
  }
  const parentHashes =
    ready.parents.length === 0
      ? [lineage.base]
      : ready.parents.map((parent) => (artefactOf(plan, lineage, parent) as Artefact).hash);
  return { ...lineage, artefacts: [...lineage.artefacts, { ...ready, hash, parentHashes }] };
}

/**
 * What a stage of this plan made, `null` where it was not made from the same configuration, data and
 * parents: a changed stage is made again, and all that follows from it.
 */
export function artefactOf(
  plan: readonly PlannedStage[],
  lineage: Lineage,
  name: string,
): Artefact | null {
  const stage = plan.find((planned) => planned.name === name);
  if (stage === undefined) return null;
  const parents = stage.parents.map((parent) => artefactOf(plan, lineage, parent)?.hash ?? null);
  const expected = stage.parents.length === 0 ? [lineage.base] : parents;
  const made = lineage.artefacts.findLast(
    (artefact) =>
      artefact.name === name &&
      artefact.configuration === stage.configuration &&
      artefact.data === stage.data &&
      artefact.parentHashes.length === expected.length &&
      artefact.parentHashes.every((parent, i) => parent === expected[i]),
  );
  return made ?? null;
}

/** Artefacts that this one was made from, the base's own first, each once. */
export function ancestryOf(lineage: Lineage, hash: string): Artefact[] {
  const artefact = lineage.artefacts.find((other) => other.hash === hash);
  if (artefact === undefined) return [];
  const chain = [
    ...artefact.parentHashes.flatMap((parent) => ancestryOf(lineage, parent)),
    artefact,
  ];
  return [...new Map(chain.map((other) => [other.hash, other])).values()];
}

/** @throws WaggleError `INVALID_ARGUMENT` for repeated names or a parent that does not come before. */
function requirePlan(plan: readonly PlannedStage[]): void {
  const seen = new Set<string>();
  for (const { name, parents } of plan) {
    const unknown = parents.find((parent) => !seen.has(parent));
    if (seen.has(name) || unknown !== undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `stages must have names of their own and come after their parents, got ${name.slice(0, 64)}${unknown === undefined ? " twice" : ` after ${unknown.slice(0, 64)}`}; order the plan`,
      );
    }
    seen.add(name);
  }
}
