import type { ToolResult } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { demonstrate, EXPERT } from "./shop-demonstrator.ts";
import { numbersIn, replayShop } from "./shop-verifier.ts";

const task = { environment: "shop", seed: 3, split: "train" } as const;

async function recorded(change: (result: ToolResult) => ToolResult) {
  const { turns } = await demonstrate(task, createRandom(1), EXPERT);
  return turns.map((turn) => ({ ...turn, toolResults: turn.toolResults.map(change) }));
}

describe("replay", () => {
  test("finds a result that the shop never gave", async () => {
    const forged = await recorded((result) => ({ callId: result.callId, ok: true, value: 1e9 }));
    expect((await replayShop(task, forged)).matches).toBe(false);
  });

  test("finds a result that is missing", async () => {
    const { turns } = await demonstrate(task, createRandom(1), EXPERT);
    const cut = turns.map((turn) => ({ ...turn, toolResults: [] }));
    expect((await replayShop(task, cut)).matches).toBe(false);
  });

  test("gives the same failures as the page, whatever their wording", async () => {
    const calls = [
      { id: "c0", name: "steal", arguments: {} },
      { id: "c1", name: "open", arguments: { id: "p01", also: 1 } },
      { id: "c2", name: "add_to_cart", arguments: { id: "p99" } },
      { id: "c3", name: "constructor", arguments: {} },
      { id: "c4", name: "calculate", arguments: { expression: "process.exit()" } },
    ];
    const codes = [
      "UNKNOWN_TOOL",
      "INVALID_TOOL_ARGUMENTS",
      "TOOL_FAILED",
      "UNKNOWN_TOOL",
      "INVALID_TOOL_ARGUMENTS",
    ] as const;
    const toolResults = codes.map((code, index): ToolResult => ({
      callId: `c${index}`,
      ok: false,
      error: { code, message: "worded elsewhere" },
    }));
    expect((await replayShop(task, [{ toolCalls: calls, toolResults }])).matches).toBe(true);
  });

  test("cannot judge what an unavailable tool broke", async () => {
    const broken = await recorded((result) => ({
      callId: result.callId,
      ok: false,
      error: { code: "TOOL_UNAVAILABLE", message: "offline" },
    }));
    const error = await replayShop(task, broken).catch((caught: unknown) => caught);
    expect(WaggleError.is(error, "REWARD_UNAVAILABLE")).toBe(true);
  });

  test("passes over a turn whose call could not be read", async () => {
    const unreadable: ToolResult = {
      callId: "c0",
      ok: false,
      error: { code: "INVALID_TOOL_CALL", message: "no JSON" },
    };
    const replay = await replayShop(task, [{ toolCalls: [], toolResults: [unreadable] }]);
    expect(replay.matches).toBe(true);
  });
});

test.each([
  ["That is 145.8 USD.", 145.8],
  ["1,234.50 francs", 1234.5],
  ["1.234,50 Euro", 1234.5],
  ["It costs 40 500 yen", 40500],
  ["about -3", -3],
])("%s says %d", (text, value) => {
  expect(numbersIn(text).flat()).toContain(value);
});

test.each(["p07", "no number", "v2x", ""])("%s says no number", (text) => {
  expect(numbersIn(text)).toEqual([]);
});
