/** Held-out tasks whose request is also a training task's. Their states differ, and often their answers. */
import { environmentNamed, trainingTasks } from "@waggle/environments";

const HELD_OUT_TASKS = 400;
/** A share below this is not mentioned. */
const LEAST_SHARE = 0.01;

/** Share of an environment's held-out tasks, in [0, 1], whose request occurs in training. */
function repeatedShare(environment: string): number {
  const spec = environmentNamed(environment);
  const trained = new Set(trainingTasks(spec).map(({ request }) => request));
  const repeated = Array.from({ length: HELD_OUT_TASKS }, (_, i) =>
    spec.task(spec.reference(i, "heldOut", i % spec.levels)),
  ).filter(({ request }) => trained.has(request));
  return repeated.length / HELD_OUT_TASKS;
}

/** Lines of a list: the environments in which some held-out requests occur in training. */
export function repeatedRequestsText(environments: readonly string[]): string[] {
  const shares = [...new Set(environments)]
    .toSorted()
    .map((environment) => ({ environment, share: repeatedShare(environment) }))
    .filter(({ share }) => share >= LEAST_SHARE);
  if (shares.length === 0) return [];
  const list = shares.map(
    ({ environment, share }) => `${(100 * share).toFixed(0)} % in \`${environment}\``,
  );
  return [
    `- Some held-out tasks have the words of a training task, with another state: ${list.join(", ")}. There, success is not evidence of new requests.`,
  ];
}
