/** An OpenAI-compatible server on this machine that gives scripted replies. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server was asked. */
export type AskedJudge = {
  readonly system: string;
  readonly user: string;
  readonly authorization: string | undefined;
  readonly body: { readonly [name: string]: unknown };
};

/** The reply: its text, an HTTP status, or `null` for none at all. */
export type ScriptedReply = string | number | null;

/** A running server. */
export type ScriptedJudge = {
  readonly url: string;
  readonly asked: readonly AskedJudge[];
  readonly close: () => Promise<void>;
};

/** @param reply - for the question and its number, from 0. */
export async function scriptedJudge(
  reply: (asked: AskedJudge, number: number) => ScriptedReply,
): Promise<ScriptedJudge> {
  const asked: AskedJudge[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const part of request) text += String(part);
      const body = JSON.parse(text) as { messages: { role: string; content: string }[] };
      const said = (role: string) => body.messages.find((one) => one.role === role)?.content ?? "";
      const { authorization } = request.headers;
      const one = { system: said("system"), user: said("user"), authorization, body };
      asked.push(one);
      const answer = reply(one, asked.length - 1);
      if (answer === null) return;
      if (typeof answer === "number") response.writeHead(answer).end("{}");
      else {
        response.writeHead(200, { "content-type": "application/json" });
        const message = { role: "assistant", content: answer };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        response.end(JSON.stringify({ object: "chat.completion", choices }));
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
