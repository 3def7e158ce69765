/** The built-in environments, by name. */
import { type TaskReference, WaggleError } from "@waggle/protocol";
import { BANDIT } from "./bandit.ts";
import { CALCULATOR } from "./calculator.ts";
import { DIALOGUE } from "./dialogue.ts";
import { DIARY } from "./diary.ts";
import { FORM } from "./form.ts";
import { KEY_DOOR } from "./key-door.ts";
import { LIBRARY } from "./library/library.ts";
import { LOOKUP } from "./lookup/lookup.ts";
import { OPINION } from "./opinion.ts";
import { RECALL } from "./recall.ts";
import { STRINGS } from "./strings.ts";
import type { EnvironmentSpec } from "./environment-spec.ts";

/** All built-in environments, in the order that lists show them. */
export const ENVIRONMENTS: readonly EnvironmentSpec[] = [
  STRINGS,
  BANDIT,
  RECALL,
  LOOKUP,
  LIBRARY,
  CALCULATOR,
  KEY_DOOR,
  FORM,
  DIALOGUE,
  DIARY,
  OPINION,
];

/** The environment with this name. @throws WaggleError `INVALID_ARGUMENT` with the list of names. */
export function environmentNamed(name: string): EnvironmentSpec {
  return known(
    name,
    ENVIRONMENTS.find((one) => one.name === name),
  );
}

/**
 * The environment whose tasks have this name; `undefined` if there is none.
 *
 * @param others - environments of the user, besides the built-in ones.
 */
export function findEnvironment(
  name: string,
  others: readonly EnvironmentSpec[] = [],
): EnvironmentSpec | undefined {
  return [...ENVIRONMENTS, ...others].find((spec) =>
    (spec.environments ?? [spec.name]).includes(name),
  );
}

/**
 * The environment of a task of any level.
 *
 * @param others - environments of the user, besides the built-in ones.
 * @throws WaggleError `INVALID_ARGUMENT`, as `environmentNamed`.
 */
export function environmentOf(
  { environment }: TaskReference,
  others: readonly EnvironmentSpec[] = [],
): EnvironmentSpec {
  return known(environment, findEnvironment(environment, others));
}

function known(name: string, spec: EnvironmentSpec | undefined): EnvironmentSpec {
  if (spec !== undefined) return spec;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `unknown environment "${name.slice(0, 64)}"; choose one of ${ENVIRONMENTS.map((one) => one.name).join(", ")}`,
  );
}
