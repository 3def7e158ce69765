/**
 * Distillation from a teacher on the student's own tokens: from one log-prob per sampled token, or from the
 * teacher's distribution over candidates at each position.
 *
 * Sources: Agarwal et al. 2023, "On-Policy Distillation of Language Models" (GKD), arXiv:2306.13649; reverse
 * KL per taken token as an advantage, Thinking Machines Lab 2025, "On-Policy Distillation".
 */
import { option, definePart } from "../../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { LossPart } from "../../composition/part.ts";
import type { CandidateDerivatives, LossResult } from "../../loss.ts";
import { finiteAt, type LossMask, requireRows, type TokenRows } from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart, present } from "../loss-part.ts";
import { type BehaviorBatch, behaviorLoss } from "../policy/policy-loss.ts";
import type { CandidateLogProbs } from "./candidate-log-probs.ts";

/**
 * Reverse KL by policy gradient: Σ w · −A·π_θ/μ with A = log π_teacher − log π_θ, detached.
 *
 * @returns metric `teacherKl`: token-mean of log π_θ − log π_teacher, in nats.
 */
export function onPolicyDistillation(
  batch: Omit<BehaviorBatch, "advantages"> & { readonly teacherLogProbs: TokenRows },
  options: AggregationOption = {},
): LossResult {
  const { lossMask, policyLogProbs, teacherLogProbs } = batch;
  requireRows(lossMask, { policyLogProbs, teacherLogProbs });
  const { perToken } = resolvedShares(lossMask, options);
  let kl = 0;
  const advantages = lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) => {
      if (!kept) return 0;
      const gap =
        finiteAt(teacherLogProbs, "teacherLogProbs", b, t) -
        finiteAt(policyLogProbs, "policyLogProbs", b, t);
      kl -= gap * perToken;
      return gap;
    }),
  );
  const result = behaviorLoss({ ...batch, advantages }, options, (token) => ({
    value: -token.advantage * token.ratio,
    slope: -token.advantage * token.ratioSlope,
  }));
  return { ...result, metrics: { ...result.metrics, teacherKl: kl } };
}

/** Which divergence `candidateDistillation` minimizes. */
export type CandidateDivergence = {
  /** `reverse`: KL(student ‖ teacher), seeks the teacher's modes. `forward`: KL(teacher ‖ student). */
  readonly direction: "reverse" | "forward";
  /**
   * `renormalized`: both distributions are restricted to the candidates. `with-rest`: all other tokens form
   * one more class, so probability outside the candidates counts.
   */
  readonly support: "renormalized" | "with-rest";
};

/**
 * Σ share · divergence between student and teacher over the candidates of each loss token, in nats.
 *
 * @returns derivatives with respect to `candidateLogProbs`.
 */
export function candidateDistillation(
  batch: {
    readonly lossMask: LossMask;
    readonly candidateLogProbs: CandidateLogProbs;
    readonly teacherLogProbs: CandidateLogProbs;
  },
  divergence: CandidateDivergence,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, candidateLogProbs, teacherLogProbs } = batch;
  const { shares, perToken } = resolvedShares(lossMask, options);
  let loss = 0;
  let mean = 0;
  const derivatives: CandidateDerivatives = lossMask.map((row, b) =>
    row.map((kept, t) => {
      const student = candidateLogProbs[b]?.[t] ?? null;
      if (student === null) return null;
      if (!kept) return new Float64Array(student.length);
      const teacher = teacherLogProbs[b]?.[t] ?? null;
      requireAligned(student, teacher, b, t);
      const { value, slopes } = divergenceAt(divergence, Array.from(student), Array.from(teacher));
      const share = finiteAt(shares, "shares", b, t);
      loss += share * value;
      mean += value * perToken;
      return Float64Array.from(slopes, (slope) => share * slope);
    }),
  );
  return {
    loss,
    derivatives: { candidateLogProbs: derivatives },
    metrics: { teacherDivergence: mean },
  };
}

/** A divergence of two lists of log-probs, and its derivatives with respect to the student's. */
function divergenceAt(
  { direction, support }: CandidateDivergence,
  student: readonly number[],
  teacher: readonly number[],
): { readonly value: number; readonly slopes: readonly number[] } {
  const classesOf = support === "renormalized" ? renormalized : withRest;
  const p = classesOf(student);
  const q = classesOf(teacher);
  const term = (a: number, b: number): number => Math.exp(a) * (a - b);
  const sum = (from: readonly number[], to: readonly number[]): number =>
    from.reduce((total, a, k) => total + term(a, to[k] as number), 0);
  const value = direction === "reverse" ? sum(p, q) : sum(q, p);
  // The last class is the complement of the candidates; in the renormalized form all classes share it.
  const rest = student.length;
  const baseline =
    support === "renormalized"
      ? direction === "reverse"
        ? value
        : -1
      : direction === "reverse"
        ? (p[rest] as number) - (q[rest] as number)
        : -Math.exp((q[rest] as number) - (p[rest] as number));
  const slopes = student.map((_, k) => {
    const own = p[k] as number;
    const other = q[k] as number;
    const direct = direction === "reverse" ? own - other : -Math.exp(other - own);
    return Math.exp(own) * (direct - baseline);
  });
  return { value, slopes };
}

/** Log-probs normalized over the candidates. */
function renormalized(logProbs: readonly number[]): number[] {
  const largest = Math.max(...logProbs);
  const total = logProbs.reduce((sum, value) => sum + Math.exp(value - largest), 0);
  return logProbs.map((value) => value - largest - Math.log(total));
}

/**
 * The candidates plus a last class for all other tokens, at least 1e-9 because single precision may round it
 * to 0.
 */
function withRest(logProbs: readonly number[]): number[] {
  const total = logProbs.reduce((sum, value) => sum + Math.exp(value), 0);
  return [...logProbs, Math.log(Math.max(1e-9, 1 - total))];
}

function requireAligned(
  student: ArrayLike<number>,
  teacher: ArrayLike<number> | null,
  b: number,
  t: number,
): asserts teacher is ArrayLike<number> {
  if (teacher?.length !== student.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `teacherLogProbs[${b}][${t}] has ${teacher?.length ?? "no"} log-probs for ${student.length} candidates; score the same candidates with student and teacher`,
    );
  }
  for (const [name, rows] of [
    ["candidateLogProbs", student],
    ["teacherLogProbs", teacher],
  ] as const) {
    if (!Array.from(rows).every(Number.isFinite)) {
      throw new WaggleError(
        "NON_FINITE_VALUE",
        `${name}[${b}][${t}] is not finite: ${Array.from(rows).slice(0, 4).join(", ")}; check the engine's outputs`,
      );
    }
  }
}

/** @param count - number of the teacher's tokens per position, ≥ 1. */
export function distilledCandidates(
  count?: number,
  divergence: CandidateDivergence = { direction: "reverse", support: "with-rest" },
): LossPart<"teacher"> {
  return definePart(
    { distilledCandidatesCount: option(count, 16) },
    ({ distilledCandidatesCount: count }) => {
      if (!(Number.isInteger(count) && count >= 1)) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `the candidate count of distill-candidates must be an integer of at least 1, got ${count}`,
        );
      }
      const part = lossPart(
        "distill-candidates",
        (minibatch) => {
          const shares = minibatch.shares.map((row, b) =>
            Float64Array.from(row, (share, t) => share * (minibatch.weights[b]?.[t] ?? 0)),
          );
          return candidateDistillation(
            {
              lossMask: minibatch.lossMask,
              candidateLogProbs: given(minibatch.candidateLogProbs),
              teacherLogProbs: given(minibatch.teacherCandidateLogProbs),
            },
            divergence,
            { shares, tokenCount: minibatch.tokenCount },
          );
        },
        { needs: ["teacher"], derivatives: ["candidateLogProbs"] },
      );
      return { ...part, candidates: count };
    },
  );
}

function given(rows: CandidateLogProbs | undefined): CandidateLogProbs {
  if (rows !== undefined) return rows;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "loss distill-candidates needs the log-probs of a teacher's most likely tokens; use a teacher that returns candidates, or choose another recipe",
  );
}

/** `distill`: pulls the sampled tokens toward the teacher, token by token. */
export function distillation(): LossPart<"teacher"> {
  return lossPart(
    "distill",
    (minibatch) => {
      const teacherLogProbs = present(minibatch.teacherLogProbs, "distill", "a teacher");
      return onPolicyDistillation({ ...minibatch, teacherLogProbs }, minibatch);
    },
    { needs: ["teacher"] },
  );
}
