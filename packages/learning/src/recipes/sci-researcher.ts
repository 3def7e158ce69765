/**
 * SciResearcher: tasks that were made from evidence, each with the documents that it stands on; verified
 * demonstrations first, then reinforcement.
 *
 * Source: "SciResearcher: Scaling Deep Research Agents for Frontier Scientific Reasoning" (S296).
 * Differs from it: documents are the environment's, one sentence a fact; nothing is embedded; a demonstration is verified where it found all of that evidence and the answer.
 * Why: answers are then exact, and no encoder fits beside a nano model in a page.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const sciResearcher: CreateRecipe = recipe({
  name: "sci-researcher",
  literature: "SciResearcher",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "documents are the environment's, one sentence a fact; nothing is embedded",
    "a demonstration is verified where it found all of that evidence and the answer",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.verify(({ verification: { success, parts: said } }) => [
          success,
          holdsAll(String(said["found"]), String(said["relevant"])),
        ]),
      ],
    }),
    rewardStage({
      rollout: parts.searchingGroup(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/** True where every id needed is among those that searches found. */
function holdsAll(found: string, relevant: string): boolean {
  const seen = new Set(found.split(/[ |]/));
  return relevant.split(" ").every((id) => seen.has(id));
}
