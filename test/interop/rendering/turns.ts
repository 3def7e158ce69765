/** Renders a conversation turn by turn, as pages, server and trainer do. */
import type { ChatFormat } from "@waggle/text";
import { TOOLS } from "./models.ts";
import type { Case, Message } from "./models.ts";

/** Tokens of a turn, and those of what follows it: results, a request, the next generation prompt. */
type Exchange = { readonly turn: readonly number[]; readonly given: readonly number[] };

/** The first prompt and what follows it. */
export type Turns = { readonly start: readonly number[]; readonly exchanges: readonly Exchange[] };

/** Tokens of the conversation, one turn after the other. */
export function turnByTurn(format: ChatFormat, one: Case): Turns {
  const [first, ...rest] = one.messages;
  const start = format
    .start({
      system: one.system,
      tools: one.hasTools ? TOOLS.map((tool) => ({ ...tool.function, source: "page" })) : [],
      userMessage: (first as Message).content,
    })
    .flatMap((segment) => segment.tokenIds);
  const exchanges: Exchange[] = [];
  for (let at = 0; at < rest.length;) {
    const said = rest[at] as Message;
    at += 1;
    const end = rest.findIndex((message, i) => i >= at && message.role === "assistant");
    const given = rest.slice(at, end === -1 ? undefined : end);
    at += given.length;
    const turn = encodeTurn(format, said);
    exchanges.push({ turn, given: given.length === 0 ? [] : encodeGiven(format, given) });
  }
  return { start, exchanges };
}

/** Tokens of an assistant's message, with the token that ends it. */
export function encodeTurn(format: ChatFormat, said: Message): number[] {
  return format.encodeAssistant(
    said.content,
    said.tool_calls?.map((call) => call.function),
  );
}

function encodeGiven(format: ChatFormat, given: readonly Message[]): number[] {
  const user = given.find(({ role }) => role === "user");
  const results = given.filter(({ role }) => role === "tool");
  const segments = format.next({
    sampledEnded: true,
    ...(user !== undefined && { userMessage: user.content }),
    ...(results.length > 0 && {
      toolResults: results.map(({ content }, i) => ({ callId: `c${i}`, ok: true, value: content })),
    }),
  });
  return segments.flatMap((segment) => segment.tokenIds);
}
