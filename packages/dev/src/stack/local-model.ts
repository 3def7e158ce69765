/** Publishes the model of a local installation. */
import { DEFAULT_SITE, WaggleError } from "@waggle/protocol";
import { publishBase } from "@waggle/trainer";
import type { Installation } from "./installation.ts";

/**
 * Publishes the model at the installation's edge as version 0. A trainer that starts later finds it there.
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
      `${folder} has trajectories or later versions of another base model than ${model}. A base is made again if tasks, tools or base settings change. Run with another --state folder, or delete this one with all that was collected and learned in it`,
      { cause: error },
    );
  }
}
