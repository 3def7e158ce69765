/** The voices of people who are undecided, correct themselves, check, and refuse. */
import type { SomeWordings } from "../../plain.ts";
import { UNDECIDED_CHECKS } from "./checks.ts";
import { UNDECIDED_COUNTS } from "./counts.ts";
import { UNDECIDED_DOUBTS } from "./doubts.ts";
import { UNDECIDED_KEEPING } from "./kept.ts";
import { UNDECIDED_LISTS } from "./lists.ts";
import { OWN_CATEGORIES } from "./own-categories.ts";
import { OWN_NUMBERS } from "./own-numbers.ts";

/** The order decides which patterns are held out, so a new file goes to the end. */
export const UNDECIDED: readonly SomeWordings[] = [
  OWN_NUMBERS,
  OWN_CATEGORIES,
  UNDECIDED_LISTS,
  UNDECIDED_COUNTS,
  UNDECIDED_CHECKS,
  UNDECIDED_KEEPING,
  UNDECIDED_DOUBTS,
];
