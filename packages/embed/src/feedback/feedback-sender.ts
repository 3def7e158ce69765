/** Feedback and outcomes of this page: finds the trajectory that they are about, and hands them to the outbox. */
import { isFeedbackOrOutcome } from "@waggle/collector";
import type { ConsentStore, LazyRedactor } from "@waggle/collector";
import { consentScopes, FEEDBACK_TEXT_LENGTH, WaggleError } from "@waggle/protocol";
import type { Consent, Feedback, Outcome } from "@waggle/protocol";
import type { Agent, FeedbackOutcome } from "../agent.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { Collecting } from "../collecting.ts";
import type { ShownConversation } from "../shown-conversation.ts";

/** How a page treats texts of its visitor. */
type FeedbackTexts = {
  /** Of the conversation, so that the same value has the same placeholder. */
  readonly redactor: () => Pick<LazyRedactor, "prepare" | "redact">;
  readonly options: Pick<AgentOptions, "consent" | "shareCorrections" | "shareMessages">;
};

/** A trajectory of this page. `isShared`: the visitor had agreed when its request began, so the site gets it. */
type PageTrajectory = { readonly id: string; readonly isShared: boolean };

/** Sends what a page says about its trajectories. Nothing is sent without consent. */
export class FeedbackSender {
  readonly #shown: ShownConversation;
  readonly #consent: ConsentStore;
  readonly #collecting: Collecting;
  readonly #texts: FeedbackTexts;
  #running: PageTrajectory | null = null;

  constructor(
    shown: ShownConversation,
    consent: ConsentStore,
    collecting: Collecting,
    texts: FeedbackTexts,
  ) {
    this.#texts = texts;
    this.#shown = shown;
    this.#consent = consent;
    this.#collecting = collecting;
  }

  /** A request begins and is shown. @param isOfSite - whether the site's policy answers. @returns the id of its trajectory */
  begin(id: string, isOfSite: boolean, consent: Consent | null, request: string): string {
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

  /** @param retryId - of `retry`: the trajectory of the next answer. */
  async feedback(
    kind: Feedback["kind"],
    trajectoryId?: string,
    text?: string,
    retryId?: string,
  ): Promise<FeedbackOutcome> {
    const isFitting = kind === "edit" ? isText(text ?? "") : text === undefined;
    if (!isFitting) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `only edit has a text, of 1 to ${FEEDBACK_TEXT_LENGTH} characters`,
      );
    }
    const id = trajectoryId ?? this.#shown.lastAnswer()?.trajectoryId ?? null;
    if (id === null) return "no-answer";
    const consent = kind === "edit" && !this.#keepsTexts ? null : this.#agreed();
    // An answer can be edited again.
    const isKnown = consent !== null && this.#shown.isQueued(id, kind, consent);
    if (isKnown && kind !== "edit") return "queued";
    this.#shown.setFeedback(id, kind);
    // Without consent the site has no trajectory to attach the feedback to.
    if (consent !== null) await this.#queue(kind, id, text, retryId);
    const outcome = consent === null ? "not-shared" : "queued";
    this.#shown.setFeedback(id, kind, outcome);
    return outcome;
  }

  get #keepsTexts(): boolean {
    return this.#texts.options.consent?.collect !== "statistics";
  }

  /** The consent in force, if it covers feedback. */
  #agreed(): Consent | null {
    // Such a site keeps no trajectory that feedback could be about.
    if (this.#texts.options.consent?.collect === "rewards") return null;
    const consent = this.#consent.get();
    return consent !== null && consentScopes(consent).includes("feedback") ? consent : null;
  }

  /** Sends what a message says about the answer before it, if that is clear, or its text if the page shares messages. */
  async #notice(next: string): Promise<void> {
    const previous = this.#shown.previous();
    if (previous === null) return;
    const { nextFeedback } = await import("./next-feedback.ts");
    const { shareCorrections = false, shareMessages = false } = this.#texts.options;
    const sharesAll = shareMessages && this.#keepsTexts && isText(next);
    const given = nextFeedback(previous, next, this.#agreed(), sharesAll);
    if (given === null) return;
    const isCorrection = given.kind === "next-corrects" || given.kind === "next-contradicts";
    const isShared = sharesAll || (isCorrection && shareCorrections && isText(next));
    const text = isShared ? next : undefined;
    await this.#queue(given.kind, given.trajectoryId, text);
  }

  async #queue(
    kind: Feedback["kind"],
    trajectoryId: string,
    text?: string,
    retryId?: string,
  ): Promise<void> {
    const said = text === undefined ? {} : { text: await this.#redacted(text) };
    const { outbox } = await this.#collecting.open();
    const at = new Date().toISOString();
    const feedback = { id: crypto.randomUUID(), trajectoryId, kind, at, ...said };
    await outbox.enqueueFeedback(retryId === undefined ? feedback : { ...feedback, retryId });
  }

  /** Placeholders can be longer than what they replace. */
  async #redacted(text: string): Promise<string> {
    const redactor = this.#texts.redactor();
    await redactor.prepare(text);
    return redactor.redact(text).slice(0, FEEDBACK_TEXT_LENGTH);
  }

  async outcome(
    metric: string,
    value: Outcome["value"],
    about?: Parameters<Agent["outcome"]>[2],
  ): Promise<FeedbackOutcome> {
    const { newest } = this;
    const subject =
      about !== undefined && "conversation" in about
        ? { conversation: this.#shown.sharedBefore(newest?.id) }
        : about;
    const outcome: Outcome = {
      id: crypto.randomUUID(),
      trajectoryId: newest?.id ?? crypto.randomUUID(),
      metric,
      value,
      at: new Date().toISOString(),
      ...subject,
    };
    if (!isFeedbackOrOutcome(outcome)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "an outcome has the name of a metric of the site, and true, false or a finite number; see the metrics of the site",
      );
    }
    if (newest === null) return "no-answer";
    if (!newest.isShared || this.#agreed() === null) return "not-shared";
    const { outbox } = await this.#collecting.open();
    await outbox.enqueueFeedback(outcome);
    return "queued";
  }
}

/** Whether a text can be sent. */
function isText(text: string): boolean {
  return text !== "" && text.length <= FEEDBACK_TEXT_LENGTH;
}
