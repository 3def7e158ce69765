/**
 * Parts that need more than the log-probs of sampled tokens: engine outputs, a teacher or policy versions.
 */
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { LossPart, Minibatch, PartContext, RewardedGroup } from "../composition/part.ts";
import { tokenStage } from "../composition/stage.ts";
import { wrongDerivatives } from "../derivative-check.fixture.ts";
import ofAdvantages from "../golden/advantages.json" with { type: "json" };
import ofLosses from "../golden/losses.json" with { type: "json" };
import * as parts from "../parts.ts";
import { lossTokenCount, type TokenRows } from "../token-rows.ts";
import { tokenShares } from "./aggregation.ts";
import { randomMinibatch } from "./minibatch.fixture.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

const refused = expect.objectContaining({ code: "CAPABILITY_MISSING" });

/**
 * The golden group. Each trajectory's tokens are cut into samples of these lengths; the last takes the rest.
 */
function goldenGroup(...lengths: readonly number[]): {
  readonly groups: readonly RewardedGroup[];
  readonly outputs: {
    readonly logProb: ReadonlyMap<string, TokenRows>;
    readonly sumSquaredProb: ReadonlyMap<string, TokenRows>;
  };
} {
  const { logProbs, sumSquaredProbs, rewards } = ofAdvantages.optimalToken;
  const cut = (row: readonly number[]): number[][] => {
    let from = 0;
    const pieces = lengths.map((length) => row.slice(from, (from += length)));
    // Each sample starts with a token without loss.
    return [...pieces, row.slice(from)].map((piece) => [0.7, ...piece]);
  };
  const rowsOf = (rows: readonly (readonly number[])[]): ReadonlyMap<string, TokenRows> =>
    new Map(rows.map((row, i) => [`e${i}`, cut(row)]));
  const trajectories = rewards.map((reward, i) => ({
    trajectory: { id: `e${i}` },
    reward: { total: reward },
    lossMask: cut(logProbs[i] ?? []).map((row) => row.map((_, t) => t > 0)),
  }));
  return {
    groups: [{ task: "t", trajectories }] as unknown as RewardedGroup[],
    outputs: { logProb: rowsOf(logProbs), sumSquaredProb: rowsOf(sumSquaredProbs) },
  };
}

test.each([[[]], [[1]], [[2, 0]]])(
  "otb computes its formula from engine outputs, also over samples of lengths %j",
  (lengths) => {
    const { groups, outputs } = goldenGroup(...lengths);
    const { advantages } = parts.optimalTokenBaseline().estimate(groups, { ...CONTEXT, outputs });
    const rows = ofAdvantages.optimalToken.advantages;
    for (const [i, expected] of rows.entries()) {
      const got = (advantages.get(`e${i}`) ?? []).map((row) => Array.from(row));
      expect(got.map(([given]) => given)).toEqual(got.map(() => 0));
      const credited = got.flatMap((row) => row.slice(1));
      expect(credited).toHaveLength(expected.length);
      for (const [t, value] of expected.entries()) expect(credited[t]).toBeCloseTo(value, 12);
    }
    // Control: the group mean is a different baseline.
    const plain = parts.groupAdvantage({ scale: "none" }).estimate(groups, CONTEXT).advantages;
    expect(plain.get("e0")?.[0]?.[1]).not.toBeCloseTo(rows[0]?.[0] ?? 0, 3);
  },
);

test("otb names the engine outputs that it needs and refuses to run without them", () => {
  const part = parts.optimalTokenBaseline();
  expect(part.reads).toEqual(["sumSquaredProb"]);
  const { groups, outputs } = goldenGroup();
  expect(() => part.estimate(groups, CONTEXT)).toThrow(refused);
  const { logProb } = outputs;
  expect(() => part.estimate(groups, { ...CONTEXT, outputs: { logProb } })).toThrow(refused);
});

const drawn = randomMinibatch(7);

/** Log-probs of three candidates at each loss token. */
function candidateRows(seed: number): (Float64Array | null)[][] {
  const random = seededRandom(seed);
  return drawn.lossMask.map((row) =>
    row.map((counts) => {
      if (!counts) return null;
      const chances = Array.from({ length: 5 }, () => 0.1 + random());
      const total = chances.reduce((a, b) => a + b, 0);
      return Float64Array.from(chances.slice(0, 3), (x) => Math.log(x / total));
    }),
  );
}

const MINIBATCH: Minibatch = {
  ...drawn,
  shares: tokenShares({ kind: "seq-mean-token-sum" }, drawn),
  tokenCount: lossTokenCount(drawn.lossMask),
  candidateLogProbs: candidateRows(1),
  teacherCandidateLogProbs: candidateRows(2),
  trajectories: [],
  samples: [],
  pairs: [],
};

test("distill-candidates: derivatives match its value under token shares and weights", () => {
  const part = parts.distilledCandidates(3);
  const student = candidateRows(1);
  const lossOf = (candidateLogProbs: typeof student, weights = drawn.weights): number =>
    part.compute({ ...MINIBATCH, candidateLogProbs, weights }, CONTEXT).loss;
  const stated = part.compute(MINIBATCH, CONTEXT).derivatives.candidateLogProbs ?? [];
  let checked = 0;
  for (const [b, row] of student.entries()) {
    for (const [t, entry] of row.entries()) {
      if (entry === null) continue;
      const moved = ([other]: readonly number[][]): number =>
        lossOf(
          student.map((r, i) =>
            r.map((e, j) => (i === b && j === t ? Float64Array.from(other ?? []) : e)),
          ),
        );
      expect(wrongDerivatives([entry], [stated[b]?.[t] ?? []], moved)).toEqual([]);
      checked += 1;
    }
  }
  expect(checked).toBe(MINIBATCH.tokenCount);
  // Doubling all weights doubles the loss.
  const twice = drawn.weights.map((row) => row.map((weight) => 2 * weight));
  expect(lossOf(student, twice)).toBeCloseTo(2 * lossOf(student), 12);
  // Control: a student that agrees with the teacher gets no gradient.
  const own = { ...MINIBATCH, teacherCandidateLogProbs: student };
  const still = part.compute(own, CONTEXT).derivatives.candidateLogProbs ?? [];
  const most = Math.max(...still.flat().flatMap((row) => Array.from(row ?? [], Math.abs)));
  expect(most).toBeLessThan(1e-12);
  expect(part.candidates).toBe(3);
});

test("distill-candidates needs a teacher to compile and the teacher's candidates to run", () => {
  // @ts-expect-error the stage has no teacher
  tokenStage({ rollout: parts.group(4), losses: [parts.distilledCandidates()] });
  const { teacherCandidateLogProbs: _, ...lacking } = MINIBATCH;
  expect(() => parts.distilledCandidates().compute(lacking, CONTEXT)).toThrow(refused);
  expect(() => parts.distilledCandidates(0)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

const { policyLogProbs, behaviorLogProbs, proximalLogProbs } = ofLosses.inputs;

/** The golden minibatch, one row per trajectory, with tokens sampled by these policy versions. */
function aged(staleness: number, versions: readonly number[]): Minibatch {
  const lossMask = ofLosses.inputs.lossMask.map((row) => row.map((m) => m === 1));
  const trajectories = lossMask.map((mask) => {
    const segment = {
      kind: "sampled",
      tokenIds: mask.map(() => 0),
      policyVersion: versions[0],
      versions: versions.map((version, t) => ({ version, start: t, end: t + 1 })),
    };
    const samples = [{ spans: [{ segment, start: 0 }] }];
    return {
      trajectory: { staleness, samples, record: { segments: [segment] } },
      lossMask: [mask],
    };
  });
  return {
    lossMask,
    policyLogProbs,
    behaviorLogProbs,
    proximalLogProbs,
    advantages: lossMask.map((row, b) => row.map(() => ofLosses.inputs.advantages[b] ?? 0)),
    shares: tokenShares({ kind: "token-mean" }, { lossMask }),
    tokenCount: lossTokenCount(lossMask),
    weights: lossMask.map((row) => row.map(() => 1)),
    trajectories: trajectories as unknown as Minibatch["trajectories"],
    samples: lossMask.map(() => 0),
    pairs: [],
  };
}

/** The proximal log-probs that `inner` receives. */
function receivedProximal(minibatch: Minibatch, epoch: PartContext["epoch"]): TokenRows {
  let received: TokenRows = [];
  const inner: LossPart = {
    ...parts.pgClip(),
    compute: (seen) => {
      received = seen.proximalLogProbs;
      return { loss: 0, derivatives: {}, metrics: {} };
    },
  };
  parts.logLinear(inner).compute(minibatch, { ...CONTEXT, epoch });
  return received;
}

const rowsOf = (rows: TokenRows): number[][] => rows.map((row) => Array.from(row));

const close = (rows: TokenRows, expected: TokenRows): void => {
  for (const [b, row] of rowsOf(expected).entries()) {
    for (const [t, value] of row.entries()) expect(rows[b]?.[t]).toBeCloseTo(value, 12);
  }
};

test("log-linear interpolates between sampler and policy by the share of steps taken", () => {
  const same = [3, 3, 3, 3];
  const half = { taken: 1, of: 1 };
  close(receivedProximal(aged(1, same), half), ofLosses["logLinearProximal0.5"]);
  // Exact if nothing was learned since sampling, or if the newest version sampled.
  close(receivedProximal(aged(1, same), undefined), policyLogProbs);
  close(receivedProximal(aged(0, same), half), behaviorLogProbs);
  // Two versions of three steps each, before the third step: 6 of 8 steps.
  const received = receivedProximal(aged(2, same), { taken: 2, of: 3 });
  const share = (t: number): number =>
    (received[0]![t]! - behaviorLogProbs[0]![t]!) /
    (policyLogProbs[0]![t]! - behaviorLogProbs[0]![t]!);
  expect(share(0)).toBeCloseTo(0.75, 12);
  // Each token by its own version: the oldest has the staleness of the trajectory.
  const mixed = receivedProximal(aged(2, [3, 4, 5, 5]), half);
  expect(mixed[0]![1]).toBeCloseTo((policyLogProbs[0]![1]! + behaviorLogProbs[0]![1]!) / 2, 12);
  expect(mixed[0]![3]).toBeCloseTo(behaviorLogProbs[0]![3]!, 12);
});

test("log-linear is the wrapped loss with the interpolated policy held fixed", () => {
  const minibatch = aged(1, [3, 3, 3, 3]);
  const inner = parts.pgClip(0.2);
  const around = parts.logLinear(inner);
  const context = { ...CONTEXT, epoch: { taken: 1, of: 1 } };
  const interpolated = { ...minibatch, proximalLogProbs: ofLosses["logLinearProximal0.5"] };
  const [got, expected] = [
    around.compute(minibatch, context),
    inner.compute(interpolated, context),
  ];
  expect(got.loss).toBeCloseTo(expected.loss, 12);
  close(got.derivatives.logProb ?? [], expected.derivatives.logProb ?? []);
  expect(around.around).toEqual([inner]);
  // Control: it differs from the loss with the proximal policy of the minibatch.
  expect(got.loss).not.toBeCloseTo(inner.compute(minibatch, context).loss, 3);
});
