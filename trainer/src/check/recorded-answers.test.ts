/** A request is tried again on what its record says, and on nothing else. */
import type { ToolCall, ToolResult, Turn } from "@waggle/protocol";
import { expect, test } from "vitest";
import { recordedAnswers } from "./recorded-answers.ts";

const call = (id: string, name: string, given: object = {}): ToolCall => ({
  id,
  name,
  arguments: { ...given },
});
const turn = (toolCalls: ToolCall[], ...values: unknown[]): Turn => ({
  segmentId: "s",
  toolCalls,
  toolResults: toolCalls.map(({ id: callId }, i): ToolResult => ({
    callId,
    ok: true,
    value: values[i],
  })),
  parseError: null,
});

/** Two searches, an item put in the cart, and a look at the cart before and after. */
const RECORD = {
  turns: [
    turn([call("c0", "search", { q: "mug", page: 1 }), call("c1", "cart")], ["mug"], 0),
    turn([call("c2", "add", { item: "mug" })], "added"),
    turn([call("c3", "cart")], 1),
    turn([]),
  ],
};
const READS = new Set(["search", "cart"]);
const { signal } = new AbortController();

async function play(readOnly: ReadonlySet<string>, ...turns: (readonly ToolCall[])[]) {
  const { environment, hasEnded } = recordedAnswers(RECORD, [], readOnly);
  await environment.observe();
  const said: unknown[] = [];
  for (const toolCalls of turns) {
    try {
      const { toolResults } = await environment.step(
        { text: "", toolCalls, confidence: 1 },
        signal,
      );
      said.push(...toolResults.map((result) => (result.ok ? result.value : result.error)));
    } catch (error) {
      said.push(String(error));
    }
  }
  return { said, hasEnded: hasEnded() };
}

test("a call that equals a recorded one gets its result, in any order of arguments, and keeps its own id", async () => {
  const { environment } = recordedAnswers(RECORD, [], READS);
  const toolCalls = [call("x7", "search", { page: 1, q: "mug" })];
  expect(await environment.step({ text: "", toolCalls, confidence: 1 }, signal)).toEqual({
    toolResults: [{ callId: "x7", ok: true, value: ["mug"] }],
    terminated: false,
  });
});

test("a text without calls ends the trial as completed", async () => {
  const { environment } = recordedAnswers(RECORD, [], READS);
  const step = environment.step({ text: "Done.", toolCalls: [], confidence: 1 }, signal);
  expect(await step).toMatchObject({ terminated: true });
});

test("tools that only read are answered in any order, as often as asked", async () => {
  const cart = [call("a", "cart")];
  const search = [call("b", "search", { q: "mug", page: 1 })];
  const { said, hasEnded } = await play(READS, cart, search, cart);
  expect({ said, hasEnded }).toEqual({ said: [0, ["mug"], 0], hasEnded: false });
});

test("what is read after a change is what the record has after the same change", async () => {
  const add = [call("a", "add", { item: "mug" })];
  expect(await play(READS, add, [call("b", "cart")])).toEqual({
    said: ["added", 1],
    hasEnded: false,
  });
});

test.each([
  ["other arguments", READS, [[call("a", "search", { q: "cup", page: 1 })]]],
  ["another tool", READS, [[call("a", "pay")]]],
  [
    "a change twice",
    READS,
    [[call("a", "add", { item: "mug" })], [call("b", "add", { item: "mug" })]],
  ],
  ["a name of every object", READS, [[call("a", "constructor")]]],
  ["another order of tools that may change something", new Set<string>(), [[call("a", "cart")]]],
])("a call that the record does not answer ends the trial: %s", async (_, readOnly, turns) => {
  const { said, hasEnded } = await play(readOnly, ...turns);
  expect(hasEnded).toBe(true);
  expect(String(said.at(-1))).toContain("the record does not answer this call");
});

test("without names of tools that only read, the record answers its own order of calls", async () => {
  const turns = RECORD.turns.map(({ toolCalls }) => toolCalls);
  const { said, hasEnded } = await play(new Set(), ...turns);
  expect({ said, hasEnded }).toEqual({ said: [["mug"], 0, "added", 1], hasEnded: false });
});
