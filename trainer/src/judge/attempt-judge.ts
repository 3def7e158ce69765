/**
 * Relative grades of attempts at one request.
 *
 * Source: RULER (OpenPipe's ART): a judge sees all attempts of a group together, because it compares better than it rates.
 * Differs from it: several votes, each of which sees the attempts in another order; votes that contradict each other give no
 * reward.
 * Why: judges prefer positions, and a wrong grade teaches more than a missing one.
 */
import { shuffled } from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";
import type { JudgeServer } from "./judge-server.ts";
import { REQUEST_ATTEMPTS } from "./prompts/request-attempts.ts";

/** A request and the attempts at it, as text. */
type GradedRequest = {
  readonly request: string;
  /** `[G]`, at least 2. */
  readonly attempts: readonly string[];
  /** Of the orders in which the votes see the attempts. */
  readonly seed: number;
};

/** `[G]` rewards in [0, 1]. `abstained`: votes contradict each other, or too few can be read. `failed`: no reply came. */
type GradedAttempts = readonly number[] | "abstained" | "failed";

export type AttemptJudge = (graded: GradedRequest) => Promise<GradedAttempts>;

const BEST_GRADE = 10;

/** Share of comparisons in which two votes may order the same two attempts in opposite ways. */
const MOST_CONTRADICTIONS = 0.25;

/** A judge of attempts. The reward is the mean grade of the votes; more than half of all votes must be readable. */
export function createAttemptJudge(server: JudgeServer): AttemptJudge {
  return async ({ request, attempts, seed }) => {
    const places = attempts.map((_, i) => i);
    const orderOf = (vote: number): readonly number[] => shuffled(places, seededRandom(seed, vote));
    const { read, asked, failed } = await server.vote(
      REQUEST_ATTEMPTS,
      (vote) => [
        ["request", request],
        ...orderOf(vote).map((at, i) => [`attempt ${i + 1}`, attempts[at] ?? ""] as const),
      ],
      (reply, vote) => gradesOf(reply, orderOf(vote)),
    );
    if (failed === asked) return "failed";
    if (read.length <= asked / 2) return "abstained";
    if (contradictions(read) > MOST_CONTRADICTIONS) return "abstained";
    return attempts.map((_, i) => mean(read.map((grades) => grades[i] ?? 0)) / BEST_GRADE);
  };
}

/** `[G]` grades in the order of the attempts; `null` unless there is exactly one whole number from 0 to 10 for each. */
function gradesOf(
  reply: { readonly [name: string]: unknown },
  order: readonly number[],
): number[] | null {
  const { grades, ...others } = reply;
  if (!Array.isArray(grades) || Object.keys(others).length > 0) return null;
  if (grades.length !== order.length || !grades.every(isGrade)) return null;
  return order.map((_, attempt) => grades[order.indexOf(attempt)] as number);
}

function isGrade(grade: unknown): grade is number {
  return Number.isInteger(grade) && Number(grade) >= 0 && Number(grade) <= BEST_GRADE;
}

/** Share of opposite orders among all pairs of attempts that two votes both order. */
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
