import { Trajectory, WaggleError } from "@waggle/protocol";
import type { Action, Environment } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { defaultTurnTokens } from "./roll-out.ts";
import {
  chatFormat,
  echoing,
  environmentOf,
  run,
  say,
  sayRaw,
  tokenizer,
  tokensOf,
} from "./rollout.fixture.ts";

const call = (text: string) => ({ name: "echo", arguments: { text } });

test("a task that ends by itself is completed, with its turns and log-probs recorded", async () => {
  const { trajectory, policy } = await run(
    { turns: [say("Look.", call("a")), say("Done.")], version: 4 },
    environmentOf(echoing),
  );
  expect(trajectory).toMatchObject({
    stopReason: "completed",
    terminated: true,
    truncated: false,
    policyVersion: 4,
    task: { environment: "test", seed: 1 },
    turns: [
      {
        segmentId: "s2",
        toolCalls: [{ id: "c0", name: "echo", arguments: { text: "a" } }],
        toolResults: [{ callId: "c0", ok: true, value: { text: "a" } }],
        parseError: null,
      },
      { segmentId: "s4", toolCalls: [], toolResults: [] },
    ],
  });
  expect(trajectory.segments.map((s) => (s.kind === "given" ? s.role : s.kind))).toEqual([
    "system",
    "user",
    "sampled",
    "tool",
    "sampled",
  ]);
  const scores = await policy.score({
    tokenIds: tokensOf(trajectory),
    sampling: { temperature: 1, topK: 0, topP: 1 },
  });
  const last = trajectory.segments.at(-1);
  expect(last?.kind === "sampled" && last.behaviorLogProbs).toEqual(
    scores.behaviorLogProbs.slice(-last!.tokenIds.length),
  );
});

test("the segments in order are the tokens of the policy's context", async () => {
  const turn = fc.oneof(
    fc.array(fc.string(), { maxLength: 3 }).map((texts) => say("x", ...texts.map(call))),
    fc.constantFrom("<tool_call>{", "</tool_call>", "<|im_end|>").map(sayRaw),
    fc.string().map((text) => tokenizer.encode(text)),
  );
  const script = fc.array(turn, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(script, fc.integer({ min: 60, max: 500 }), async (turns, contextLength) => {
      const { trajectory, policy } = await run(
        { turns: [...turns, say("Done.")], contextLength },
        environmentOf(echoing),
        { limits: { maxTurns: 6, maxTokensPerTurn: 90, timeoutMs: 0 } },
      );
      const tokens = tokensOf(trajectory);
      const context = policy.contexts[0]!;
      expect(context.disposed).toBe(true);
      // A request that did not fit is recorded but was never appended.
      expect(context.tokenIds).toEqual(context.samples.length > 0 ? tokens : []);
      expect(context.tokenIds.length).toBeLessThanOrEqual(contextLength);
    }),
    { numRuns: 100 },
  );
});

test("parallel calls of a turn reach the environment together and in order", async () => {
  const actions: Action[] = [];
  const { trajectory, events } = await run(
    { turns: [say("", call("a"), call("b"), call("c")), say("ok")] },
    environmentOf((action, signal) => {
      actions.push(action);
      return echoing(action, signal);
    }),
  );
  expect(actions.map((action) => action.toolCalls.map(({ id }) => id))).toEqual([
    ["c0", "c1", "c2"],
    [],
  ]);
  expect(tokenizer.decode(trajectory.segments[3]!.tokenIds)).toContain(
    '<tool_response>{"text":"a"}</tool_response><tool_response>{"text":"b"}</tool_response>',
  );
  expect(events.filter((event) => event.type === "tool-result")).toHaveLength(3);
});

test("events report a turn as it happens", async () => {
  const { events, trajectory } = await run(
    { turns: [say("Hé ", call("a")), say("Bye")] },
    environmentOf(echoing),
  );
  const order = events.filter((event) => event.type !== "token-delta").map((event) => event.type);
  expect(order).toEqual([
    "turn-start",
    "tool-call",
    "tool-result",
    "turn-end",
    "turn-start",
    "turn-end",
    "trajectory-end",
  ]);
  const shown = (part: string, turn: number): string =>
    events
      .flatMap((event) =>
        event.type === "token-delta" && event.part === part && event.turn === turn
          ? [event.text]
          : [],
      )
      .join("");
  expect(shown("text", 0)).toBe("Hé ");
  expect(shown("tool-call", 0)).toMatch(/^<tool_call>\{.*\}<\/tool_call>$/);
  expect(shown("text", 1)).toBe("Bye");
  expect(events.at(-1)).toEqual({ type: "trajectory-end", trajectory });
});

test("turns sample with different seeds, all derived from the rollout's seed", async () => {
  const seeds = async (seed: number): Promise<number[]> => {
    const { trajectory } = await run(
      { turns: [say("", call("a")), say("", call("b")), say("ok")] },
      environmentOf(echoing),
      { seed },
    );
    return trajectory.segments.flatMap((s) => (s.kind === "sampled" ? [s.sampling.seed] : []));
  };
  const first = await seeds(1);
  expect(new Set(first).size).toBe(3);
  expect(await seeds(1)).toEqual(first);
  expect(await seeds(2)).not.toEqual(first);
});

test("the turn limit ends the rollout before the policy samples again", async () => {
  const { trajectory, policy } = await run(
    { turns: [say("", call("a")), say("", call("b"))] },
    environmentOf(echoing),
    { limits: { maxTurns: 2, maxTokensPerTurn: 500, timeoutMs: 0 } },
  );
  expect(trajectory).toMatchObject({ stopReason: "max-turns", truncated: true, terminated: false });
  expect(trajectory.turns[1]?.toolResults).toHaveLength(1);
  expect(policy.contexts[0]?.samples).toHaveLength(2);
});

test.each([
  ["without a limit repeated turns go on", {}, "completed", 5],
  ["equal turns end the rollout at their limit", { maxRepeatedTurns: 2 }, "guard-stopped", 4],
])("%s", async (_, limit, stopReason, turns) => {
  const { trajectory } = await run(
    {
      turns: [
        say("", call("a")),
        say("", call("b")),
        say("", call("a")),
        say("", call("a")),
        say("Done."),
      ],
    },
    environmentOf(echoing),
    { limits: { maxTurns: 8, maxTokensPerTurn: 500, timeoutMs: 0, ...limit } },
  );
  expect(trajectory).toMatchObject({ stopReason, truncated: stopReason !== "completed" });
  expect(trajectory.turns).toHaveLength(turns);
  expect(trajectory.turns[3]?.toolResults).toHaveLength(1);
});

test("a turn cut by the token limit runs no tool", async () => {
  const step = vi.fn<Environment["step"]>(echoing);
  const { trajectory } = await run(
    { turns: [say("", call("a"), call("bbbbbbbbbbbbbbbbbbbb"))] },
    environmentOf(step),
    { limits: { maxTurns: 2, maxTokensPerTurn: 50, timeoutMs: 0 } },
  );
  expect(trajectory.stopReason).toBe("max-tokens");
  expect(trajectory.turns[0]).toMatchObject({ toolCalls: [], toolResults: [] });
  expect(trajectory.segments.at(-1)?.tokenIds).toHaveLength(50);
  expect(step).not.toHaveBeenCalled();
});

test("the context limit cuts a turn, and an observation that does not fit ends the rollout", async () => {
  const cut = await run({ turns: [say("x".repeat(300))] }, environmentOf(echoing), {
    limits: { maxTurns: 2, maxTokensPerTurn: 500, maxContextTokens: 200, timeoutMs: 0 },
  });
  expect(cut.trajectory.stopReason).toBe("context-overflow");
  expect(tokensOf(cut.trajectory)).toHaveLength(200);
  expect(cut.trajectory.segments.at(-1)).toMatchObject({ stopReason: "context-overflow" });

  const full = await run(
    { turns: [say("", call("a"))] },
    environmentOf(({ toolCalls }) =>
      Promise.resolve({
        toolResults: toolCalls.map(({ id }) => ({ callId: id, ok: true, value: "y".repeat(5000) })),
        terminated: false,
      }),
    ),
    { limits: { maxTurns: 3, maxTokensPerTurn: 500, maxContextTokens: 2000, timeoutMs: 0 } },
  );
  expect(full.trajectory).toMatchObject({ stopReason: "context-overflow", truncated: true });
  expect(full.trajectory.segments.at(-1)?.kind).toBe("sampled");
});

test("a request that does not fit is recorded without turns", async () => {
  const { trajectory, policy } = await run(
    { turns: [], contextLength: 20 },
    environmentOf(echoing),
  );
  expect(trajectory).toMatchObject({ stopReason: "context-overflow", turns: [] });
  expect(policy.contexts[0]?.tokenIds).toEqual([]);
});

test("an abort in the middle of a turn keeps the sampled tokens", async () => {
  const abort = new AbortController();
  const step = vi.fn<Environment["step"]>(echoing);
  const { trajectory, policy } = await run(
    {
      turns: [say("Hello", call("a"))],
      beforeToken: (index) => (index === 3 ? abort.abort() : undefined),
    },
    environmentOf(step),
    { signal: abort.signal },
  );
  expect(trajectory).toMatchObject({ stopReason: "aborted", truncated: true });
  expect(trajectory.segments.at(-1)).toMatchObject({
    tokenIds: tokenizer.encode("Hel"),
    stopReason: "aborted",
  });
  expect(trajectory.turns).toHaveLength(1);
  expect(step).not.toHaveBeenCalled();
  expect(policy.contexts[0]?.disposed).toBe(true);
});

test("an abort before the first token leaves a trajectory without turns", async () => {
  const { trajectory } = await run({ turns: [say("x")] }, environmentOf(echoing), {
    signal: AbortSignal.abort(),
  });
  expect(trajectory).toMatchObject({ stopReason: "aborted", turns: [] });
});

test("an abort while a tool hangs ends the rollout at once", async () => {
  const abort = new AbortController();
  const { trajectory } = await run(
    { turns: [say("", call("a"))] },
    environmentOf(() => {
      queueMicrotask(() => abort.abort());
      return new Promise(() => undefined);
    }),
    { signal: abort.signal },
  );
  expect(trajectory.stopReason).toBe("aborted");
  expect(trajectory.turns[0]).toMatchObject({ toolCalls: [{ id: "c0" }], toolResults: [] });
});

test("the time limit ends a slow policy and a slow environment", async () => {
  vi.useFakeTimers();
  try {
    const limits = { maxTurns: 3, maxTokensPerTurn: 500, timeoutMs: 1000 };
    const slowPolicy = run(
      {
        turns: [say("Hello")],
        beforeToken: (index) => {
          if (index === 2) vi.advanceTimersByTime(1000);
        },
      },
      environmentOf(echoing),
      { limits },
    );
    expect((await slowPolicy).trajectory).toMatchObject({ stopReason: "timeout", truncated: true });
    const slowTool = run(
      { turns: [say("", call("a"))] },
      environmentOf(() => {
        vi.advanceTimersByTime(1000);
        return new Promise(() => undefined);
      }),
      { limits },
    );
    expect((await slowTool).trajectory.stopReason).toBe("timeout");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("an unreadable call becomes an observation, and a readable call resets the count", async () => {
  const step = vi.fn<Environment["step"]>(echoing);
  const { trajectory, policy } = await run(
    {
      turns: [
        sayRaw("<tool_call>{bad</tool_call>"),
        say("", call("a")),
        sayRaw("<tool_call>{bad</tool_call>"),
        say("Done."),
      ],
    },
    environmentOf(step),
  );
  expect(trajectory.stopReason).toBe("completed");
  expect(trajectory.turns[0]).toMatchObject({
    parseError: "a tool call must hold JSON, got {bad",
    toolCalls: [],
    toolResults: [{ ok: false, error: { code: "INVALID_TOOL_CALL" } }],
  });
  expect(tokenizer.decode(policy.contexts[0]!.tokenIds)).toContain(
    '<tool_response>{"error":"INVALID_TOOL_CALL","message":"a tool call must hold JSON, got {bad"}',
  );
  expect(step).toHaveBeenCalledTimes(2);
  const ids = trajectory.turns.flatMap((turn) => turn.toolResults.map((result) => result.callId));
  expect(new Set(ids).size).toBe(ids.length);
});

test("two unreadable turns in a row end the rollout", async () => {
  const bad = sayRaw("<tool_call>");
  const { trajectory } = await run({ turns: [bad, bad, bad] }, environmentOf(echoing));
  expect(trajectory).toMatchObject({ stopReason: "parse-error", truncated: true });
  expect(trajectory.turns).toHaveLength(2);
});

test("an environment that throws ends the rollout, with the error recorded", async () => {
  const { trajectory } = await run(
    { turns: [say("", call("a"))] },
    environmentOf(() => {
      throw new WaggleError("TOOL_UNAVAILABLE", "no line");
    }),
  );
  expect(trajectory).toMatchObject({ stopReason: "tool-error", truncated: true });
  expect(trajectory.turns[0]?.toolResults).toEqual([
    { callId: "c0", ok: false, error: { code: "TOOL_UNAVAILABLE", message: "no line" } },
  ]);
});

test("values that JSON cannot represent are recorded as the policy reads them", async () => {
  const { trajectory } = await run(
    { turns: [say("", call("a")), say("Done.")] },
    environmentOf(({ toolCalls }) =>
      Promise.resolve({
        toolResults: toolCalls.map(({ id }) => ({
          callId: id,
          ok: true,
          value: { at: new Date(0), nothing: undefined, number: Number.NaN },
        })),
        terminated: toolCalls.length === 0,
      }),
    ),
  );
  expect(trajectory.turns[0]?.toolResults[0]).toMatchObject({
    value: { at: "1970-01-01T00:00:00.000Z", number: null },
  });
  expect(Trajectory.safeParse(trajectory).success).toBe(true);
});

test("the clock and the assignment id come from the options", async () => {
  const { trajectory } = await run({ turns: [say("Done.")] }, environmentOf(echoing), {
    now: () => new Date("2026-11-20T12:00:00.000Z"),
    assignmentId: "00000000-0000-4000-8000-000000000000",
  });
  expect(trajectory).toMatchObject({
    startedAt: "2026-11-20T12:00:00.000Z",
    endedAt: "2026-11-20T12:00:00.000Z",
    assignmentId: "00000000-0000-4000-8000-000000000000",
  });
});

test("an environment that continues without an answer is refused, and so are limits of 0", async () => {
  const mute = environmentOf(() => Promise.resolve({ toolResults: [], terminated: false }));
  await expect(run({ turns: [say("x")] }, mute)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  await expect(
    run({ turns: [] }, environmentOf(echoing), {
      limits: { maxTurns: 0, maxTokensPerTurn: 1, timeoutMs: 0 },
    }),
  ).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(chatFormat.stopTokenIds).toHaveLength(1);
});

test("the default turn limit is a quarter of the context, between 128 and 512 tokens", () => {
  expect([64, 512, 1024, 2048, 32_768].map(defaultTurnTokens)).toEqual([128, 128, 256, 512, 512]);
});
