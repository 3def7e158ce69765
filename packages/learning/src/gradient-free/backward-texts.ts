/**
 * Textual backpropagation through a chain of roles: the worst joint rollout is criticized from its last role to
 * its first, and each role's instruction is rewritten from the criticism that reaches it.
 *
 * Source: Ma et al. 2025, "Agentic Neural Networks: Self-Evolving Multi-Agent Systems via Textual
 * Backpropagation", arXiv:2506.09046.
 */
import type { RewardedTrajectory } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import type { Credit, CreditPart, WritingPart } from "../composition/writing.ts";
import {
  creditPrompt,
  type PromptPopulation,
  promptsByRole,
  replacePrompt,
} from "../states/prompt-population.ts";
import { backwardRequest, isNewPrompt, promptAnswer } from "./prompt-writing.ts";
import { readRollout } from "./rollout-text.ts";
import { writerOf } from "./text-edits.ts";

/** `prompts`: an instruction for each role of a chain. The last role answers, and acts if only one acts. */
export function chainPrompts(roles: readonly string[]): StatePart<"prompts"> {
  return {
    ...kept("prompts", () => promptsByRole(roles)),
    read: (value, { at, role = roles.at(-1) }) => {
      const own = (value as PromptPopulation).living.find((prompt) => prompt.role === role);
      return at === "start" && own !== undefined
        ? { ids: [own.id], parts: { prompt: own.text } }
        : null;
    },
  };
}

/** `semantic`: criticism of the worst joint rollout, from its last role to its first. */
export function backwardCriticism(): CreditPart<"prompts"> {
  return {
    slot: "advantage",
    part: "semantic",
    needs: ["prompts"],
    credit: async (groups, context) => {
      const { living } = context.state["prompts"] as PromptPopulation;
      const chain = worstChain(groups.flatMap(({ trajectories }) => trajectories));
      const credits: Credit[] = [];
      let after = "The answer was wrong.";
      for (const rewarded of chain.toReversed()) {
        const { role } = rewarded.trajectory;
        const now = living.find((prompt) => prompt.role === role);
        if (now === undefined) continue;
        const asked = backwardRequest(role, now.text, readRollout(rewarded, context), after);
        const writer = writerOf(context, "semantic");
        const answer = promptAnswer(await writer.write(asked, context.signal));
        if (answer === null) break;
        credits.push({ kind: "prompt", role, text: answer.prompt });
        after = answer.critique ?? after;
      }
      return credits;
    },
  };
}

/** `text-edit` of each criticized role's instruction, unless the new one was tried before. */
export function chainEdits(): WritingPart<"prompts"> {
  return {
    slot: "loss",
    part: "text-edit",
    needs: ["prompts"],
    asks: true,
    write: (groups, credits, { state }) => {
      let population = state["prompts"] as PromptPopulation;
      for (const { trajectory, reward } of groups.flatMap(({ trajectories }) => trajectories)) {
        const id = trajectory.read?.ids["prompts"]?.[0];
        if (population.living.some((prompt) => prompt.id === id)) {
          population = creditPrompt(population, id as string, [reward.total]);
        }
      }
      let changes = 0;
      for (const credit of credits) {
        if (credit.kind !== "prompt" || !isNewPrompt(population, credit.text)) continue;
        population = replacePrompt(population, credit.role, credit.text);
        changes += 1;
      }
      return { state: { prompts: population }, changes, refused: credits.length - changes };
    },
  };
}

/** The trajectories of the joint rollout with the lowest reward, in acting order; empty if all succeeded. */
function worstChain(trajectories: readonly RewardedTrajectory[]): RewardedTrajectory[] {
  const worst = trajectories.reduce<RewardedTrajectory | null>(
    (least, each) => (least === null || each.reward.total < least.reward.total ? each : least),
    null,
  );
  if (worst === null || worst.trajectory.verification.success) return [];
  return trajectories.filter(({ trajectory }) => trajectory.joint === worst.trajectory.joint);
}
