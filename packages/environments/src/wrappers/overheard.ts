/** Reports what an environment answers. The environment itself is unchanged. */
import type { Observation } from "@waggle/protocol";
import { type EnvironmentWrapper, within } from "./wrapped-environment.ts";

/** Calls `hear` with the observation after each turn, before the policy gets it. */
export function overheard(hear: (observation: Observation) => void): EnvironmentWrapper {
  return (instance) =>
    within(instance, {
      async step(action, signal) {
        const observation = await instance.environment.step(action, signal);
        hear(observation);
        return observation;
      },
    });
}
