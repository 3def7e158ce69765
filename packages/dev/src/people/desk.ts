/**
 * A desk with a device that one visitor after another uses. A visitor has a few wishes, one after the other; each is a person
 * of `drawPerson`. Counts go on from one visitor to the next.
 */
import type { PageStatus } from "@waggle/embed/practice";
import { drawPerson, type LivePeople } from "./person.ts";
import { type Reaction, visit, type VisitParts } from "./visit.ts";
import type { VisitorPage } from "./visitor-page.ts";
import { NO_PEOPLE, type PeopleProgress, type VisitorStatus } from "./visitor-status.ts";

/** A release counts at most ten requests of a visitor, and needs twenty visitors of each version. */
const WISHES = 8;
/** The desk closes after this many failures in a row. */
const MAX_FAULTS = 3;

/** Options of a `Desk`. */
export type DeskOptions = Omit<VisitParts, "page" | "onRequest" | "signal"> & {
  readonly people: LivePeople;
  /** Opens the page on the desk's device, for its first visitor. */
  readonly open: () => Promise<VisitorPage>;
};

/** One desk. */
export class Desk {
  readonly reactions: Reaction[] = [];
  readonly #options: DeskOptions;
  #page: VisitorPage | null = null;
  #last: PageStatus | null = null;
  #sent = 0;
  #versions: PageStatus["versions"] = [];
  #errors: readonly string[] = [];
  #people: PeopleProgress = NO_PEOPLE;
  #isStopped = false;
  #isRunning = true;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Lets people come until it is stopped. The last visitor's page stays open. */
  async run(): Promise<void> {
    let faults = 0;
    for (let index = 0; !this.#isStopped && faults < MAX_FAULTS; index += 1) {
      try {
        if (this.#page === null || index % WISHES === 0) await this.#sitDown();
        await this.#serve(index);
        faults = 0;
      } catch (error) {
        faults += 1;
        this.#people = { ...this.#people, failed: this.#people.failed + 1 };
        if (faults === MAX_FAULTS) this.#errors = [String(error)];
      }
    }
    await this.#page?.sent().catch(() => undefined);
    this.#isRunning = false;
  }

  /** Ends after the current person. */
  stop(): void {
    this.#isStopped = true;
  }

  /** `null` before the first page is open. */
  async status(): Promise<VisitorStatus | null> {
    // The page of a visitor who is leaving does not answer.
    const now = (await this.#page?.status().catch(() => null)) ?? null;
    const shown = now ?? this.#last;
    if (shown === null) return null;
    const { sent, ...outbox } = now?.outbox ?? { ...shown.outbox, sent: 0 };
    return {
      ...shown,
      outbox: { ...outbox, sent: this.#sent + sent },
      versions: [...this.#versions, ...(now?.versions ?? [])],
      errors: [...this.#errors, ...shown.errors],
      simulating: this.#isRunning,
      people: this.#people,
    };
  }

  /** Makes the open page look for a newer policy. */
  async refresh(): Promise<void> {
    await this.#page?.refresh();
  }

  /** A new visitor takes the place of the last one, whose page has sent everything. */
  async #sitDown(): Promise<void> {
    const page = this.#page;
    if (page === null) {
      this.#page = await this.#options.open();
      return;
    }
    await page.sent();
    const last = await page.status();
    this.#page = null;
    this.#last = last;
    this.#sent += last.outbox.sent;
    this.#versions = [...this.#versions, ...last.versions];
    await page.reopen();
    this.#page = page;
  }

  async #serve(index: number): Promise<void> {
    const { people, backend, spec } = this.#options;
    const page = this.#page;
    if (page === null) throw new Error("there is no page");
    const onRequest = (): void => {
      this.#people = { ...this.#people, requests: this.#people.requests + 1 };
    };
    const parts = { page, backend, spec, signal: people.signal, onRequest };
    const reaction = await visit(parts, drawPerson(people, index));
    if (reaction === null) return;
    this.reactions.push(reaction);
    const { answered, [reaction.verdict]: same } = this.#people;
    this.#people = { ...this.#people, answered: answered + 1, [reaction.verdict]: same + 1 };
  }
}
