/** All mutants of parts, composition and updates. */
import { CREDIT_MUTANTS } from "./credit-mutants.ts";
import { LOSS_MUTANTS } from "./loss-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { POLICY_LOSS_MUTANTS } from "./policy-loss-mutants.ts";
import { REWARD_MUTANTS } from "./reward-mutants.ts";
import { UPDATE_MUTANTS } from "./update-mutants.ts";

export const MUTANTS: readonly Mutant[] = [
  ...POLICY_LOSS_MUTANTS,
  ...LOSS_MUTANTS,
  ...CREDIT_MUTANTS,
  ...REWARD_MUTANTS,
  ...UPDATE_MUTANTS,
];
