/**
 * Changes of an environment for a rollout. The trainer wraps the environment with them: the policy sees the
 * changed environment, and the verifier judges the original one.
 */
import type { EnvironmentRanges } from "./env-random.ts";

/** Prefix of the error message for a call that a contract refused. */
export const REFUSED = "refused";

/** A change to an environment during training. */
export type EnvironmentChange =
  /** A failed call is answered with the arguments that the tool accepts. */
  | { readonly kind: "explained" }
  /** No tool is offered; a call fails anyway. */
  | { readonly kind: "toolless" }
  /** Unchanged; refused for an environment without documents to search. */
  | { readonly kind: "searched" }
  /** Call budgets and fault probabilities, drawn once per task and stated at the start. */
  | { readonly kind: "drawn"; readonly ranges: EnvironmentRanges }
  /**
   * A model predicts tool results, and the policy sees only these. The real tool still runs in the
   * background for the verifier.
   */
  | {
      readonly kind: "simulated";
      /** The predicting model: the policy itself, or a world model fitted to logged calls. */
      readonly by: "policy" | "world-model";
      /** Share of calls that the model answers, in [0, 1]; the tool answers the others. */
      readonly share: number;
      /** Whether the model also judges the ending; recorded as part `verdict` of the verification. */
      readonly judges: boolean;
    }
  /**
   * A contract on calls: known tools, valid arguments, at most `mostCalls` calls. A call that breaks it is
   * refused and reaches no tool; the second refusal ends the rollout.
   */
  | { readonly kind: "contract"; readonly mostCalls: number }
  /** A failing rollout gets `guidance` once and goes on. */
  | { readonly kind: "retry"; readonly guidance: string }
  /** No tool answers after `after` turns; the next turn ends the rollout. */
  | { readonly kind: "silent"; readonly after: number }
  /** Up to `most` trials of a task in one context; the last one counts. */
  | { readonly kind: "trials"; readonly most: number; readonly stopsAtSuccess: boolean };
