import { WaggleError } from "@waggle/protocol";
import type { Tool, ToolResult } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { echo, run, say } from "./rollout.fixture.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const never = new AbortController().signal;

function toolOf(run: Tool["run"], name = "echo"): Tool {
  return { definition: { ...echo, name }, run };
}

async function results(
  tools: readonly Tool[],
  calls: readonly { name: string; arguments: { [key: string]: unknown } }[],
  options: { callTimeoutMs?: number; signal?: AbortSignal } = {},
): Promise<readonly ToolResult[]> {
  const environment = createToolEnvironment({ system: "s", tools, userMessage: "u", ...options });
  const toolCalls = calls.map((call, index) => ({ id: `c${index}`, ...call }));
  const observation = await environment.step({ text: "", toolCalls }, options.signal ?? never);
  return observation.toolResults;
}

const echoTool = toolOf((args) => Promise.resolve(args["text"]));
const call = (text: unknown, name = "echo") => ({ name, arguments: { text } });

test("calls of one turn run at the same time", async () => {
  let arrived = 0;
  const waiting: (() => void)[] = [];
  const meet = toolOf(
    () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(arrived));
        if (++arrived === 2) for (const release of waiting) release();
      }),
  );
  expect(await results([meet], [call("a"), call("b")])).toEqual([
    { callId: "c0", ok: true, value: 2 },
    { callId: "c1", ok: true, value: 2 },
  ]);
});

test("unknown tools and invalid arguments give failed results without affecting other calls", async () => {
  const got = await results(
    [echoTool],
    [call("a", "shout"), call(5), call("good"), { name: "echo", arguments: {} }],
  );
  expect(got).toMatchObject([
    { ok: false, error: { code: "UNKNOWN_TOOL", message: "there is no tool shout; tools: echo" } },
    {
      ok: false,
      error: { code: "INVALID_TOOL_ARGUMENTS", message: expect.stringMatching(/^text: .*string/) },
    },
    { ok: true, value: "good" },
    {
      ok: false,
      error: { code: "INVALID_TOOL_ARGUMENTS", message: expect.stringContaining("text") },
    },
  ]);
});

test("validating arguments does not change the tool's definition", async () => {
  const before = structuredClone(echo.parameters);
  await results([echoTool], [call("a")]);
  expect(echo.parameters).toEqual(before);
});

test("a throwing tool gives a failed result, with the error's code if it has one", async () => {
  const plain = toolOf(() => Promise.reject(new Error("broken")), "plain");
  const typed = toolOf(() => {
    throw new WaggleError("TOOL_UNAVAILABLE", "no line");
  }, "typed");
  expect(await results([plain, typed], [call("a", "plain"), call("a", "typed")])).toMatchObject([
    { error: { code: "TOOL_FAILED", message: "broken" } },
    { error: { code: "TOOL_UNAVAILABLE", message: "no line" } },
  ]);
});

test("a hanging tool gets an abort signal and times out without affecting other calls", async () => {
  vi.useFakeTimers();
  try {
    const stopped = vi.fn<() => void>();
    const hangs = toolOf((_, signal) => {
      signal.addEventListener("abort", stopped);
      return new Promise(() => undefined);
    }, "hangs");
    const pending = results([echoTool, hangs], [call("a", "hangs"), call("b")], {
      callTimeoutMs: 50,
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(await pending).toMatchObject([
      { ok: false, error: { code: "TIMEOUT" } },
      { ok: true, value: "b" },
    ]);
    expect(stopped).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a tool that returns undefined gives null", async () => {
  expect(await results([toolOf(() => Promise.resolve(undefined))], [call("a")])).toEqual([
    { callId: "c0", ok: true, value: null },
  ]);
});

test("a live request is completed when the policy answers without a call", async () => {
  const { trajectory } = await run(
    { turns: [say("", { name: "echo", arguments: { text: "a" } }), say("It says a.")] },
    createToolEnvironment({ system: "s", tools: [echoTool], userMessage: "u" }),
  );
  expect(trajectory).toMatchObject({ task: null, stopReason: "completed", terminated: true });
  expect(trajectory.turns[0]?.toolResults).toEqual([{ callId: "c0", ok: true, value: "a" }]);
});

test("two tools with the same name are refused", () => {
  expect(() =>
    createToolEnvironment({ system: "s", tools: [echoTool, echoTool], userMessage: "u" }),
  ).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("a tool's own time limit replaces that of the environment", async () => {
  const slow: Tool = { ...toolOf(() => new Promise(() => undefined)), timeoutMs: 5 };
  expect(await results([slow], [call("a")], { callTimeoutMs: 60_000 })).toMatchObject([
    { ok: false, error: { code: "TIMEOUT", message: "no result within 5 ms" } },
  ]);
});

test("a tool that asks runs only if it is allowed, and its time limit begins after the answer", async () => {
  vi.useFakeTimers();
  try {
    const ran: unknown[] = [];
    const asking = (allows: NonNullable<Tool["allows"]>): Tool => ({
      ...toolOf((args) => Promise.resolve(ran.push(args["text"]))),
      timeoutMs: 5,
      allows,
    });
    const answer = async (isAllowed: boolean, asked: Parameters<typeof results>[1][number]) => {
      const allows = () =>
        new Promise<boolean>((resolve) => setTimeout(() => resolve(isAllowed), 60_000));
      const pending = results([asking(allows)], [asked]);
      await vi.advanceTimersByTimeAsync(60_000);
      return pending;
    };
    expect(await answer(true, call("yes"))).toMatchObject([{ ok: true }]);
    const message = "the visitor did not allow this call";
    expect(await answer(false, call("no"))).toMatchObject([
      { ok: false, error: { code: "TOOL_FAILED", message } },
    ]);
    expect(await answer(true, { name: "echo", arguments: {} })).toMatchObject([
      { ok: false, error: { code: "INVALID_TOOL_ARGUMENTS" } },
    ]);
    const broken = asking(() => Promise.reject(new Error("no dialog")));
    expect(await results([broken], [call("broken")])).toMatchObject([
      { ok: false, error: { message: "no dialog" } },
    ]);
    expect(ran).toEqual(["yes"]);
  } finally {
    vi.useRealTimers();
  }
});

test("a question that is open when the request ends counts as declined", async () => {
  const controller = new AbortController();
  const tool: Tool = { ...echoTool, allows: () => new Promise(() => undefined) };
  const pending = results([tool], [call("a")], { signal: controller.signal });
  controller.abort();
  expect(await pending).toMatchObject([{ ok: false, error: { code: "TOOL_FAILED" } }]);
});
