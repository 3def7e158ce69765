/** What a page keeps of its visitor. */
import type { ConsentStore, EdgeSession, KeyValueStorage } from "@waggle/collector";

/** The visitor of this page: storages, consent and session. */
export type Visitor = {
  readonly storage: KeyValueStorage;
  /** Storage of this tab, which ends with it. */
  readonly tabStorage: KeyValueStorage;
  readonly consent: ConsentStore;
  readonly session: EdgeSession;
};
