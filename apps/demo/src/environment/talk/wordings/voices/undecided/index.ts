/** The voices of people who are undecided, correct themselves, check, and refuse. */
import type { SomeWordings } from "../../plain.ts";
import { OWN_CATEGORIES } from "./own-categories.ts";
import { OWN_NUMBERS } from "./own-numbers.ts";

/** The order decides which patterns are held out, so a new file goes to the end. */
export const UNDECIDED: readonly SomeWordings[] = [OWN_NUMBERS, OWN_CATEGORIES];
