/** Results of versions on the frozen tasks, as the trainer's state keeps them, and the report that follows from them. */
import type { PolicyVersionId, VersionReport } from "@waggle/protocol";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { FrozenOutcomes } from "../evaluation/frozen-tasks.ts";

/** Names the frozen tasks. */
type TaskSet = { readonly evaluationName: string };

type Evaluated = PolicyVersionId | "best" | "candidate";
type Kept = Pick<TrainerState, "evaluations" | "answers">;

/** The key of a version's successes in the state. */
export function evaluationKey({ evaluationName }: TaskSet, of: Evaluated): string {
  return `${of}/${evaluationName}`;
}

function readableKey(tasks: TaskSet, of: Evaluated): string {
  return `${evaluationKey(tasks, of)}/readable`;
}

/** Results of an earlier evaluation of a version; `null` if there was none. */
export function keptOutcomes(
  tasks: TaskSet,
  { evaluations, answers = {} }: Kept,
  version: PolicyVersionId,
): FrozenOutcomes | null {
  const successes = evaluations[evaluationKey(tasks, version)];
  const readable = evaluations[readableKey(tasks, version)];
  if (successes === undefined || readable === undefined) return null;
  const sampled = answers[evaluationKey(tasks, version)];
  return { successes, readable, ...(sampled && { sampled }) };
}

/** The results of these versions, as the state keeps them. */
export function outcomesToKeep(
  tasks: TaskSet,
  all: readonly (readonly [Evaluated, FrozenOutcomes])[],
): Required<Kept> {
  return {
    evaluations: Object.fromEntries(
      all.flatMap(
        ([of, { successes, readable }]) =>
          [
            [evaluationKey(tasks, of), successes],
            [readableKey(tasks, of), readable],
          ] as const,
      ),
    ),
    answers: Object.fromEntries(
      all.flatMap(([of, { sampled }]) =>
        sampled === undefined ? [] : [[evaluationKey(tasks, of), sampled] as const],
      ),
    ),
  };
}

/** Moves the candidate's results to its assigned version number. */
export function withCandidateAs(
  tasks: TaskSet,
  { evaluations, answers = {} }: Kept,
  version: PolicyVersionId,
): Kept {
  const sampled = answers[evaluationKey(tasks, "candidate")];
  return {
    evaluations: {
      ...evaluations,
      [evaluationKey(tasks, version)]: evaluations[evaluationKey(tasks, "candidate")] ?? [],
      [readableKey(tasks, version)]: evaluations[readableKey(tasks, "candidate")] ?? [],
    },
    answers: sampled === undefined ? {} : { [evaluationKey(tasks, version)]: sampled },
  };
}

/** What the operator reads about the candidate. */
export function reportOf(
  tasks: TaskSet,
  { learnedFrom, answers = {} }: Pick<TrainerState, "learnedFrom" | "answers">,
  comparedWith: PolicyVersionId,
): VersionReport {
  const after = answers[evaluationKey(tasks, "candidate")] ?? [];
  const pairs = (answers[evaluationKey(tasks, comparedWith)] ?? []).flatMap((before, i) => {
    const answer = after[i];
    return answer === undefined ? [] : [{ before, after: answer }];
  });
  return {
    ...(learnedFrom && { learnedFrom }),
    ...(pairs.length > 0 && { answers: { comparedWith, pairs } }),
  };
}
