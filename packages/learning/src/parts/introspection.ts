/** Several answers to one request in one context, each learned by what it was worth. */
import { exponentialWeights } from "../advantages/advantage-weights.ts";
import { dial, made } from "../composition/making.ts";
import type { AdvantagePart, LossPart, RolloutPart } from "../composition/part.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { lossPart } from "./loss-part.ts";
import { retry } from "./rollouts.ts";

/**
 * `multi-trial`: up to `most` answers, each told that the one before was wrong; where all are, the
 * state's teacher answers in the same context. Turns are paid what their answer was worth.
 */
export function introspection(
  guidance: string,
  most = 3,
  size = 1,
): RolloutPart<"teacher", "single"> {
  return {
    ...{ slot: "rollout", part: "multi-trial", start: "single", needs: ["teacher"] },
    around: [retry(guidance, size)],
    plan: ({ state }) => {
      const [teacher = 0] = state.teacher as readonly number[];
      return { kind: "retry", size, guidance, trials: { most, teacher } };
    },
  };
}

/**
 * `weighted`: every turn weighs exp((its pay − the mean) / temperature), over all turns 1 on average; the
 * temperature is 0.5 by default.
 */
export function payWeighted(temperature?: number): AdvantagePart<never, "single"> {
  return made({ temperature: dial(temperature, 0.5) }, (given) => weighedBy(given.temperature));
}

function weighedBy(temperature: number): AdvantagePart<never, "single"> {
  return {
    ...{ slot: "advantage", part: "weighted", needs: [], start: "single" },
    estimate: (groups) => {
      const all = groups.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory }) => trajectory),
      );
      const pays = all.flatMap(({ turns }) => turns.map(({ reward }) => reward ?? 0));
      const mean = pays.reduce((sum, pay) => sum + pay, 0) / Math.max(1, pays.length);
      const weights = exponentialWeights(
        pays.map((pay) => pay - mean),
        temperature,
      );
      let turn = 0;
      const advantages = new Map(
        all.map(({ id, samples, turns }) => {
          const rows = samples.map(({ lossMask }) => new Float64Array(lossMask.length));
          for (const { sample, start, end } of turns) {
            rows[sample]?.fill(weights[turn] ?? 0, start, end);
            turn += 1;
          }
          return [id, rows] as const;
        }),
      );
      return { advantages };
    },
  };
}

/** `ce`, each token weighed by its advantage. */
export function weighedCrossEntropy(): LossPart {
  return lossPart("ce", (minibatch) => {
    const weights = minibatch.weights.map((row, b) =>
      Float64Array.from(row, (weight, t) => weight * (minibatch.advantages[b]?.[t] ?? 0)),
    );
    return supervisedLoss({ ...minibatch, weights }, minibatch);
  });
}
