/** A world model whose answers tests can tell from real ones. */
import type { WorldModel } from "@waggle/environments";
import type { WorldModels } from "../rollouts/changed-environment.ts";

/** The simulated environment's answer to every call. */
export const IMAGINED_RESULT = "imagined";

/**
 * No tool of any environment gives this result, so tests can tell simulated results from real ones.
 */
const imaginedEnvironment: WorldModel = async () => ({
  answer: async ({ id }) => ({ callId: id, ok: true, value: IMAGINED_RESULT }),
  hear: () => {},
  verdict: async (text) => text.length % 2 === 0,
  dispose: () => {},
});
/** The world models of a run. */
export const IMAGINED: WorldModels = {
  policy: imaginedEnvironment,
  "world-model": imaginedEnvironment,
};
