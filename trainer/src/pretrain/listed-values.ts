/** Whether the values of an environment's requests come from lists, such as the rooms of a hall and the days of a year. */
import { type EnvironmentSpec, trainingTasks } from "@waggle/environments";

/** Below this share of distinct values, training tasks name the same ones again and again. */
const DISTINCT = 1 / 3;

/** Values without letters do not count, because bases copy numbers without lessons. */
export function hasListedValues(spec: EnvironmentSpec): boolean {
  const values = trainingTasks(spec)
    .flatMap((task) => task.values ?? [])
    .filter((value) => /\p{L}/u.test(value));
  return values.length > 0 && new Set(values).size < DISTINCT * values.length;
}
