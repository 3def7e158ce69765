/**
 * A text writer, and a judge backed by the same model, on any server with OpenAI's HTTP API. The
 * client retries. Callers must validate the text.
 */
import type { JudgePort, WriterPort } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { createHttpChat, type HttpChatOptions } from "@waggle/runtime/openai-http";

export type HttpWriterOptions = Pick<
  HttpChatOptions,
  "baseUrl" | "model" | "apiKey" | "fetch" | "retries" | "sleep"
> & {
  /** Maximum tokens of one answer. Default 1024. */
  readonly maxTokens?: number;
  /** Timeout of one request in milliseconds. Default 120 000. */
  readonly timeoutMs?: number;
};

/** A writer on an OpenAI-compatible server. An answer without text is an error. */
export function createHttpWriter(options: HttpWriterOptions): WriterPort {
  const { maxTokens = 1024, timeoutMs = 120_000, ...server } = options;
  const source = createHttpChat(server);
  return {
    async write(prompt, signal) {
      const chat = await source.open();
      try {
        const answer = await chat.completions.create(
          { messages: [{ role: "user", content: prompt }], max_tokens: maxTokens, temperature: 0 },
          { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) },
        );
        const content = answer.choices[0]?.message.content;
        if (typeof content === "string") return content;
        throw new WaggleError(
          "NETWORK",
          "the writer's answer contains no text; try again or name another model",
          { retryable: true },
        );
      } finally {
        await chat.dispose();
      }
    },
  };
}

/** A judge that asks the writer for one number in [0, 1]. */
export function judgeBy(writer: WriterPort): JudgePort {
  return {
    async reward({ request, transcript, rubric }, signal) {
      const asked = [
        "How good is this attempt at its task? Answer with one number from 0 to 1 only.",
        `Task:\n${request}`,
        `Attempt:\n${transcript}`,
        ...(rubric === undefined || rubric === "" ? [] : [`What to look for:\n${rubric}`]),
      ].join("\n\n");
      const answer = await writer.write(asked, signal);
      const [number] = /\d+(?:\.\d+)?/.exec(answer) ?? [];
      if (number !== undefined && Number(number) <= 1) return Number(number);
      throw new WaggleError(
        "REWARD_UNAVAILABLE",
        `the judge's answer is not a number from 0 to 1: ${answer.slice(0, 80)}; try again or name another model`,
        { retryable: true },
      );
    },
  };
}
