/**
 * Tries what a server of an unknown kind can do, with passes whose weights are zero. They add nothing to the
 * gradients, so the model can be trained afterwards.
 */
import { WaggleError } from "@waggle/protocol";
import { missingOnServer } from "./missing-on-server.ts";
import type { TinkerClient } from "./tinker-client.ts";
import { toForwardData } from "./wire-batch.ts";

/** Ids that every vocabulary has. */
const SEQUENCE = { tokenIds: [1, 2, 3] };

/**
 * Makes the client use what the server has.
 * @throws WaggleError `CAPABILITY_MISSING` if it cannot train at all.
 */
export async function requireCapabilities(client: TinkerClient): Promise<void> {
  const data = toForwardData({ sequences: [SEQUENCE] }).map(({ datum }) => datum);
  try {
    client.use({
      knowsRepeats: await client.repeatsPass(data),
      hasForward: await client.hasForward(data),
    });
  } catch (error) {
    if (!WaggleError.is(error, "UNSUPPORTED_MEDIA_TYPE")) throw error;
    throw missingOnServer(
      "the server reads passes as protobuf only, but this engine sends JSON; use a server that reads both",
    );
  }
}
