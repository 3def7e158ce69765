/** Loss parts on given tokens: demonstrations, verified rollouts, a teacher's. */
import type { Episode, EpisodeTurn } from "../composition/episode.ts";
import type { LossPart } from "../composition/part.ts";
import { dynamicFineTuning } from "../losses/dft.ts";
import { onPolicyDistillation } from "../losses/distillation.ts";
import { returnWeights } from "../losses/hindsight.ts";
import { languageModelLoss } from "../losses/language-model.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { lossPart, present } from "./loss-part.ts";
import { spanMask } from "./policy-losses.ts";

/** `ce`: cross-entropy of the tokens that count. */
export function crossEntropy(): LossPart {
  return lossPart("ce", (minibatch) => supervisedLoss(minibatch, minibatch));
}

/** `ce-mask`: cross-entropy of chosen turns. By default those that could be read and did not fail. */
export function maskedCrossEntropy(
  isWanted: (turn: EpisodeTurn, episode: Episode) => boolean = isRight,
): LossPart {
  const masked = spanMask(crossEntropy(), isWanted);
  return { ...masked, part: "ce-mask", around: [] };
}

function isRight({ parseError, toolResults }: EpisodeTurn): boolean {
  return parseError === null && toolResults.every(({ ok }) => ok);
}

/** `dft`: cross-entropy, each token weighed by its own probability. */
export function dft(): LossPart {
  return lossPart("dft", (minibatch) => dynamicFineTuning(minibatch, minibatch));
}

/** `lm`: every token, prompts and tool results included. */
export function languageModel(): LossPart {
  return lossPart("lm", ({ policyLogProbs }) => languageModelLoss(policyLogProbs));
}

/** `cond`: cross-entropy, episodes weighed by exp((return − best) / temperature). */
export function returnConditioned(temperature = 0.5): LossPart {
  return lossPart("cond", (minibatch) => {
    const ofRow = returnWeights(
      minibatch.episodes.map(({ score }) => score.reward),
      temperature,
    );
    const weights = minibatch.weights.map((row, b) =>
      Float64Array.from(row, (weight) => weight * (ofRow[b] as number)),
    );
    return supervisedLoss({ ...minibatch, weights }, minibatch);
  });
}

/** `distill`: what was sampled is pulled to the teacher, token by token. */
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
