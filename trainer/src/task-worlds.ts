/** Environments by name, with the verifier that belongs to each. */
import { createShopEnvironment, SHOP_ENVIRONMENT, verifyShop } from "@waggle/environments";
import type { Environment, TaskReference, Verification } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** One attempt's environment and the judgement of what it came to. */
export type TaskWorld = {
  readonly environment: Environment;
  /**
   * Judges the environment as it stands.
   *
   * @param finalText - text of the last turn, `null` where the attempt was cut before it answered.
   */
  readonly verify: (finalText: string | null) => Verification;
};

export type CreateTaskWorld = (reference: TaskReference) => TaskWorld;

/** @throws WaggleError `INVALID_ARGUMENT` for an environment that does not exist. */
export function createTaskWorld(reference: TaskReference): TaskWorld {
  if (reference.environment !== SHOP_ENVIRONMENT) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an environment must be ${SHOP_ENVIRONMENT}, got ${reference.environment.slice(0, 64)}; assign known tasks`,
    );
  }
  const environment = createShopEnvironment(reference);
  return {
    environment,
    verify: (finalText) => verifyShop(reference, { finalText, state: environment.shop.state }),
  };
}
