/** Page tools with invalid return values: the policy reads a result or an error, and still answers. */
import "fake-indexeddb/auto";
import { Trajectory } from "@waggle/protocol";
import { expect } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { openPage, say, until } from "./agent.fixture.ts";

const circular: { self?: unknown } = {};
circular.self = circular;

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function fail(thrown?: unknown): never {
  throw thrown;
}

const RESULTS: readonly (readonly [string, () => unknown, isResult: boolean])[] = [
  ["a circular object", () => circular, false],
  ["a BigInt", () => 12n, false],
  ["a BigInt inside", () => ({ count: 12n }), false],
  ["a function", () => fail, false],
  ["a symbol", () => Symbol("a"), false],
  ["a Map", () => new Map([["mug", 12]]), false],
  ["a regular expression", () => /mug/, false],
  ["one million characters", () => "x".repeat(1_000_000), false],
  ["a million members", () => Array(1_000_000).fill(1), false],
  ["an array nested 100,000 deep", () => nested(100_000), false],
  [
    "a getter that throws",
    () => Object.defineProperty({}, "a", { get: fail, enumerable: true }),
    false,
  ],
  ["a toJSON that throws", () => ({ toJSON: () => fail(new Error("not now")) }), false],
  ["a throw of nothing", () => fail(undefined), false],
  ["a throw of an object without a text", () => fail(Object.create(null)), false],
  ["undefined", () => undefined, true],
  ["NaN", () => NaN, true],
  ["a Date", () => new Date(0), true],
];

fault(
  "every kind of tool result leaves a running request and a valid record",
  { item: "5", before: "9 of 17 requests ended without an answer" },
  async () => {
    let answered = 0;
    let asExpected = 0;
    for (const [, run, isResult] of RESULTS) {
      const { agent, edge } = openPage({
        tools: [{ name: "look", description: "Looks.", parameters: { type: "object" }, run }],
        turns: [say("", { name: "look", arguments: {} }), say("I have looked.")],
      });
      agent.consent.grant();
      const { text } = await agent.send("Look").finished;
      if (text === "I have looked.") answered++;
      await until(agent, () => edge.trajectories.length === 1);
      const { turns } = Trajectory.parse(edge.trajectories[0]);
      if (turns[0]?.toolResults[0]?.ok === isResult) asExpected++;
      await agent.dispose();
    }
    expect({ answered, asExpected }).toEqual({
      answered: RESULTS.length,
      asExpected: RESULTS.length,
    });
    return { after: `${answered} of ${RESULTS.length} requests answered` };
  },
);
