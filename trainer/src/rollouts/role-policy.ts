/** Assigns turns to roles by the strategy, by a rule, or by the tool named in the current call. */
import { type CallDivider, rolePolicy } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import type { TurnPlace } from "@waggle/learning";
import type { TaskReference, ToolResult } from "@waggle/protocol";
import type { ActingPolicy } from "./environment-rollout.ts";

/** The adapters of the roles in a rollout. */
export type ActingRoles = {
  /** Adapters by role; other roles use the policy's own version. */
  readonly adapters: ReadonlyMap<string, string>;
  /** The role that takes a turn; absent = the role that the strategy asks for. */
  readonly roleOf?: ((place: TurnPlace) => string) | undefined;
  /** Splits a call between two roles; replaces `roleOf`. */
  readonly divider?: CallDivider | undefined;
  /** The role that rolls out held-out tasks; absent = the policy. */
  readonly deploys?: string | undefined;
};

/** Options of a rollout with several roles. */
type RoleRollout = { readonly policy: ActingPolicy; readonly spec: EnvironmentSpec };

/** @param role role of the rollout, if no rule assigns the turns */
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
  return {
    policy: rolePolicy(policy, { adapterOf, speaker, divider }),
    spec: {
      ...spec,
      create: (reference) => {
        const instance = spec.create(reference);
        return {
          ...instance,
          environment: {
            task: instance.environment.task,
            observe: () => instance.environment.observe(),
            async step(action, signal) {
              const observation = await instance.environment.step(action, signal);
              turn += 1;
              results = observation.toolResults;
              return observation;
            },
          },
        };
      },
    },
  };
}
