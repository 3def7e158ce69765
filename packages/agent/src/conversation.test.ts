import { Trajectory } from "@waggle/protocol";
import type { Redactor, Tool } from "@waggle/protocol";
import { ScriptedPolicy } from "@waggle/testing";
import type { ScriptedPolicyOptions } from "@waggle/testing";
import { expect, test } from "vitest";
import { createConversation } from "./conversation.ts";
import type { Conversation, ConversationOptions } from "./conversation.ts";
import { consent, echo, fixed, say, tokenizer, tokensOf } from "./rollout.fixture.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const tools: Tool[] = [{ definition: echo, run: (args) => Promise.resolve(args["text"]) }];
const call = (text: string) => ({ name: "echo", arguments: { text } });

function converse(
  script: ScriptedPolicyOptions,
  options: Partial<ConversationOptions> = {},
): { conversation: Conversation; policy: ScriptedPolicy } {
  const policy = new ScriptedPolicy(script);
  const conversation = createConversation({
    policy,
    ...fixed,
    consent: () => consent,
    createEnvironment: (userMessage) =>
      createToolEnvironment({ system: "You help.", tools, userMessage }),
    ...options,
  });
  return { conversation, policy };
}

const sampledOf = (trajectory: Trajectory): number[][] =>
  trajectory.segments.flatMap((s) => (s.kind === "sampled" ? [[...s.tokenIds]] : []));

test("a second request continues the context and records earlier tokens as given", async () => {
  const turns = [say("", call("a")), say("One."), say("Two.")];
  const { conversation, policy } = converse({ turns });
  const first = Trajectory.parse(await conversation.send("First"));
  const second = Trajectory.parse(await conversation.send("Second"));
  expect(policy.contexts).toHaveLength(1);
  expect(sampledOf(first)).toEqual(turns.slice(0, 2));
  expect(sampledOf(second)).toEqual(turns.slice(2));
  expect(tokensOf(second)).toEqual(policy.contexts[0]?.tokenIds);
  expect(tokensOf(second).slice(0, tokensOf(first).length)).toEqual(tokensOf(first));
  expect(second.segments.map((s) => (s.kind === "given" ? s.role : s.kind))).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
    "sampled",
  ]);
  expect(tokenizer.decode(tokensOf(second))).toBe(
    "<|im_start|>system\nYou help.\nTools: echo(text)<|im_end|>" +
      "<|im_start|>user\nFirst<|im_end|><|im_start|>assistant\n" +
      '<tool_call>{"name":"echo","arguments":{"text":"a"}}</tool_call><|im_end|>' +
      '<|im_start|>tool\n<tool_response>"a"</tool_response><|im_end|><|im_start|>assistant\n' +
      "One.<|im_end|><|im_start|>user\nSecond<|im_end|><|im_start|>assistant\nTwo.<|im_end|>",
  );
});

test("requests of one conversation sample with different seeds", async () => {
  const { conversation } = converse({ turns: [say("a"), say("a")] });
  const seeds: number[] = [];
  for (const text of ["x", "x"]) {
    const { segments } = await conversation.send(text);
    for (const s of segments) if (s.kind === "sampled") seeds.push(s.sampling.seed);
  }
  expect(new Set(seeds).size).toBe(2);
});

test("after an abort, the unfinished turn is closed and the conversation continues", async () => {
  const abort = new AbortController();
  let sampled = 0;
  const { conversation, policy } = converse({
    turns: [say("Hello"), say("Again.")],
    beforeToken: () => (sampled++ === 2 ? abort.abort() : undefined),
  });
  const first = await conversation.send("First", { signal: abort.signal });
  expect(first.stopReason).toBe("aborted");
  const second = Trajectory.parse(await conversation.send("Second"));
  expect(policy.contexts).toHaveLength(1);
  expect(tokenizer.decode(tokensOf(second))).toContain(
    "assistant\nHe<|im_end|><|im_start|>user\nSecond<|im_end|><|im_start|>assistant\nAgain.",
  );
});

test("tool results that the policy has not read yet precede the next request", async () => {
  const { conversation } = converse(
    { turns: [say("", call("a")), say("Two.")] },
    { limits: { maxTurns: 1, maxTokensPerTurn: 500, timeoutMs: 0 } },
  );
  expect((await conversation.send("First")).stopReason).toBe("max-turns");
  expect(tokenizer.decode(tokensOf(await conversation.send("Second")))).toContain(
    '<tool_response>"a"</tool_response><|im_end|><|im_start|>user\nSecond',
  );
});

test("a full context is replaced by an empty one", async () => {
  const { conversation, policy } = converse({
    turns: [say("x".repeat(150)), say("Two.")],
    contextLength: 300,
  });
  await conversation.send("First");
  const second = Trajectory.parse(await conversation.send("Second"));
  expect(policy.contexts.map((context) => context.disposed)).toEqual([true, false]);
  expect(tokenizer.decode(tokensOf(second))).toContain("You help.");
  expect(tokenizer.decode(tokensOf(second))).not.toContain("First");
  expect(second.stopReason).toBe("completed");
});

test("a trajectory contains nothing from before its consent", async () => {
  const none = { ...consent, scopes: [] };
  const later = { ...consent, grantedAt: "2026-11-21T00:00:00.000Z" };
  let current: typeof consent | typeof none = none;
  const { conversation, policy } = converse(
    { turns: ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => say(text)) },
    { consent: () => current },
  );
  const textOf = async (request: string, under: typeof current): Promise<string> => {
    current = under;
    return tokenizer.decode(tokensOf(await conversation.send(request)));
  };
  await textOf("First", none);
  expect(await textOf("Second", none)).toContain("First");
  const third = await textOf("Third", consent);
  expect(third).not.toMatch(/First|Second|One|Two/);
  expect(await textOf("Fourth", consent)).toContain("Third");
  expect(await textOf("Fifth", later)).not.toMatch(/Third|Fourth/);
  expect(policy.contexts.map((context) => context.disposed)).toEqual([true, true, false]);
});

test("a running request keeps its policy version and the next one uses the current version", async () => {
  const { conversation, policy } = converse({
    turns: [say("", call("a")), say("One."), say("Two.")],
  });
  const first = await conversation.send("First", {
    onEvent: (event) => {
      if (event.type === "tool-call") policy.currentVersion = 5;
    },
  });
  const second = await conversation.send("Second");
  const versions = (trajectory: Trajectory): number[] =>
    trajectory.segments.flatMap((s) => (s.kind === "sampled" ? [s.policyVersion] : []));
  expect(versions(first)).toEqual([0, 0]);
  expect(versions(second)).toEqual([5]);
  expect(second.policyVersion).toBe(5);
  expect(policy.contexts).toHaveLength(1);
  expect(policy.contexts[0]?.adoptions).toBe(1);
});

test("adoptCurrentVersion moves a running request to the new version from its next turn", async () => {
  const { conversation, policy } = converse({ turns: [say("", call("a")), say("One.")] });
  const trajectory = await conversation.send("First", {
    onEvent: (event) => {
      if (event.type !== "tool-call") return;
      policy.currentVersion = 5;
      conversation.adoptCurrentVersion();
    },
  });
  expect(
    trajectory.segments.flatMap((s) => (s.kind === "sampled" ? [s.policyVersion] : [])),
  ).toEqual([0, 5]);
  expect(trajectory.policyVersion).toBe(0);
});

test("reset drops the context, even while a request is running", async () => {
  const { conversation, policy } = converse({ turns: [say("One."), say("Two."), say("Three.")] });
  await conversation.send("First");
  conversation.reset();
  await conversation.send("Second", {
    onEvent: (event) => {
      if (event.type === "turn-start") conversation.reset();
    },
  });
  const third = await conversation.send("Third");
  expect(policy.contexts.map((context) => context.disposed)).toEqual([true, true, false]);
  expect(tokenizer.decode(tokensOf(third))).not.toMatch(/First|Second/);
});

test("consent is read at every request", async () => {
  let scopes: ("collect" | "train")[] = [];
  const { conversation } = converse(
    { turns: [say("a"), say("b")] },
    { consent: () => ({ ...consent, scopes }) },
  );
  expect((await conversation.send("x")).consent.scopes).toEqual([]);
  scopes = ["collect"];
  expect((await conversation.send("y")).consent.scopes).toEqual(["collect"]);
});

test("a failing policy frees its context and the next request starts with an empty one", async () => {
  const { conversation, policy } = converse({
    turns: [say("One."), say("Two."), say("Three.")],
    beforeToken: () => {
      if (policy.contexts.at(-1)?.samples.length === 2) throw new Error("device lost");
    },
  });
  await conversation.send("First");
  await expect(conversation.send("Second")).rejects.toThrow("device lost");
  expect(policy.contexts[0]?.disposed).toBe(true);
  expect((await conversation.send("Third")).stopReason).toBe("completed");
});

test("concurrent requests and requests after dispose are refused", async () => {
  const { conversation, policy } = converse({ turns: [say("One.")] });
  const first = conversation.send("First");
  await expect(conversation.send("Second")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await first;
  conversation.dispose();
  await expect(conversation.send("Third")).rejects.toMatchObject({ code: "DISPOSED" });
  expect(policy.contexts[0]?.disposed).toBe(true);
});

test("the first request continues a restored conversation, whose tokens are recorded as given", async () => {
  const live = converse({ turns: [say("One."), say("Two.")] });
  await live.conversation.send("First");
  const expected = tokensOf(await live.conversation.send("Second"));

  const asked: boolean[] = [];
  const { conversation, policy } = converse(
    { turns: [say("Two."), say("Three.")] },
    {
      restore: ({ first, hasRoom }) => {
        const segments = [
          ...fixed.chatFormat.start({ ...first, userMessage: "First" }),
          { role: "assistant", tokenIds: say("One.") } as const,
        ];
        const read = { segments, pending: { sampledEnded: true } };
        const large = { role: "user", tokenIds: Array<number>(200_000).fill(1) } as const;
        asked.push(hasRoom(read), hasRoom({ ...read, segments: [...segments, large] }));
        return Promise.resolve(read);
      },
    },
  );
  const second = Trajectory.parse(await conversation.send("Second"));
  expect(asked).toEqual([true, false]);
  expect(tokensOf(second)).toEqual(expected);
  expect(sampledOf(second)).toEqual([say("Two.")]);
  expect(policy.contexts[0]?.tokenIds).toEqual(expected);
  const third = await conversation.send("Third");
  expect(asked).toHaveLength(2);
  expect(tokensOf(third).slice(0, expected.length)).toEqual(expected);
});

test("after a reset nothing is restored", async () => {
  const restore = () => Promise.reject(new Error("must not be called"));
  const { conversation } = converse({ turns: [say("One.")] }, { restore });
  conversation.reset();
  expect((await conversation.send("First")).stopReason).toBe("completed");
});

test("a recorded conversation whose call holds a secret is not continued", async () => {
  const redactor: Redactor = {
    redact: (text) => text,
    redactJson: (value) => value,
    redactArguments: (value) => JSON.parse(JSON.stringify(value).replace("sesame", "[PASSWORD_1]")),
    restore: (value) => value,
  };
  const turns = [say("", call("sesame")), say("One."), say("Two.")];
  const { conversation, policy } = converse({ turns }, { redactor });
  const first = await conversation.send("Open it.");
  expect(first.consent.scopes).toEqual([]);
  const second = await conversation.send("Thanks.");
  expect(second.consent.scopes).toEqual(consent.scopes);
  expect(policy.contexts).toHaveLength(2);
  expect(tokenizer.decode(tokensOf(second))).not.toContain("sesame");

  // Without consent nothing is recorded, and the conversation goes on.
  const local = converse({ turns }, { redactor, consent: () => ({ ...consent, scopes: [] }) });
  await local.conversation.send("Open it.");
  await local.conversation.send("Thanks.");
  expect(local.policy.contexts).toHaveLength(1);
});
