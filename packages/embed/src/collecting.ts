/** Opens the outbox of a page when it is first needed. A page without consent does not load the code for it. */
import type { Collected, CollectingParts } from "./open-collecting.ts";

const loadCode = () => import("./open-collecting.ts");

/** The outbox of this page, which is opened once. */
export class Collecting {
  readonly #name: string;
  readonly #parts: CollectingParts;
  #opening: Promise<Collected> | null = null;
  #opened: Collected | null = null;
  #isClosed = false;

  constructor(name: string, parts: CollectingParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** The outbox if it is open. */
  get opened(): Collected | null {
    return this.#opened;
  }

  /** Opens the outbox and starts the uploader. After a failure the next call tries again. */
  open(): Promise<Collected> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /** Loads the code while the page is online. Nothing is opened. */
  preload(): void {
    loadCode().catch(() => undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#opened?.close();
  }

  async #open(): Promise<Collected> {
    const { openCollecting } = await loadCode();
    const opened = await openCollecting(this.#name, this.#parts);
    this.#opened = opened;
    if (this.#isClosed) opened.close();
    else opened.uploader.start();
    return opened;
  }
}
