/**
 * One judged rollout at a task of a built-in environment or of the user's, run as a page would run it: for evaluation and
 * offline simulation. Uses the same verifier as visitors' rollouts.
 */
import { environmentOf, type EnvironmentSpec } from "@waggle/environments";
import type { Guidance, Sampling, TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { defaultTurnTokens } from "../roll-out.ts";
import { versionGuide } from "../version-guide.ts";
import {
  type ActingPolicy,
  type EnvironmentRollout,
  environmentRollout,
} from "./environment-rollout.ts";

/** What judged rollouts are run with. */
export type JudgedRolloutParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly sampling: Omit<Sampling, "seed">;
  /** Maximum tokens per turn; default: as in a page, which depends on the context length. */
  readonly turnTokens?: number | undefined;
  /** Whether tool calls are sampled under the tools' grammar. Default true, as in a page. */
  readonly constrainToolCalls?: boolean | undefined;
  /** The version's guidance text. */
  readonly guidance?: Guidance | null;
  /** Environments of the user that tasks may name, besides the built-in ones. */
  readonly environments?: readonly EnvironmentSpec[] | undefined;
};

/** Rolls out the task with the policy's current version. */
export function judgedRollout(
  { policy, format, sampling, guidance, turnTokens, environments, ...rest }: JudgedRolloutParts,
  task: TaskReference,
  seed: number,
  signal: AbortSignal,
): Promise<EnvironmentRollout> {
  const maxTurnTokens = turnTokens ?? defaultTurnTokens(policy.contextLength);
  const guide = guidance ? versionGuide(guidance, String(seed)) : undefined;
  const { constrainToolCalls = true } = rest;
  const options = { sampling, seed, maxTurnTokens, guide, constrainToolCalls };
  const spec = environmentOf(task, environments);
  return environmentRollout(policy, format, spec, task, options, signal);
}
