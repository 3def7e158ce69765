/** "Forget me": deletes at the edge first and then on this device, sending nothing in between. */
import type { DeletionResponse } from "@waggle/protocol";
import type { ConsentReceipts } from "./consent-receipts.ts";
import type { ConsentStore } from "./consent-store.ts";
import type { EdgeSession } from "./edge-session.ts";
import type { Outbox } from "./outbox-contract.ts";
import type { Uploader } from "./uploader.ts";

/** The parts of the page that hold the visitor's data. */
export type ForgetOptions = {
  readonly session: EdgeSession;
  readonly outbox: Outbox;
  readonly consent: ConsentStore;
  readonly uploader: Uploader;
  readonly receipts: Pick<ConsentReceipts, "clear">;
};

/**
 * Deletes this visitor's data at the edge and on this device. If the edge cannot be reached, consent is
 * withdrawn, unsent data is deleted, and the deletion at the edge is retried at the next visit.
 * @returns what the edge deleted. @throws WaggleError of the edge, or `NETWORK`, retryable.
 */
export async function forgetVisitor(options: ForgetOptions): Promise<DeletionResponse> {
  const { session, outbox, consent, uploader, receipts } = options;
  // First, so that the next visit finishes the deletion if the page is closed now.
  session.requestDeletion();
  // The edge deletes the visitor's consents, so no withdrawal is sent.
  receipts.clear();
  consent.withdraw();
  // A running upload must end first, or it would arrive after the deletion.
  await uploader.stop();
  await outbox.discardWaiting();
  const deleted = await session.finishDeletion();
  await outbox.clear();
  session.clear();
  consent.clear();
  return deleted;
}
