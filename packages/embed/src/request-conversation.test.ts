import { ScriptedPolicy, ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import type { AgentOptions } from "./agent-options.ts";
import { openConversation } from "./request-conversation.ts";

const format = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});
const OPTIONS: AgentOptions = { edgeUrl: "https://edge.example", siteKey: "k" };

async function grammarOf(followsSite: boolean, options: Partial<AgentOptions>) {
  const policy = new ScriptedPolicy({ turns: [format.encodeAssistant("Done.")] });
  const conversation = openConversation(
    {
      kind: "policy",
      guide: () => null,
      startsAlike: () => true,
      followsSite,
      policy,
      chatFormat: format,
      baseModel: policy.baseModel,
      calibration: null,
      client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
      adopt: () => Promise.resolve(),
      dispose: () => Promise.resolve(),
    },
    {
      options: { ...OPTIONS, ...options },
      redactor: {
        redact: (text) => text,
        redactJson: (value) => value,
        redactArguments: (value) => value,
        restore: (value) => value,
      },
      tools: () => [
        {
          definition: {
            name: "look",
            description: "Looks.",
            source: "page",
            parameters: { type: "object", properties: {} },
          },
          run: () => Promise.resolve("seen"),
        },
      ],
      consent: () => ({ version: "1", scopes: [], grantedAt: "2026-01-01T00:00:00.000Z" }),
      seed: 1,
    },
  );
  await conversation.send("Hello.", {
    trajectoryId: crypto.randomUUID(),
    signal: new AbortController().signal,
    onEvent: () => undefined,
  });
  conversation.dispose();
  return policy.contexts[0]?.samples[0]?.grammar;
}

test.each([true, false])(
  "calls are restricted to existing tools; of the site: %s",
  async (isOfSite) => {
    expect(await grammarOf(isOfSite, {})).toMatchObject({
      kind: "tool-calls",
      tools: [{ name: "look" }],
      choice: "auto",
      parallel: true,
    });
  },
);

test("a page can override the restriction", async () => {
  expect(await grammarOf(false, { constrainToolCalls: false })).toBeUndefined();
  expect(await grammarOf(true, { constrainToolCalls: false })).toBeUndefined();
});
