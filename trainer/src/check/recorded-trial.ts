/** One trial of a policy at a recorded request. Nothing of the visitor's page runs again; the record answers calls. */
import { rollOut } from "@waggle/agent";
import type { Sampling, ToolDefinition, Trajectory } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat, RenderedSegment } from "@waggle/text";
import { recordedAnswers } from "./recorded-answers.ts";

/** What a trial is run with. */
export type TrialOptions = {
  readonly policy: AdaptivePolicy;
  readonly format: ChatFormat;
  /** The tools of the site's pages; empty if they are unknown. */
  readonly tools: readonly ToolDefinition[];
  /** Names of tools that change nothing. */
  readonly readOnlyTools: ReadonlySet<string>;
  readonly sampling: Omit<Sampling, "seed">;
  readonly constrainToolCalls: boolean;
  readonly limits: { readonly maxTurns: number; readonly maxTokensPerTurn: number };
};

/** What the policy did. */
export type RecordedTrial = {
  readonly record: Trajectory;
  /** Whether it made a call that the record does not answer. It then ended there. */
  readonly hasLeft: boolean;
};

/** The recorded tokens before the first sampled turn; `null` if nothing was sampled. */
export function promptOf({
  segments,
}: Pick<Trajectory, "segments">): readonly RenderedSegment[] | null {
  const first = segments.findIndex(({ kind }) => kind === "sampled");
  if (first < 1) return null;
  return segments
    .slice(0, first)
    .flatMap((segment) => (segment.kind === "given" ? [segment] : []))
    .map(({ role, tokenIds }) => ({ role, tokenIds }));
}

/** Lets the policy's current version answer a request. @param given - the request's `promptOf` */
export async function trialAt(
  trajectory: Trajectory,
  given: readonly RenderedSegment[],
  seed: number,
  options: TrialOptions,
  signal?: AbortSignal,
): Promise<RecordedTrial> {
  const { policy, format, tools, readOnlyTools, sampling, constrainToolCalls, limits } = options;
  const { environment, hasEnded } = recordedAnswers(trajectory, tools, readOnlyTools);
  const record = await rollOut({
    policy,
    environment,
    // The recorded tokens are what the policy reads; nothing is tokenized again.
    chatFormat: { ...format, start: () => [...given] },
    sampling,
    constrainToolCalls: constrainToolCalls && tools.length > 0,
    limits: { ...limits, timeoutMs: 0 },
    consent: trajectory.consent,
    client: policy.client,
    seed,
    ...(signal !== undefined && { signal }),
  });
  return { record, hasLeft: hasEnded() };
}
