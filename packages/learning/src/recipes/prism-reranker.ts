/**
 * Prism-Reranker: of what several teachers answer, what most agree on is learned, and beside it the
 * evidence that the answer rests on.
 *
 * Source: "Prism-Reranker: Beyond Relevance Scoring -- Jointly Producing Contributions and Evidence
 * for Agentic Retrieval" (S271).
 * Differs from it: a score is an answer, a passage of evidence the result that it rests on;
 * teachers are demonstrators, distilled by what they say and not by their probabilities.
 * Why: nothing is reranked here, and a demonstrator has no probabilities to be distilled.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import * as parts from "../parts/index.ts";

export const prismReranker: CreateRecipe = recipe({
  name: "prism-reranker",
  literature: "Prism-Reranker",
  differs: [
    "a score is an answer, a passage of evidence the result that it rests on",
    "teachers are demonstrators, distilled by what they say and not by their probabilities",
  ],
  schedule: ["sft"],
  settings: {
    goodMistakes: 0.1,
    fairMistakes: 0.3,
    leastShare: 0.6,
    evidenceWeight: 0.5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ goodMistakes, fairMistakes, leastShare, evidenceWeight, steps, learningRate }) => [
    tokenStage({
      rollout: parts.evidencedTeachers(),
      filters: [parts.vote(answerOf, leastShare)],
      losses: [
        parts.spanMask(parts.crossEntropy(), (turn, trajectory) => !isEvidence(turn, trajectory)),
        { loss: parts.auxiliaryTurns(isEvidence), weight: evidenceWeight },
      ],
      state: { teacher: parts.demonstrators(goodMistakes, fairMistakes, fairMistakes) },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

/** Said when the task is over. */
function isEvidence(turn: JudgedTurn, { turns }: JudgedTrajectory): boolean {
  return turn === turns.at(-1);
}

/** The tokens of the turn that the task ended with. */
function answerOf({ turns, samples, record: trajectory }: JudgedTrajectory): string | null {
  const answer = turns.at(-2);
  if (answer === undefined || !trajectory.terminated) return null;
  return (samples[answer.sample]?.sequence.tokenIds ?? [])
    .slice(answer.start, answer.end)
    .join(" ");
}
