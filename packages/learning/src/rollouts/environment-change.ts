/**
 * What a rollout changes of the environment that it meets. The trainer puts it around the environment's own
 * environment; the policy sees the changed one, and the environment's verifier still judges what was really done.
 */
import type { EnvironmentRanges } from "./env-random.ts";

/** Begins the message of a result whose call a contract refused. */
export const REFUSED = "refused";

export type EnvironmentChange =
  /** A failed call is answered with what the tool would have taken. */
  | { readonly kind: "explained" }
  /** No tool is offered, and a call that comes all the same is answered with a failure. */
  | { readonly kind: "toolless" }
  /** As it is; refused where the environment has no documents to search. */
  | { readonly kind: "searched" }
  /** Budgets of calls and chances of faults, drawn once a task and said at the beginning. */
  | { readonly kind: "drawn"; readonly ranges: EnvironmentRanges }
  /**
   * Tool results are what a model says they would be, never what the tool returned.
   * The tool still runs where nobody sees it, so that the verifier can follow.
   */
  | {
      readonly kind: "simulated";
      /** The policy itself, or a model that was fitted to logged calls. */
      readonly by: "policy" | "world-model";
      /** Of calls that the model answers, in [0, 1]; the tool answers the others. */
      readonly share: number;
      /** Whether the model also says how the rollout ended; recorded as part `verdict` of the judgement. */
      readonly judges: boolean;
    }
  /**
   * A contract on calls: known tools, arguments as their schemas want them, at most `mostCalls`. What
   * breaks it is refused and reaches no tool; the second refusal ends the rollout.
   */
  | { readonly kind: "contract"; readonly mostCalls: number }
  /** Up to `most` rollouts at one task in one context; the last one counts. */
  | { readonly kind: "trials"; readonly most: number; readonly stopsAtSuccess: boolean };
