/** The official client with our handler in place of the network. */
import OpenAI from "openai";
import { expect, test } from "vitest";
import { openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createChatHandler } from "./chat-handler.ts";

const model = "nano";
const user = { role: "user" as const, content: "hi" };

test("a function that wants OpenAI's client itself gets one without a network", async () => {
  const ask = async (client: OpenAI): Promise<string | null | undefined> => {
    const { choices } = await client.chat.completions.create({ model, messages: [user] });
    return choices[0]?.message.content;
  };
  const { chat } = openScripted([said("hello"), said("streamed")]);
  const handle = createChatHandler(chat);
  const client = new OpenAI({
    baseURL: "http://page/v1",
    apiKey: "none",
    fetch: (input, init) => handle(new Request(input, init)),
  });
  expect(await ask(client)).toBe("hello");
  const stream = await client.chat.completions.create({ model, messages: [user], stream: true });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  expect(text).toBe("streamed");
});
