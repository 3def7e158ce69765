/** A server whose model says scripted texts, for tests with common clients of OpenAI's API. Tests only. */
import { WaggleError } from "@waggle/protocol";
import { onTestFinished } from "vitest";
import { localServer } from "../../../../test/fixtures/local-server.ts";
import type { Chat } from "../chat/chat-types.ts";
import { openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createChatHandler } from "./chat-handler.ts";

/** Serves a chat until the test ends. @returns the base URL for clients. */
export async function served(chat: Chat): Promise<string> {
  const { origin, close } = await localServer(createChatHandler(chat, { model: "org/nano" }));
  onTestFinished(close);
  return `${origin}/v1`;
}

/** Serves a model that says these texts, one per answer. */
export function saying(...texts: string[]): Promise<string> {
  return served(openScripted(texts.map((text) => said(text))).chat);
}

/** Serves a model that is busy once, before its first token, and then says the text. */
export function busyOnce(text: string): Promise<string> {
  let isBusy = true;
  const beforeToken = (): void => {
    if (!isBusy) return;
    isBusy = false;
    throw new WaggleError("RATE_LIMITED", "busy", { retryable: true, retryAfterMs: 5 });
  };
  const turns = [said(text), said(text)];
  return served(openScripted(turns, { policyOptions: { beforeToken } }).chat);
}
