/** What a page has collected, and what sends it. */
import { createOutbox, createUploader } from "@waggle/collector";
import type { ConsentStore, EdgeSession, Outbox, Uploader } from "@waggle/collector";

export type Collecting = {
  readonly outbox: Outbox;
  readonly uploader: Uploader;
  /** Ends what is under way first. */
  readonly close: () => void;
};

/** Opens the outbox of this name; nothing is sent until the uploader is started. */
export async function openCollecting(
  name: string,
  parts: { readonly session: EdgeSession; readonly consent: ConsentStore },
): Promise<Collecting> {
  const outbox = await createOutbox({ name });
  const uploader = createUploader({ outbox, ...parts });
  return { outbox, uploader, close: () => void uploader.stop().then(() => outbox.close()) };
}
