/**
 * A search over a tree of designs, guided by a value model. A design is a text, its children are changed versions
 * of it, and a design without rollouts has a predicted value. Pure functions on plain values.
 *
 * Source: Li et al. 2025, "AgentSwift: Efficient LLM Agent Design via Value-guided Hierarchical Search",
 * arXiv:2506.06017 (a value model, a tree search informed by its uncertainty).
 * Differs from it: the value model is Bayesian linear regression on the words of a design, not a language model;
 * its standard deviation is the exploration bonus of the search.
 */
import { hashText } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RolloutPart } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import type { WritingPart } from "../composition/writing.ts";
import { filterPart } from "../filters/filter-part.ts";
import { observeRisk, predictRisk, type RiskModel, riskModel } from "../filters/predicted-risk.ts";
import {
  addPrompt,
  archivePrompts,
  bestPrompt,
  creditPrompt,
  type Prompt,
  type PromptPopulation,
  promptPopulation,
} from "../states/prompt-population.ts";
import { groupStrategy } from "../rollouts/plain-rollouts.ts";
import { argMax } from "../statistics.ts";
import { DESIGN_COMPONENTS, designRequest, isNewPrompt, promptAnswer } from "./prompt-writing.ts";
import { readRollout } from "./rollout-text.ts";
import { writerOf } from "./text-edits.ts";

/** Number of hash buckets for words. */
const PLACES = 32;

/** Prior variance of the weights: an unknown design has a value of 0 ± 0.3. */
const PRIOR_VARIANCE = 0.05;

/** The value model of designs. */
export type DesignValues = RiskModel;

/** Predicted mean reward of a design, with its standard deviation. */
export type DesignValue = { readonly mean: number; readonly deviation: number };

export function designValues(): DesignValues {
  return riskModel(1 + PLACES, { priorVariance: PRIOR_VARIANCE });
}

/** `[1 + 32]` a constant and the normalized word counts; zeros for an empty text. */
export function designFeatures(text: string): number[] {
  const counts = Array.from({ length: PLACES }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    counts[hashText(word) % PLACES]! += 1;
  }
  const length = Math.hypot(...counts) || 1;
  return [1, ...counts.map((count) => count / length)];
}

/** Updates the model with the rewards of a design. */
export function observeDesign(
  values: DesignValues,
  text: string,
  rewards: readonly number[],
): DesignValues {
  const features = designFeatures(text);
  return rewards.reduce((model, reward) => observeRisk(model, features, reward), values);
}

export function predictDesign(values: DesignValues, text: string): DesignValue {
  const [{ mean, variance } = { mean: 0, variance: 0 }] = predictRisk(values, [
    designFeatures(text),
  ]);
  return { mean, deviation: Math.sqrt(Math.max(0, variance)) };
}

/** Upper confidence bound of a design: its value plus `curiosity` standard deviations. */
function hopeOf({ mean, deviation }: DesignValue, curiosity: number): number {
  return mean + curiosity * deviation;
}

/**
 * The design to run or expand: descends from the root to the best child until a design has no living children. A
 * child's value is the mean reward of all rollouts in its subtree, or the prediction if there are none; its bonus
 * is the model's standard deviation. A design whose parent was pruned becomes a root; the search enters the best
 * root.
 */
export function selectDesign(
  population: PromptPopulation,
  values: DesignValues,
  curiosity: number,
): Prompt {
  const { living } = population;
  const below = (parent: string | null): Prompt[] =>
    living.filter((one) =>
      parent === null ? !living.some(({ id }) => id === one.parent) : one.parent === parent,
    );
  const ranUnder = (design: Prompt): { readonly uses: number; readonly rewardSum: number } =>
    below(design.id)
      .map(ranUnder)
      .reduce(
        (sum, own) => ({
          uses: sum.uses + own.uses,
          rewardSum: sum.rewardSum + own.rewardSum,
        }),
        design,
      );
  const optimism = (design: Prompt): number => {
    const { uses, rewardSum } = ranUnder(design);
    const predicted = predictDesign(values, design.text);
    const mean = uses === 0 ? predicted.mean : rewardSum / uses;
    return hopeOf({ ...predicted, mean }, curiosity);
  };
  let open = below(null);
  for (;;) {
    const best = open[argMax(open.map(optimism))] as Prompt;
    open = below(best.id);
    if (open.length === 0) return best;
  }
}

/** Ids of designs without rollouts, except the `keep` most promising ones. */
export function hopelessDesigns(
  { living }: PromptPopulation,
  values: DesignValues,
  { keep, curiosity }: { readonly keep: number; readonly curiosity: number },
): Set<string> {
  const hopes = living
    .filter(({ uses }) => uses === 0)
    .map(({ id, text }) => ({ id, hope: hopeOf(predictDesign(values, text), curiosity) }));
  return new Set(
    hopes
      .toSorted((a, b) => b.hope - a.hope)
      .slice(Math.max(1, keep))
      .map(({ id }) => id),
  );
}

type Designs = "prompts" | "rm";

/** `prompts`: a tree of designs. The search chooses the design to run; evaluation reads the best one. */
export function designs(seed?: string): StatePart<"prompts"> {
  return definePart({ designsSeed: option(seed, "") }, ({ designsSeed: seed }) => ({
    ...kept("prompts", () => promptPopulation([seed])),
    read: (value, { at, explores }) => {
      if (at !== "start" || explores) return null;
      const { id, text } = bestPrompt(value as PromptPopulation);
      return { ids: [id], parts: { prompt: text } };
    },
  }));
}

/** `rm`: the value model of designs, as a plain value; no reward model is opened. */
export const designWorth: StatePart<"rm"> = {
  slot: "state",
  part: "rm",
  initial: designValues,
};

/** `tree`: a rollout at each task with the design that the search chose. */
export function designTree(curiosity?: number): RolloutPart<Designs, "single"> {
  return definePart({ curiosity: option(curiosity, 1) }, ({ curiosity }) => ({
    slot: "rollout",
    part: "tree",
    start: "single",
    needs: ["prompts", "rm"],
    strategy: ({ state }) => {
      const values = state.rm as DesignValues;
      const { text } = selectDesign(state.prompts as PromptPopulation, values, curiosity);
      return groupStrategy({ size: 1, ...(text === "" ? {} : { modes: [text] }) });
    },
  }));
}

/** `risk-pred`: updates the value model, and drops designs without rollouts except the `keep` best. */
export function designRisk(keep?: number, curiosity?: number): FilterPart<Designs> {
  return definePart(
    { keep: option(keep, 2), curiosity: option(curiosity, 1) },
    ({ keep, curiosity }) =>
      filterPart(
        "risk-pred",
        (groups, { state }) => {
          let values = state.rm as DesignValues;
          let population = state.prompts as PromptPopulation;
          for (const { trajectory, reward } of groups.flatMap(({ trajectories }) => trajectories)) {
            const text = trajectory.mode ?? "";
            values = observeDesign(values, text, [reward.total]);
            const ran = population.living.find((design) => design.text === text);
            if (ran !== undefined) population = creditPrompt(population, ran.id, [reward.total]);
          }
          const hopeless = hopelessDesigns(population, values, { keep, curiosity });
          population = archivePrompts(population, ({ id }) => hopeless.has(id));
          return { groups, dropped: new Map(), state: { rm: values, prompts: population } };
        },
        { needs: ["prompts", "rm"] },
      ),
  );
}

/**
 * `text-edit` of designs: after `leastUses` rollouts of the chosen design, a writer creates one child for each
 * component.
 */
export function designEdits(leastUses?: number, curiosity?: number): WritingPart<Designs> {
  return definePart(
    { leastUses: option(leastUses, 16), curiosity: option(curiosity, 1) },
    ({ leastUses, curiosity }) => ({
      slot: "loss",
      part: "text-edit",
      needs: ["prompts", "rm"],
      asks: true,
      write: async (groups, _, context) => {
        let population = context.state.prompts as PromptPopulation;
        const at = selectDesign(population, context.state.rm as DesignValues, curiosity);
        if (at.uses < leastUses) return { state: { prompts: population }, changes: 0 };
        const rollouts = groups
          .flatMap(({ trajectories }) => trajectories)
          .filter(({ trajectory }) => (trajectory.mode ?? "") === at.text)
          .map((rewarded) => readRollout(rewarded, context));
        let refused = 0;
        for (const component of DESIGN_COMPONENTS) {
          const request = designRequest(component, at, rollouts);
          const answer = await writerOf(context, "text-edit").write(request, context.signal);
          const text = promptAnswer(answer)?.prompt;
          if (text === undefined || !isNewPrompt(population, text)) refused += 1;
          else population = addPrompt(population, text, at.id, true);
        }
        const changes = DESIGN_COMPONENTS.length - refused;
        return { state: { prompts: population }, changes, refused };
      },
    }),
  );
}
