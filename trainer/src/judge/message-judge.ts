/** What a visitor's next message says of the answer before it, by the votes of a judge. */
import { MESSAGE_REWARDS, type MessageKind } from "@waggle/protocol";
import type { JudgeServer } from "./judge-server.ts";
import { NEXT_MESSAGE } from "./prompts/next-message.ts";

/** A request, its answer and the visitor's next message. */
export type JudgedMessage = {
  readonly request: string;
  readonly answer: string;
  readonly next: string;
};

/** `nothing`: the message says nothing about the answer. `abstained`: no majority. `failed`: no reply came. */
export type MessageVerdict = MessageKind | "nothing" | "abstained" | "failed";

export type MessageJudge = (message: JudgedMessage) => Promise<MessageVerdict>;

/** A judge of messages. More than half of all votes must agree; a vote that failed or cannot be read agrees with none. */
export function createMessageJudge(server: JudgeServer): MessageJudge {
  return async ({ request, answer, next }) => {
    const texts = [
      ["request", request],
      ["answer", answer],
      ["next message", next],
    ] as const;
    const { read, asked, failed } = await server.vote(NEXT_MESSAGE, () => texts, verdictOf);
    if (failed === asked) return "failed";
    const counts = Map.groupBy(read, (verdict) => verdict);
    const major = [...counts].find(([, votes]) => votes.length > asked / 2);
    return major?.[0] ?? "abstained";
  };
}

function verdictOf(reply: { readonly [name: string]: unknown }): MessageKind | "nothing" | null {
  const { verdict, ...others } = reply;
  if (typeof verdict !== "string" || Object.keys(others).length > 0) return null;
  if (verdict === "nothing") return verdict;
  const kind = `next-${verdict}`;
  return isKind(kind) ? kind : null;
}

function isKind(kind: string): kind is MessageKind {
  return Object.hasOwn(MESSAGE_REWARDS, kind);
}
