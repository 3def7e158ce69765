import type { Action, Trajectory } from "@waggle/protocol";
import { expect, test } from "vitest";
import { decisionConfidence, turnConfidences } from "./decision-confidence.ts";
import { echo, echoing, environmentOf, run, say } from "./rollout.fixture.ts";
import { createToolEnvironment } from "./tool-environment.ts";

/** A record with these turns, of which the first has calls. */
function record(...turns: readonly (readonly number[])[]): Pick<Trajectory, "segments" | "turns"> {
  const segments = turns.map((probabilities, nth) => ({
    id: `s${nth}`,
    kind: "sampled",
    rawLogProbs: probabilities.map(Math.log),
  }));
  const calls = (nth: number) => (nth === 0 ? [{ id: "c0", name: "add", arguments: {} }] : []);
  return {
    segments,
    turns: turns.map((_, nth) => ({
      segmentId: `s${nth}`,
      toolCalls: calls(nth),
      toolResults: [],
    })),
  } as unknown as Pick<Trajectory, "segments" | "turns">;
}

test("one doubtful token of a call lowers the confidence as much as it lowers the call's probability", () => {
  expect(decisionConfidence(record([1, 1, 0.4, 1, 1], [0.9, 0.9]))).toBeCloseTo(0.4, 12);
});

test("an answer counts by its mean token, whatever its length", () => {
  expect(decisionConfidence(record([1], [0.8, 0.8, 0.8, 0.8]))).toBeCloseTo(0.8, 12);
});

test("a rollout in which nothing was sampled has no confidence", () => {
  expect(decisionConfidence(record())).toBe(0);
});

const call = (text: string, name = "echo") => ({ name, arguments: { text } });

/** The product of the probabilities of the tokens of each sampled segment, one after the other. */
function plainProducts({ segments }: Trajectory): number[] {
  const products: number[] = [];
  for (const segment of segments) {
    if (segment.kind !== "sampled") continue;
    let product = 1;
    for (const logProb of segment.rawLogProbs) product *= Math.exp(logProb);
    products.push(product);
  }
  return products;
}

test("an environment gets the confidence of each turn with the calls, as the record has it", async () => {
  const actions: Action[] = [];
  const { trajectory } = await run(
    { turns: [say("", call("a")), say("", call("b"), call("c", "other")), say("Done.")] },
    environmentOf((action, signal) => {
      actions.push(action);
      return echoing(action, signal);
    }),
  );
  const [first = 0, second = 0, last = 0] = plainProducts(trajectory);
  const tokens = say("Done.").length;
  const expected = [first, second, last ** (1 / tokens)].map(Math.log);
  const told = actions.map(({ confidence = 0 }) => Math.log(confidence));
  const recorded = turnConfidences(trajectory).map(Math.log);
  for (const [nth, one] of expected.entries()) {
    expect(told[nth]).toBeCloseTo(one, 9);
    expect(recorded[nth]).toBeCloseTo(one, 9);
  }
  expect([told.length, recorded.length]).toEqual([3, 3]);
  expect(Math.log(decisionConfidence(trajectory))).toBeCloseTo(Math.min(...expected), 9);
});

test("a tool is told the probability that its call is right, or null where nothing gives it", async () => {
  const told: (number | null)[] = [];
  const tool = {
    definition: echo,
    allows: (_: unknown, __: AbortSignal, probability: number | null) => {
      told.push(probability);
      return Promise.resolve(true);
    },
    run: () => Promise.resolve(1),
  };
  const request = { system: "s", tools: [tool], userMessage: "u" };
  const script = () => ({ turns: [say("", call("a")), say("Done.")] });
  await run(script(), createToolEnvironment(request));
  const probabilityOf = (confidence: number): number => 0.5 + confidence / 2;
  const { trajectory } = await run(script(), createToolEnvironment({ ...request, probabilityOf }));
  expect(told).toEqual([null, probabilityOf(turnConfidences(trajectory)[0] ?? -1)]);
});
