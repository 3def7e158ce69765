/** Opens the outbox of a page when it is first needed. A page without consent does not load the code for it. */
import type { ConsentStore } from "@waggle/collector";
import type { Consent } from "@waggle/protocol";
import type { Collected, CollectingParts, openCollecting } from "./open-collecting.ts";

type LoadCode = () => Promise<{ readonly openCollecting: typeof openCollecting }>;

/** The outbox of this page, which is opened once. */
export class Collecting {
  readonly #name: string;
  readonly #parts: CollectingParts;
  readonly #loadCode: LoadCode;
  #opening: Promise<Collected> | null = null;
  #opened: Collected | null = null;
  #isClosed = false;
  #mustDiscard = false;

  constructor(
    name: string,
    parts: CollectingParts,
    loadCode: LoadCode = () => import("./open-collecting.ts"),
  ) {
    this.#name = name;
    this.#parts = parts;
    this.#loadCode = loadCode;
  }

  /** Opens the outbox if the visitor agreed, or if the edge has not confirmed a withdrawal. */
  openIfDue(): void {
    const { consent } = this.#parts;
    if (consent.get() === null && !consent.isWithdrawing) return;
    this.open().catch(() => undefined);
  }

  /** Opens the outbox after the visitor agreed. After a withdrawal, removes what was not sent and stops practice. */
  followConsent(): void {
    if (this.#parts.consent.get() !== null) return this.openIfDue();
    this.#opened?.simulation.stop();
    this.discardWaiting().catch(() => undefined);
  }

  /** Opens the outbox and starts the uploader. After a failure the next call tries again. */
  open(): Promise<Collected> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /** Removes what was not sent. If the outbox cannot be opened now, this happens before it is used. */
  async discardWaiting(): Promise<void> {
    this.#mustDiscard = true;
    const { outbox } = await this.open();
    await outbox.discardWaiting();
    this.#mustDiscard = false;
  }

  /** Loads the code while the page is online. Nothing is opened. */
  preload(): void {
    this.#loadCode().catch(() => undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#opened?.close();
  }

  async #open(): Promise<Collected> {
    const code = await this.#loadCode();
    const opened = await code.openCollecting(this.#name, this.#parts);
    if (this.#mustDiscard) await opened.outbox.discardWaiting();
    this.#opened = opened;
    if (this.#isClosed) opened.close();
    else opened.uploader.start();
    return opened;
  }
}

/** The consent in force; without one, a placeholder for a trajectory that is never kept. */
export function consentOrNone(store: ConsentStore): Consent {
  const { currentVersion: version } = store;
  return store.get() ?? { version, scopes: [], grantedAt: new Date().toISOString() };
}
