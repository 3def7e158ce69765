import fc from "fast-check";
import { expect, test } from "vitest";
import { bestOverReferences, exactMatch, normalizedWords, tokenF1 } from "./answer-match.ts";
import { calibrationReward } from "./calibration.ts";
import { equivalenceReward, isEquivalentCall } from "./call-equivalence.ts";
import { executableTurns, executionReward } from "./exec.ts";
import { formatReward } from "./format.ts";
import { groundingReward } from "./grounding.ts";
import { outcomeReward } from "./outcome.ts";
import { leaks, reconstructionReward } from "./reconstruct.ts";
import { newlyRetrieved, retrievalReward } from "./retrieval.ts";
import { cosineSimilarity, sequenceSimilarity } from "./similarity.ts";

const call = (name: string, args: { readonly [key: string]: unknown } = {}) => ({
  id: "c0",
  name,
  arguments: args,
});
const ok = { callId: "c0", ok: true, value: 1 } as const;
const failed = { callId: "c0", ok: false, error: { code: "TOOL_FAILED", message: "" } } as const;
const turns = [
  { toolCalls: [call("search")], toolResults: [ok], parseError: null },
  { toolCalls: [], toolResults: [failed], parseError: "no JSON" },
  { toolCalls: [call("search"), call("open")], toolResults: [ok, failed], parseError: null },
];

test("outcome: the reward or the success; a verifier that returns no finite number is refused", () => {
  const verification = { reward: 0.4, success: false, parts: {} };
  expect(outcomeReward(verification)).toBe(0.4);
  expect(outcomeReward(verification, "success")).toBe(0);
  expect(() => outcomeReward({ ...verification, reward: Number.NaN })).toThrow(
    expect.objectContaining({ code: "NON_FINITE_REWARD" }),
  );
});

test("format and execution have exact values for hand-built turns", () => {
  expect(formatReward(turns)).toBeCloseTo(2 / 3, 12);
  expect(executionReward(turns)).toBeCloseTo(2 / 4, 12);
  expect(executableTurns(turns)).toEqual([1, 0, 0]);
  expect([formatReward([]), executionReward([])]).toEqual([1, 1]);
});

test("exact match and F1 ignore case, articles and punctuation, but not words", () => {
  expect(exactMatch("The Eiffel-Tower!", "eiffel tower")).toBe(1);
  expect(exactMatch("tower eiffel", "eiffel tower")).toBe(0);
  expect(tokenF1("the big eiffel tower", "Eiffel Tower")).toBeCloseTo(0.8, 12);
  expect(tokenF1("paris paris paris", "paris")).toBeCloseTo(0.5, 12);
  expect([tokenF1("", "paris"), tokenF1("", ""), tokenF1("!", ".")]).toEqual([0, 1, 1]);
  expect(normalizedWords("Żółć １２")).toEqual(["żółć", "12"]);
});

test("F1 is symmetric, in [0, 1], and 1 only for the same words", () => {
  const words = fc.array(fc.constantFrom("red", "green", "blue"), { maxLength: 6 });
  fc.assert(
    fc.property(words, words, (a, b) => {
      const f1 = tokenF1(a.join(" "), b.join(" "));
      expect(f1).toBe(tokenF1(b.join(" "), a.join(" ")));
      expect(f1 >= 0 && f1 <= 1).toBe(true);
      expect(f1 === 1).toBe([...a].sort().join() === [...b].sort().join());
    }),
  );
});

test("the best of several references counts, and no reference is refused", () => {
  expect(bestOverReferences(["London", "the city of Paris"], (r) => tokenF1("paris", r))).toBe(0.5);
  expect(() => bestOverReferences([], () => 1)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("equivalent calls: order of keys, spelling of numbers and whitespace do not matter", () => {
  const stored = call("add", { a: 1, b: { c: " x  y " } });
  expect(isEquivalentCall(stored, call("add", { b: { c: "x y" }, a: "1.0" }))).toBe(true);
  expect(isEquivalentCall(stored, call("add", { a: 1, b: { c: "x y" }, d: null }))).toBe(true);
  // Near misses: a different value, tool or order of a list.
  expect(isEquivalentCall(stored, call("add", { a: 2, b: { c: "x y" } }))).toBe(false);
  expect(isEquivalentCall(stored, call("sub", stored.arguments))).toBe(false);
  expect(isEquivalentCall(call("f", { x: [1, 2] }), call("f", { x: [2, 1] }))).toBe(false);
});

test("an action is equivalent if each of its calls matches a different call", () => {
  const [a, b] = [call("f", { x: 1 }), call("g")];
  expect(equivalenceReward([b, a], [a, b])).toBe(1);
  expect(equivalenceReward([a, a], [a, b])).toBe(0);
  expect(equivalenceReward([], [])).toBe(1);
  expect(equivalenceReward([a], [])).toBe(0);
});

test("an invented quotation earns less than a real one and less than silence", () => {
  const seen = ["The  price is 42 EUR."];
  const claim = (quote: string) => ({ quote, start: 0, end: 3 });
  expect(groundingReward([claim("price is 42 eur")], seen)).toBe(1);
  expect(groundingReward([], seen)).toBe(0);
  expect(groundingReward([claim("price is 43 EUR")], seen)).toBe(-1);
  expect(groundingReward([claim("  ")], seen)).toBe(-1);
});

test("a recovered brief earns a reward, a quoted one does not", () => {
  const brief = "three red slides";
  expect(reconstructionReward(brief, "red slides", "Slide 1 … Slide 3")).toBeCloseTo(0.8, 12);
  expect(reconstructionReward(brief, brief, "As asked: Three red slides!")).toBe(0);
  expect(leaks("threered slides", brief)).toBe(false);
});

test("each relevant document counts once, at any turn", () => {
  expect(retrievalReward(["a", "a", "x"], ["a", "b"])).toEqual({ recall: 0.5, precision: 0.5 });
  expect(newlyRetrieved([["a", "a"], ["x", "a"], ["b"]], ["a", "b"])).toEqual([0.5, 0, 0.5]);
  expect(() => retrievalReward(["a"], [])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("calibration rewards honesty: the expected reward peaks at the true probability", () => {
  const expected = (confidence: number, p: number) =>
    p * calibrationReward(confidence, true) + (1 - p) * calibrationReward(confidence, false);
  const grid = Array.from({ length: 101 }, (_, i) => i / 100);
  for (const p of [0, 0.3, 0.8]) {
    const best = grid.reduce((a, b) => (expected(b, p) > expected(a, p) ? b : a));
    expect(best).toBeCloseTo(p, 12);
  }
});

test("similarity: cosine of embeddings, longest common subsequence of lists", () => {
  expect(cosineSimilarity([1, 1], [2, 2])).toBeCloseTo(1, 12);
  expect(cosineSimilarity([1, 0], [-1, 0])).toBeCloseTo(-1, 12);
  expect(() => cosineSimilarity([0, 0], [1, 0])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  expect(sequenceSimilarity(["a", "x", "b"], ["a", "b"])).toBeCloseTo(2 / 3, 12);
  expect(sequenceSimilarity(["b", "a"], ["a", "b"])).toBe(0.5);
});
