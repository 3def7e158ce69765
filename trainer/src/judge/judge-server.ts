/** A model on an OpenAI-compatible server that votes on texts. Its replies are checked, and never trusted as they are. */
import { isObject, WaggleError } from "@waggle/protocol";
import { createHttpChat, type HttpChatOptions } from "@waggle/runtime/openai-http";
import { delimited, type NamedText } from "./delimited-text.ts";
import type { JudgePrompt } from "./prompts/judge-prompt.ts";

export type JudgeServerOptions = Pick<HttpChatOptions, "baseUrl" | "model" | "apiKey"> & {
  /** Replies that are asked for each question, at least 1. */
  readonly votes: number;
  /** Time limit of one reply in milliseconds. */
  readonly timeoutMs: number;
};

/** The votes on one question. */
type Votes<T> = {
  /** What could be read of the replies, in any order. */
  readonly read: readonly T[];
  /** Replies that were asked for. */
  readonly asked: number;
  /** Replies that never came: the server failed or took too long. */
  readonly failed: number;
};

/** A judge that is asked several times. */
export interface JudgeServer {
  /**
   * Asks all votes at once.
   *
   * @param question - the texts of vote `vote`; votes may see them in different orders.
   * @param read - the vote that a JSON object means; `null` if it means none.
   */
  vote<T>(
    prompt: JudgePrompt,
    question: (vote: number) => readonly NamedText[],
    read: (reply: { readonly [name: string]: unknown }, vote: number) => T | null,
  ): Promise<Votes<T>>;
}

/** Tokens of a reply: more than any reply that can be read. */
const REPLY_TOKENS = 256;

/** One vote is the most likely reply; several are drawn. */
const temperatureOf = (votes: number): number => (votes === 1 ? 0 : 0.7);

export function createJudgeServer(options: JudgeServerOptions): JudgeServer {
  const { votes, timeoutMs, ...server } = options;
  const source = createHttpChat({ ...server, retries: 1 });

  async function replyTo(prompt: JudgePrompt, texts: readonly NamedText[]): Promise<string> {
    const chat = await source.open();
    try {
      const messages = [
        { role: "system", content: prompt.text } as const,
        { role: "user", content: delimited(texts, crypto.randomUUID()) } as const,
      ];
      const answer = await chat.completions.create(
        { messages, max_tokens: REPLY_TOKENS, temperature: temperatureOf(votes) },
        { signal: AbortSignal.timeout(timeoutMs) },
      );
      return answer.choices[0]?.message.content ?? "";
    } finally {
      await chat.dispose();
    }
  }

  return {
    async vote(prompt, question, read) {
      const replies = await Promise.allSettled(
        Array.from({ length: votes }, (_, vote) => replyTo(prompt, question(vote))),
      );
      requireAccess(replies);
      const came = replies.flatMap((reply, vote) => {
        if (reply.status === "rejected") return [];
        const object = jsonObject(reply.value);
        const meant = object === null ? null : read(object, vote);
        return meant === null ? [] : [meant];
      });
      const failed = replies.filter(({ status }) => status === "rejected").length;
      return { read: came, asked: votes, failed };
    },
  };
}

/** @throws the server's refusal of the key, which no later question would get past. */
function requireAccess(replies: readonly PromiseSettledResult<string>[]): void {
  for (const reply of replies) {
    if (reply.status === "fulfilled") continue;
    const { reason } = reply;
    if (WaggleError.is(reason, "UNAUTHENTICATED") || WaggleError.is(reason, "FORBIDDEN")) {
      throw new WaggleError(
        "UNAUTHENTICATED",
        `the judge's server refused the key: ${reason.message}; set WAGGLE_JUDGE_KEY`,
      );
    }
  }
}

/** The JSON object that a reply is; `null` for a reply with anything else in it. */
function jsonObject(reply: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(reply);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
