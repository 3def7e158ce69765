/** What a page has collected, and what sends it. */
import { createOutbox, createUploader } from "@waggle/collector";
import type {
  ConsentStore,
  EdgeSession,
  KeyValueStorage,
  Outbox,
  Uploader,
} from "@waggle/collector";

/** What stands for the visitor in this page. */
export type Visitor = {
  readonly storage: KeyValueStorage;
  readonly consent: ConsentStore;
  readonly session: EdgeSession;
};

export type Collecting = {
  readonly outbox: Outbox;
  readonly uploader: Uploader;
  /** Ends what is under way first. */
  readonly close: () => void;
};

/** Opens the outbox of this name; nothing is sent until the uploader is started. */
export async function openCollecting(
  name: string,
  parts: Pick<Visitor, "session" | "consent">,
): Promise<Collecting> {
  // A deletion of an earlier visit that the edge did not confirm. Offline it waits for the next visit.
  parts.session.finishDeletion().catch(() => undefined);
  const outbox = await createOutbox({ name });
  const uploader = createUploader({ outbox, ...parts });
  return { outbox, uploader, close: () => void uploader.stop().then(() => outbox.close()) };
}
