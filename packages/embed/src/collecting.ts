/** The outbox of a page and its uploader. */
import { createOutbox, createUploader } from "@waggle/collector";
import type {
  ConsentStore,
  EdgeSession,
  KeyValueStorage,
  Outbox,
  Uploader,
} from "@waggle/collector";

/** The visitor of this page: storages, consent and session. */
export type Visitor = {
  readonly storage: KeyValueStorage;
  /** Storage of this tab, which ends with it. */
  readonly tabStorage: KeyValueStorage;
  readonly consent: ConsentStore;
  readonly session: EdgeSession;
};

/** The open outbox and its uploader. */
export type Collecting = {
  readonly outbox: Outbox;
  readonly uploader: Uploader;
  /** Stops the uploader, then closes the outbox. */
  readonly close: () => void;
};

/** Opens the outbox with this name. Nothing is sent until the uploader is started. */
export async function openCollecting(
  name: string,
  parts: Pick<Visitor, "session" | "consent">,
): Promise<Collecting> {
  // Finishes a deletion that the edge did not confirm in an earlier visit. Offline, the next visit tries again.
  parts.session.finishDeletion().catch(() => undefined);
  const outbox = await createOutbox({ name });
  const uploader = createUploader({ outbox, ...parts });
  return { outbox, uploader, close: () => void uploader.stop().then(() => outbox.close()) };
}
