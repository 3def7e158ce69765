/** Every mutant of parts, composition and updates. */
import { CREDIT_MUTANTS } from "./credit-mutants.ts";
import { LOSS_MUTANTS } from "./loss-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { UPDATE_MUTANTS } from "./update-mutants.ts";

export const MUTANTS: readonly Mutant[] = [...LOSS_MUTANTS, ...CREDIT_MUTANTS, ...UPDATE_MUTANTS];
