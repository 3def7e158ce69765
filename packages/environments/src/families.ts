/** The families of tasks to learn in, by name. */
import { LOOKUP } from "./lookup/lookup.ts";
import type { TaskFamily } from "./task-family.ts";

export const FAMILIES: readonly TaskFamily[] = [LOOKUP];
