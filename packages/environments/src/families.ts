/** The families of tasks to learn in, by name. */
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
import { SHOP } from "./shop-family.ts";
import { STRINGS } from "./strings.ts";
import type { TaskFamily } from "./task-family.ts";

export const FAMILIES: readonly TaskFamily[] = [
  SHOP,
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

/** @throws WaggleError `INVALID_ARGUMENT` listing the families that there are. */
export function familyNamed(name: string): TaskFamily {
  return known(
    name,
    FAMILIES.find((one) => one.name === name),
  );
}

/** The family of a task, whatever its level. @throws WaggleError `INVALID_ARGUMENT` as `familyNamed`. */
export function familyOf({ environment }: TaskReference): TaskFamily {
  return known(
    environment,
    FAMILIES.find(({ name, environments = [name] }) => environments.includes(environment)),
  );
}

function known(name: string, family: TaskFamily | undefined): TaskFamily {
  if (family !== undefined) return family;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `an environment must be one of ${FAMILIES.map((one) => one.name).join(", ")}, got ${name.slice(0, 64)}; choose one of these`,
  );
}
