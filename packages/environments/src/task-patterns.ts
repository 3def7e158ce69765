/** Which held-out tasks have a pattern, a wording or a type, that no training task has. */
import type { Task, TaskReference } from "@waggle/protocol";
import type { EnvironmentSpec } from "./environment-spec.ts";

/** Training tasks of each level whose patterns count as seen. A pattern that is rarer than that may count as unseen. */
const TRAINING_TASKS = 1000;

/** Training tasks of every level, to compare held-out tasks with. */
export function trainingTasks(spec: EnvironmentSpec): Task[] {
  return Array.from({ length: TRAINING_TASKS * spec.levels }, (_, i) =>
    spec.task(spec.reference(i, "train", i % spec.levels)),
  );
}

/** `[references]` whether no training task has the task's pattern. */
export function unseenPatterns(
  spec: EnvironmentSpec,
  references: readonly TaskReference[],
): boolean[] {
  const seen = new Set(trainingTasks(spec).map(({ template }) => template));
  return references.map((reference) => !seen.has(spec.task(reference).template));
}
