/** The families of tasks to learn in, by name. */
import { BANDIT } from "./bandit.ts";
import { CALCULATOR } from "./calculator.ts";
import { DIALOGUE } from "./dialogue.ts";
import { FORM } from "./form.ts";
import { KEY_DOOR } from "./key-door.ts";
import { LOOKUP } from "./lookup/lookup.ts";
import { SHOP } from "./shop-family.ts";
import { STRINGS } from "./strings.ts";
import type { TaskFamily } from "./task-family.ts";

export const FAMILIES: readonly TaskFamily[] = [
  SHOP,
  STRINGS,
  BANDIT,
  LOOKUP,
  CALCULATOR,
  KEY_DOOR,
  FORM,
  DIALOGUE,
];
