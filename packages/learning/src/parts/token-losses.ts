/** Loss parts on given tokens: demonstrations, verified rollouts, a teacher's. */
import { dial, made } from "../composition/making.ts";
import type { LossPart, Minibatch, RewardedTrajectory } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { observationLoss } from "../losses/observation-loss.ts";
import { contrastiveLoss } from "../losses/contrastive.ts";
import { dynamicFineTuning } from "../losses/dft.ts";
import { onPolicyDistillation } from "../losses/distillation.ts";
import { returnWeights } from "../losses/hindsight.ts";
import { languageModelLoss } from "../losses/language-model.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { unlikelihoodLoss } from "../losses/unlikelihood.ts";
import { drawnNames } from "../merging/parameter-subsets.ts";
import type { LossMask } from "../token-rows.ts";
import { lossPart, present } from "./loss-part.ts";
import { onTurns } from "./policy-losses.ts";
import { turnDial, type TurnRule, turnRule } from "./turn-rules.ts";

const PLAIN: LossPart = lossPart("ce", (minibatch) => supervisedLoss(minibatch, minibatch));

/** `ce`: cross-entropy of the tokens that count, by default of all turns. */
export function crossEntropy(): LossPart {
  return made({ lossTurns: turnDial(undefined, "all") }, ({ lossTurns }) =>
    // What filters put into the loss beside the turns stays in it.
    lossTurns === "all"
      ? { ...PLAIN }
      : { ...onTurns("ce", PLAIN, turnRule(lossTurns)), around: [] },
  );
}

/** `ce-mask`: cross-entropy of chosen turns. By default those that could be read and did not fail. */
export function maskedCrossEntropy(isChosen?: TurnRule): LossPart {
  return made({ lossTurns: turnDial(isChosen, "right") }, ({ lossTurns }) => ({
    ...onTurns("ce-mask", PLAIN, turnRule(lossTurns, isChosen)),
    around: [],
  }));
}

const isRight = turnRule("right");

/** `dft`: cross-entropy, each token weighed by its own probability. */
export function dft(): LossPart {
  return lossPart("dft", (minibatch) => dynamicFineTuning(minibatch, minibatch));
}

/** `lm`: every token, prompts and tool results included. */
export function languageModel(): LossPart {
  return lossPart("lm", ({ policyLogProbs }) => languageModelLoss(policyLogProbs));
}

/** `cond`: cross-entropy, trajectories weighed by exp((return − best) / temperature). */
export function returnConditioned(temperature = 0.5): LossPart {
  return lossPart("cond", (minibatch) => {
    const ofRow = returnWeights(
      minibatch.trajectories.map(({ score }) => score.reward),
      temperature,
    );
    const weights = minibatch.weights.map((row, b) =>
      Float64Array.from(row, (weight) => weight * (ofRow[b] as number)),
    );
    return supervisedLoss({ ...minibatch, weights }, minibatch);
  });
}

/** Sampled tokens of turns that are wanted. */
function ofTurns(minibatch: Minibatch, isWanted: TurnRule): LossMask {
  return minibatch.lossMask.map((mask, row) => {
    const { trajectory } = minibatch.trajectories[row] as RewardedTrajectory;
    const wanted = trajectory.turns.filter(
      (turn) => turn.sample === minibatch.samples[row] && isWanted(turn, trajectory),
    );
    return mask.map(
      (counts, t) => counts && wanted.some(({ start, end }) => t >= start && t < end),
    );
  });
}

/**
 * `unlikelihood`: makes turns that should not have been less likely. By default those that could not be
 * read or failed; beside `ce-mask`, which leaves them out.
 */
export function unlikelihood(
  isUnwanted: TurnRule = (turn, trajectory) => !isRight(turn, trajectory),
): LossPart {
  return lossPart("unlikelihood", (minibatch) =>
    unlikelihoodLoss({ ...minibatch, lossMask: ofTurns(minibatch, isUnwanted) }),
  );
}

/** `aux`: a second cross-entropy beside the first, of some turns by themselves. */
export function auxiliaryTurns(isWanted: TurnRule): LossPart {
  return lossPart("aux", (minibatch) =>
    supervisedLoss({ ...minibatch, lossMask: ofTurns(minibatch, isWanted) }),
  );
}

/** `aux`: what the environment answers, predicted: tokens after the first action that the policy did not say. */
export function auxiliaryObservations(): LossPart {
  return lossPart("aux", (minibatch) => {
    const observationMask = minibatch.trajectories.map(({ trajectory }, row) => {
      const sample = trajectory.samples[minibatch.samples[row] ?? 0];
      const first = sample?.lossMask.indexOf(true) ?? -1;
      return (sample?.lossMask ?? []).map((said, t) => first >= 0 && t > first && !said);
    });
    const { lossMask, policyLogProbs } = minibatch;
    return observationLoss({ lossMask, observationMask, policyLogProbs });
  });
}

/** `aux`: the whole text as a language model, beside the loss of the turns. */
export function auxiliaryText(): LossPart {
  return { ...languageModel(), part: "aux" };
}

/** `contrast`: the chosen of a pair is to be the likelier one, by mean log-prob of its tokens. */
export function contrast(temperature?: number): LossPart {
  return made({ contrastTemperature: dial(temperature, 1) }, (given) =>
    lossPart("contrast", (minibatch) =>
      contrastiveLoss(
        minibatch,
        minibatch.pairs.map(([chosen, rejected]) => ({
          right: [{ row: chosen }],
          wrong: [[{ row: rejected }]],
        })),
        { temperature: given.contrastTemperature, measure: "mean" },
      ),
    ),
  );
}

/** `param-subset`: `inner`, of which only chosen parameters learn; the others are put back. */
export function parameterSubset<N extends StateName>(
  inner: LossPart<N>,
  choose: NonNullable<LossPart["trains"]>,
): LossPart<N> {
  return made(
    {},
    (_, [loss]) => ({ ...loss, part: "param-subset", around: [loss], trains: choose }),
    [inner],
  );
}

/** A share of the matrices of each layer, drawn anew each step. */
export function drawnShare(share = 0.5): NonNullable<LossPart["trains"]> {
  return (names, { random }) =>
    drawnNames(names, share, (name) => /layers\.\d+/.exec(name)?.[0] ?? "outside", random);
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
