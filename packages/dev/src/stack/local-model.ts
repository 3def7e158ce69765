/** Publishes the model of a local installation that runs without a trainer. */
import { DEFAULT_SITE, WaggleError } from "@waggle/protocol";
import { publishBase } from "@waggle/trainer";
import type { Installation } from "./installation.ts";

/**
 * Publishes the model at the installation's edge as version 0, which a trainer does when it starts.
 *
 * @throws WaggleError `CONFLICT` if the installation has learned with another base model.
 */
export async function publishLocalModel(
  { folder, trainerCredential, publisher }: Installation,
  { edgeUrl, model, signal }: { edgeUrl: string; model: string; signal: AbortSignal },
): Promise<void> {
  try {
    await publishBase(model, {
      baseUrl: edgeUrl,
      credential: trainerCredential,
      ...(publisher && {
        publisher: { privateKey: publisher.privateKey, site: DEFAULT_SITE },
      }),
      signal,
    });
  } catch (error) {
    if (!WaggleError.is(error, "CONFLICT")) throw error;
    throw new WaggleError(
      "CONFLICT",
      `${folder} has another base model than ${model}, with trajectories or later versions; run with another --state folder, or with the earlier model`,
      { cause: error },
    );
  }
}
