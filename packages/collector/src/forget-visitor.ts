/** "Forget me": the edge first, then this device; nothing is sent in between. */
import type { DeletionResponse } from "@waggle/protocol";
import type { ConsentStore } from "./consent-store.ts";
import type { EdgeSession } from "./edge-session.ts";
import type { Outbox } from "./outbox-contract.ts";
import type { Uploader } from "./uploader.ts";

export type ForgetOptions = {
  readonly session: EdgeSession;
  readonly outbox: Outbox;
  readonly consent: ConsentStore;
  readonly uploader: Uploader;
};

/**
 * Deletes this visitor at the edge and on this device. Where the edge cannot be reached the consent is
 * withdrawn and unsent data is gone, and the deletion stays noted: the next visit tries it again.
 * @returns what the edge deleted. @throws WaggleError of the edge or `NETWORK`, retryable.
 */
export async function forgetVisitor(options: ForgetOptions): Promise<DeletionResponse> {
  const { session, outbox, consent, uploader } = options;
  // Noted first: a page that is closed meanwhile leaves the deletion to the next visit.
  session.requestDeletion();
  consent.withdraw();
  // An upload under way must end first, or it would arrive after the deletion.
  await uploader.stop();
  await outbox.discardWaiting();
  const deleted = await session.finishDeletion();
  await outbox.clear();
  session.clear();
  consent.clear();
  return deleted;
}
