/** Assigns the turns of a rollout to roles: by a rule, by the tool named in the current call, or all to one role. */
import { type EnvironmentSpec, overheard } from "@waggle/environments";
import type { TurnPlace } from "@waggle/learning";
import type { TaskReference, ToolResult } from "@waggle/protocol";
import type { CallDivider } from "../call-divider.ts";
import { rolePolicy } from "../role-policy.ts";
import type { ActingPolicy } from "./environment-rollout.ts";

/** The adapters of the roles in a rollout. */
export type ActingRoles = {
  /** Adapters by role; other roles use the policy's own version. */
  readonly adapters: ReadonlyMap<string, string>;
  /** The role that takes a turn; absent = the role of the rollout. */
  readonly roleOf?: ((place: TurnPlace) => string) | undefined;
  /** Splits a call between two roles; replaces `roleOf`. */
  readonly divider?: CallDivider | undefined;
  /** The role that rolls out held-out tasks; absent = the policy. */
  readonly deploys?: string | undefined;
};

/** The policy and the environment of a rollout with several roles. */
type RoleRollout = { readonly policy: ActingPolicy; readonly spec: EnvironmentSpec };

/**
 * Prepares a rollout. The policy switches roles as the environment reports the turns.
 *
 * @param role - role of the rollout, if no rule assigns the turns
 */
export function roleRollout(
  { adapters, roleOf, divider }: ActingRoles,
  policy: ActingPolicy,
  spec: EnvironmentSpec,
  task: TaskReference,
  role: string,
): RoleRollout {
  let turn = 0;
  let results: readonly ToolResult[] = [];
  const adapterOf = (speaker: string): string | null => adapters.get(speaker) ?? null;
  const speaker = (): string => divider?.names ?? roleOf?.({ task, turn, results }) ?? role;
  const around = overheard(({ toolResults }) => {
    turn += 1;
    results = toolResults;
  });
  return {
    policy: rolePolicy(policy, { adapterOf, speaker, divider }),
    spec: { ...spec, create: (reference) => around(spec.create(reference)) },
  };
}
