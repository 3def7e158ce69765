/**
 * For every trajectory that the schema admits, the check returns an outcome that the edge accepts and
 * never throws.
 */
import {
  Trajectory,
  trajectoryDigest,
  TrajectoryOutcome,
  type Verification,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { createGrammarCompiler } from "@waggle/text/grammar";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { arbitraryTrajectory, type Setup } from "./arbitrary-trajectory.fixture.ts";
import { readBaseModel } from "../model/base-model.ts";
import { NANO } from "../exchange/nano-records.fixture.ts";
import { openPolicy } from "../model/open-model.ts";
import { createReplay, type Replay } from "./replay.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { createTrajectoryChecker, type TrajectoryChecker } from "./trajectory-check.ts";

const VISITOR = "00000000-0000-4000-8000-000000000000";
const VERIFICATION: Verification = { reward: 1, success: true, parts: {} };
/** Accepts everything, so that hostile records reach the stages after the replay. */
const believing: Replay = async () => ({ holds: true, verification: VERIFICATION });

/**
 * Checks `runs` arbitrary trajectories.
 * @returns the count of each outcome
 */
async function checkAll(
  setup: Setup,
  checkers: readonly TrajectoryChecker[],
  runs: number,
): Promise<Map<string, number>> {
  const state = initialState({ baseModel: setup.baseModel, recipe: "dr-grpo-tis", seed: 1 });
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      arbitraryTrajectory(setup),
      fc.constantFrom(...checkers),
      async (given, checker) => {
        const trajectory = Trajectory.parse(given);
        const digest = await trajectoryDigest(trajectory);
        const leased = { digest, visitorId: VISITOR, receivedAt: "", trajectory, feedback: [] };
        const group = { groupId: VISITOR, task: trajectory.task, size: 1, trajectories: [leased] };
        const { outcome } = await checker.check(leased, group, state);
        TrajectoryOutcome.parse(outcome);
        const what = outcome.reason ?? outcome.status;
        outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
      },
    ),
    { numRuns: runs, seed: 13 },
  );
  return outcomes;
}

test("with re-scoring replaced by a stub", { timeout: 1_200_000 }, async () => {
  const tokenizer = new ByteTokenizer();
  const { vocabularySize } = tokenizer;
  const contextLength = 24;
  const setup = { baseModel: "b".repeat(64), vocabularySize, contextLength, versions: [0] };
  const policy = {
    baseModel: setup.baseModel,
    vocabularySize,
    contextLength,
    currentVersion: 0,
    // Does not depend on the policy, so the record's claims decide.
    score: async ({ tokenIds }: { tokenIds: readonly number[] }) => {
      const numbers = tokenIds.map(() => -0.5);
      return { behaviorLogProbs: numbers, rawLogProbs: numbers, entropies: numbers };
    },
  } as unknown as AdaptivePolicy;
  const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
  const checkerWith = (replay: Replay, band?: { mean: number; max: number }) =>
    createTrajectoryChecker({
      policy,
      replay,
      maxStaleness: 4,
      ...(band === undefined ? {} : { band }),
      adapterCache: { get: () => Promise.reject(new Error("no adapter in this test")) },
    });
  const checkers = [
    checkerWith(createReplay({ format, contextLength, vocabularySize })),
    checkerWith(believing),
    checkerWith(believing, { mean: Infinity, max: Infinity }),
  ];
  const runs = sampleSize(3_000, 100_000);
  const outcomes = await checkAll(setup, checkers, runs);
  expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(runs);
  // Every stage was reached.
  expect([...outcomes.keys()]).toEqual(
    expect.arrayContaining([
      "unknown-token",
      "kept-set-mismatch",
      "grammar-mismatch",
      "stop-mismatch",
      "log-prob-gap",
      "temperature-too-low",
      "no-verifier",
      "learned",
    ]),
  );
});

test("with the nano model", { timeout: 1_200_000 }, async () => {
  const model = await readBaseModel(NANO);
  const policy = await openPolicy(model, 1);
  const { baseModel, vocabularySize, contextLength } = policy;
  const files = new Map(model.files.map(({ path, bytes }) => [path, bytes]));
  const shared = {
    policy,
    maxStaleness: 4,
    adapterCache: { get: () => Promise.reject(new Error("no adapter in this test")) },
    grammars: createGrammarCompiler(files, { vocabularySize }),
  };
  try {
    const real = createReplay({ format: model.format, contextLength, vocabularySize });
    const outcomes = await checkAll(
      { baseModel, vocabularySize, contextLength, versions: [0] },
      [
        createTrajectoryChecker({ ...shared, replay: real }),
        createTrajectoryChecker({ ...shared, replay: believing }),
        createTrajectoryChecker({
          ...shared,
          replay: believing,
          band: { mean: Infinity, max: Infinity },
        }),
      ],
      sampleSize(100, 2_000),
    );
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(["log-prob-gap", "learned"]));
  } finally {
    await policy.dispose();
  }
});
