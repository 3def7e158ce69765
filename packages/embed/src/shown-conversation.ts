/** The items of the conversation that the visitor sees, kept for this tab. */
import type { Consent } from "@waggle/protocol";
import type { ConversationItem } from "./agent.ts";
import type { AnswerItem } from "./answer-record.ts";
import type { KeptConversation } from "./kept-conversation.ts";

/** Requests and answers, oldest first. Each change creates a new array. */
export class ShownConversation {
  readonly #kept: KeptConversation;
  readonly #onChange: () => void;
  #items: readonly ConversationItem[];
  #unread: readonly ConversationItem[];

  /** Starts with the items that the tab has kept. */
  constructor(kept: KeptConversation, onChange: () => void) {
    this.#kept = kept;
    this.#onChange = onChange;
    this.#items = kept.read();
    this.#unread = this.#items;
  }

  get items(): readonly ConversationItem[] {
    return this.#items;
  }

  /** The items that the tab has kept and the model of this page has not read yet. The next call returns none. */
  takeUnread(): readonly ConversationItem[] {
    const unread = this.#unread;
    this.#unread = [];
    return unread;
  }

  lastAnswer(): AnswerItem | null {
    return this.items.findLast((item) => item.kind === "answer") ?? null;
  }

  /** The newest trajectory of an answer, and whether the site gets it; `null` if no answer has one. */
  newestTrajectory(): { readonly id: string; readonly isShared: boolean } | null {
    const item = this.items.findLast((one) => one.kind === "answer" && one.trajectoryId !== null);
    if (item?.kind !== "answer" || item.trajectoryId === null) return null;
    return { id: item.trajectoryId, isShared: item.consentedAt !== undefined };
  }

  /** Trajectories of other answers that the site gets, newest first; as many as an outcome can name. */
  sharedBefore(newest: string | undefined): string[] {
    return this.items
      .flatMap((one) =>
        one.kind === "answer" && one.trajectoryId && one.consentedAt ? [one.trajectoryId] : [],
      )
      .filter((id) => id !== newest)
      .slice(-20)
      .toReversed();
  }

  /** The request and the answer before the newest request; `null` if there are none. */
  previous(): { readonly request: string; readonly answer: AnswerItem } | null {
    const newest = this.items.findLastIndex((item) => item.kind === "request");
    const [request, answer] = this.items.slice(Math.max(0, newest - 2), Math.max(0, newest));
    if (request?.kind !== "request" || answer?.kind !== "answer") return null;
    return { request: request.text, answer };
  }

  /** The answer with this trajectory; `null` if it is not shown. */
  answerOf(trajectoryId: string): AnswerItem | null {
    const item = this.items.find(
      (one) => one.kind === "answer" && one.trajectoryId === trajectoryId,
    );
    return item?.kind === "answer" ? item : null;
  }

  /** Marks the answer with this trajectory, if it is shown. */
  setFeedback(
    trajectoryId: string,
    feedback: AnswerItem["feedback"],
    feedbackOutcome?: AnswerItem["feedbackOutcome"],
  ): void {
    const rated = this.answerOf(trajectoryId);
    if (rated === null) return;
    const { feedbackOutcome: _, ...answer } = rated;
    this.replace({
      ...answer,
      feedback,
      ...(feedbackOutcome === undefined ? {} : { feedbackOutcome }),
    });
    this.keep();
  }

  /** True if this feedback is sent with the answer already, also after a reload. */
  isQueued(
    trajectoryId: string,
    feedback: AnswerItem["feedback"],
    { grantedAt }: Pick<Consent, "grantedAt">,
  ): boolean {
    const rated = this.answerOf(trajectoryId);
    // A withdrawal drops what waits, so feedback under another consent is sent again.
    return (
      rated?.feedback === feedback &&
      rated.feedbackOutcome === "queued" &&
      rated.consentedAt === grantedAt
    );
  }

  add(...items: readonly ConversationItem[]): void {
    this.#set([...this.#items, ...items]);
    this.keep();
  }

  /** Replaces the item with the same id. Streaming answers change often, so call `keep` after the last change. */
  replace(next: ConversationItem): void {
    this.#set(this.#items.map((item) => (item.id === next.id ? next : item)));
  }

  clear(): void {
    this.#unread = [];
    this.#set([]);
    this.keep();
  }

  /** Writes the items to the tab's storage. */
  keep(): void {
    this.#kept.write(this.#items);
  }

  #set(items: readonly ConversationItem[]): void {
    this.#items = items;
    this.#onChange();
  }
}
