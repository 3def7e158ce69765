/**
 * Which of two answers to a request is better. The judge does not know whose they are, and sees them in both orders: judges
 * prefer positions, so a preference that turns with the order says nothing.
 */
import type { JudgeServer } from "./judge-server.ts";
import { REQUEST_TRIALS } from "./prompts/request-trials.ts";
import { gradesOf } from "./trial-judge.ts";

/** A request and two answers to it, as text. */
type TwoAnswers = {
  readonly request: string;
  readonly candidate: string;
  readonly stable: string;
};

/**
 * `better`, `worse`: of the candidate's answer. `turned`: the judge prefers the first place or the second one. `abstained`:
 * no majority in one of the orders, or a preference in only one. `failed`: no reply came.
 */
export type AnswerVerdict = "better" | "worse" | "equal" | "turned" | "abstained" | "failed";

export type AnswerJudge = (answers: TwoAnswers) => Promise<AnswerVerdict>;

/** A judge of two answers. More than half of all votes of each order must agree. Equal texts are equal without a question. */
export function createAnswerJudge(server: JudgeServer): AnswerJudge {
  /** 1 if the first answer is better, -1 if the second one is; `null` without a majority. */
  async function preferred(
    request: string,
    first: string,
    second: string,
  ): Promise<number | null | "failed"> {
    const { read, asked, failed } = await server.vote(
      REQUEST_TRIALS,
      () => [
        ["request", request],
        ["trial 1", first],
        ["trial 2", second],
      ],
      (reply) => gradesOf(reply, [0, 1]),
    );
    if (failed === asked) return "failed";
    const signs = Map.groupBy(read, ([a = 0, b = 0]) => Math.sign(a - b));
    return [...signs].find(([, votes]) => votes.length > asked / 2)?.[0] ?? null;
  }

  return async ({ request, candidate, stable }) => {
    if (candidate === stable) return "equal";
    const [ahead, behind] = await Promise.all([
      preferred(request, candidate, stable),
      preferred(request, stable, candidate),
    ]);
    if (ahead === "failed" || behind === "failed") return "failed";
    if (ahead === null || behind === null) return "abstained";
    if (ahead === 0 && behind === 0) return "equal";
    if (ahead + behind === 0) return ahead > 0 ? "better" : "worse";
    return ahead === behind ? "turned" : "abstained";
  };
}
