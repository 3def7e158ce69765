/**
 * Rolls out the site's policy on one task that the edge assigned. Nothing is redacted: the texts of a practice
 * environment are the site's own, made from a seed, and the trainer's replay must see the same ones.
 */
import { guidedEnvironment, rollOut } from "@waggle/agent";
import { FULL_SUPPORT, spanSeed } from "@waggle/protocol";
import type {
  AssignmentResponse,
  Consent,
  Environment,
  Policy,
  Trajectory,
} from "@waggle/protocol";
import type { PolicyHost } from "./agent-host.ts";
import { requestLimits } from "./agent-options.ts";
import type { AgentOptions } from "./agent-options.ts";

/** The assigned task and what its rollout needs. */
export type TaskRollOut = {
  readonly environment: Environment;
  readonly assignment: Pick<AssignmentResponse, "assignmentId" | "samplingSeed">;
  readonly signal: AbortSignal;
  readonly options: Pick<AgentOptions, "limits" | "sampling" | "constrainToolCalls">;
  readonly consent: Consent;
  /** Seed of the page, for an edge that gives none. */
  readonly seed: number;
};

/** Returns the trajectory. @param site - with the policy that works on the task */
export function rollOutTask(
  site: Pick<PolicyHost, "chatFormat" | "client" | "guide"> & { readonly policy: Policy },
  task: TaskRollOut,
): Promise<Trajectory> {
  const { policy, chatFormat, client } = site;
  const { signal, consent, options } = task;
  const { assignmentId, samplingSeed } = task.assignment;
  return rollOut({
    policy,
    chatFormat,
    client,
    assignmentId,
    signal,
    consent,
    environment: (version) =>
      guidedEnvironment(task.environment, site.guide(version, assignmentId)),
    // What practice records must not depend on what visitors see. Training teaches not to repeat a turn.
    limits: { ...requestLimits(options, policy), maxRepeatedTurns: Infinity },
    sampling: options.sampling ?? FULL_SUPPORT,
    constrainToolCalls: options.constrainToolCalls ?? true,
    seed: samplingSeed ?? spanSeed(task.seed, 0),
    isEdgeSeed: samplingSeed !== undefined,
  });
}
