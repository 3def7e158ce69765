/**
 * The conversation as the visitor sees it, kept for this tab, so that it survives a reload and a change of page on the
 * same site. It keeps what is shown. `restored-context.ts` renders it for the model.
 */
import { isObject } from "@waggle/protocol";
import type { KeyValueStorage } from "@waggle/collector";
import type { AnswerPart, ConversationItem } from "./agent.ts";

/** Items beyond this are dropped, oldest first. */
const MAX_ITEMS = 60;

/** Reads and writes the conversation of one site key. */
export class KeptConversation {
  readonly #storage: KeyValueStorage;
  readonly #key: string;

  constructor(storage: KeyValueStorage, siteKey: string) {
    this.#storage = storage;
    this.#key = `waggle.conversation.${siteKey}`;
  }

  /** Empty if nothing was kept, or if what was kept is not a conversation. */
  read(): readonly ConversationItem[] {
    try {
      const kept: unknown = JSON.parse(this.#storage.getItem(this.#key) ?? "[]");
      return Array.isArray(kept) && kept.every(isItem) ? kept.map(ended) : [];
    } catch {
      return [];
    }
  }

  /** A conversation that the storage has no room for is not kept. */
  write(items: readonly ConversationItem[]): void {
    try {
      if (items.length === 0) this.#storage.removeItem(this.#key);
      else this.#storage.setItem(this.#key, JSON.stringify(items.slice(-MAX_ITEMS)));
    } catch {
      this.#storage.removeItem(this.#key);
    }
  }
}

/** An answer that ran when the page was left does not run any more. */
function ended(item: ConversationItem): ConversationItem {
  return item.kind === "answer" && item.running
    ? { ...item, running: false, stopReason: "aborted" }
    : item;
}

function isItem(item: unknown): item is ConversationItem {
  if (!isObject(item) || typeof item["id"] !== "string") return false;
  if (item["kind"] === "request") return typeof item["text"] === "string";
  return item["kind"] === "answer" && Array.isArray(item["parts"]) && item["parts"].every(isPart);
}

function isPart(part: unknown): part is AnswerPart {
  if (!isObject(part)) return false;
  if (part["kind"] === "text") return typeof part["text"] === "string";
  const activity = part["activity"];
  return (
    part["kind"] === "tool" &&
    isObject(activity) &&
    typeof activity["name"] === "string" &&
    typeof activity["label"] === "string" &&
    isObject(activity["arguments"])
  );
}
