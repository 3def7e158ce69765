/**
 * Relative grades of trials at one request.
 *
 * Source: RULER (OpenPipe's ART): a judge sees all trials of a group together, because it compares better than it rates.
 * Differs from it: several votes, each of which sees the trials in another order; votes that contradict each other give no
 * reward.
 * Why: judges prefer positions, and a wrong grade teaches more than a missing one.
 */
import { mean } from "@waggle/evaluation";
import { shuffled } from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";
import type { JudgeServer } from "./judge-server.ts";
import { REQUEST_TRIALS } from "./prompts/request-trials.ts";

/** A request and the trials at it, as text. */
type GradedRequest = {
  readonly request: string;
  /** `[G]`, at least 2. */
  readonly trials: readonly string[];
  /** Of the orders in which the votes see the trials. */
  readonly seed: number;
};

/** `[G]` rewards in [0, 1]. `abstained`: votes contradict each other, or too few can be read. `failed`: no reply came. */
type GradedTrials = readonly number[] | "abstained" | "failed";

export type TrialJudge = (graded: GradedRequest) => Promise<GradedTrials>;

const BEST_GRADE = 10;

/** Share of comparisons in which two votes may order the same two trials in opposite ways. */
const MOST_CONTRADICTIONS = 0.25;

/** A judge of trials. The reward is the mean grade of the votes; more than half of all votes must be readable. */
export function createTrialJudge(server: JudgeServer): TrialJudge {
  return async ({ request, trials, seed }) => {
    const places = trials.map((_, i) => i);
    const orderOf = (vote: number): readonly number[] => shuffled(places, seededRandom(seed, vote));
    const { read, asked, failed } = await server.vote(
      REQUEST_TRIALS,
      (vote) => [
        ["request", request],
        ...orderOf(vote).map((at, i) => [`trial ${i + 1}`, trials[at] ?? ""] as const),
      ],
      (reply, vote) => gradesOf(reply, orderOf(vote)),
    );
    if (failed === asked) return "failed";
    if (read.length <= asked / 2) return "abstained";
    if (contradictions(read) > MOST_CONTRADICTIONS) return "abstained";
    return trials.map((_, i) => mean(read.map((grades) => grades[i] ?? 0)) / BEST_GRADE);
  };
}

/** `[G]` grades in the order of the trials; `null` unless there is exactly one whole number from 0 to 10 for each. */
export function gradesOf(
  reply: { readonly [name: string]: unknown },
  order: readonly number[],
): number[] | null {
  const { grades, ...others } = reply;
  if (!Array.isArray(grades) || Object.keys(others).length > 0) return null;
  if (grades.length !== order.length || !grades.every(isGrade)) return null;
  return order.map((_, trial) => grades[order.indexOf(trial)] as number);
}

function isGrade(grade: unknown): grade is number {
  return Number.isInteger(grade) && Number(grade) >= 0 && Number(grade) <= BEST_GRADE;
}

/** Share of opposite orders among all pairs of trials that two votes both order. */
function contradictions(votes: readonly (readonly number[])[]): number {
  let [opposite, all] = [0, 0];
  for (const [v, one] of votes.entries()) {
    for (const other of votes.slice(v + 1)) {
      for (let a = 0; a < one.length; a += 1) {
        for (let b = a + 1; b < one.length; b += 1) {
          const [first, second] = [order(one, a, b), order(other, a, b)];
          if (first === 0 || second === 0) continue;
          all += 1;
          if (first !== second) opposite += 1;
        }
      }
    }
  }
  return all === 0 ? 0 : opposite / all;
}

function order(grades: readonly number[], a: number, b: number): number {
  return Math.sign((grades[a] ?? 0) - (grades[b] ?? 0));
}
