/** Feedback and outcomes of this page: finds the trajectory that they are about, and hands them to the outbox. */
import { isFeedbackOrOutcome } from "@waggle/collector";
import type { ConsentStore } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { Consent, Feedback, Outcome } from "@waggle/protocol";
import type { FeedbackOutcome } from "../agent.ts";
import type { Collecting } from "../collecting.ts";
import type { ShownConversation } from "../shown-conversation.ts";

/** A trajectory of this page. `isShared`: the visitor had agreed when its request began, so the site gets it. */
type PageTrajectory = { readonly id: string; readonly isShared: boolean };

/** Sends what a page says about its trajectories. Nothing is sent without consent. */
export class FeedbackSender {
  readonly #shown: ShownConversation;
  readonly #consent: ConsentStore;
  readonly #collecting: Collecting;
  #running: PageTrajectory | null = null;

  constructor(shown: ShownConversation, consent: ConsentStore, collecting: Collecting) {
    this.#shown = shown;
    this.#consent = consent;
    this.#collecting = collecting;
  }

  /** A request begins and is shown. @param isOfSite - whether the site's policy answers. @returns the id of its trajectory */
  begin(isOfSite: boolean, consent: Consent | null, request: string): string {
    const id = crypto.randomUUID();
    // A request does not fail because nobody noticed what it says about the answer before it.
    this.#notice(request).catch(() => undefined);
    this.#running = isOfSite ? { id, isShared: consent !== null } : null;
    return id;
  }

  /** The running request has ended, and the conversation shows its answer. */
  end(): void {
    this.#running = null;
  }

  /** The trajectory of the running request, or else of the newest answer that has one. */
  get newest(): PageTrajectory | null {
    return this.#running ?? this.#shown.newestTrajectory();
  }

  async feedback(kind: Feedback["kind"], trajectoryId?: string): Promise<FeedbackOutcome> {
    const id = trajectoryId ?? this.#shown.lastAnswer()?.trajectoryId ?? null;
    if (id === null) return "no-answer";
    const consent = this.#consent.get();
    if (consent !== null && this.#shown.isQueued(id, kind, consent)) return "queued";
    this.#shown.setFeedback(id, kind);
    // Without consent the site has no trajectory to attach the feedback to.
    if (consent !== null) await this.#queue(kind, id);
    const outcome = consent === null ? "not-shared" : "queued";
    this.#shown.setFeedback(id, kind, outcome);
    return outcome;
  }

  /** Sends what a message says about the answer before it, if that is clear. */
  async #notice(next: string): Promise<void> {
    const previous = this.#shown.previous();
    if (previous === null) return;
    const { nextFeedback } = await import("./next-feedback.ts");
    const given = nextFeedback(previous, next, this.#consent.get());
    if (given !== null) await this.#queue(given.kind, given.trajectoryId);
  }

  async #queue(kind: Feedback["kind"], trajectoryId: string): Promise<void> {
    const { outbox } = await this.#collecting.open();
    const at = new Date().toISOString();
    await outbox.enqueueFeedback({ id: crypto.randomUUID(), trajectoryId, kind, at });
  }

  async outcome(metric: string, value: Outcome["value"]): Promise<FeedbackOutcome> {
    const { newest } = this;
    const outcome: Outcome = {
      id: crypto.randomUUID(),
      trajectoryId: newest?.id ?? crypto.randomUUID(),
      metric,
      value,
      at: new Date().toISOString(),
    };
    if (!isFeedbackOrOutcome(outcome)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "an outcome has the name of a metric of the site, and true, false or a finite number; see the metrics of the site",
      );
    }
    if (newest === null) return "no-answer";
    if (!newest.isShared || this.#consent.get() === null) return "not-shared";
    const { outbox } = await this.#collecting.open();
    await outbox.enqueueFeedback(outcome);
    return "queued";
  }
}
