/**
 * A search over designs of an agent: `tree` says which design is tried, `rm` is what designs are worth by
 * what they say, `risk-pred` drops those that are not worth a try before anybody runs them, and `text-edit`
 * grows the design that the search is at. A design is an instruction.
 */
import type { FilterPart, RolloutPart } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import type { WritingPart } from "../composition/writing.ts";
import {
  designValues,
  type DesignValues,
  hopelessDesigns,
  observeDesign,
  selectDesign,
} from "../gradient-free/design-search.ts";
import {
  DESIGN_COMPONENTS,
  designRequest,
  isNewPrompt,
  promptAnswer,
} from "../gradient-free/prompt-writing.ts";
import {
  addPrompt,
  archivePrompts,
  bestPrompt,
  creditPrompt,
  promptPopulation,
  type PromptPopulation,
} from "../states/prompt-population.ts";
import { readRollout } from "./rollout-text.ts";
import { filterPart } from "./filter-part.ts";
import { writerOf } from "./text-edits.ts";

type Designs = "prompts" | "rm";

/** `prompts`: a tree of designs. While it is searched its rollout tells of them; after that the best is read. */
export function designs(seed = ""): StatePart<"prompts"> {
  return {
    ...kept("prompts", () => promptPopulation([seed])),
    read: (value, { at, explores }) => {
      if (at !== "start" || explores) return null;
      const { id, text } = bestPrompt(value as PromptPopulation);
      return { ids: [id], parts: { prompt: text } };
    },
  };
}

/** `rm`: what designs are worth, learned from those that ran. A plain value: no model is opened for it. */
export const designWorth: StatePart<"rm"> = {
  slot: "state",
  part: "rm",
  initial: designValues,
};

/** `tree`: a rollout at each task under the design that the search is at. */
export function designTree(curiosity = 1): RolloutPart<Designs, "single"> {
  return {
    slot: "rollout",
    part: "tree",
    start: "single",
    needs: ["prompts", "rm"],
    plan: ({ state }) => {
      const values = state.rm as DesignValues;
      const { text } = selectDesign(state.prompts as PromptPopulation, values, curiosity);
      return { kind: "group", size: 1, ...(text === "" ? {} : { modes: [text] }) };
    },
  };
}

/** `risk-pred`: the model learns from the designs that ran; of the others all but the `keep` best leave unrun. */
export function designRisk(keep = 2, curiosity = 1): FilterPart<Designs> {
  return filterPart(
    "risk-pred",
    (groups, { state }) => {
      let values = state.rm as DesignValues;
      let population = state.prompts as PromptPopulation;
      for (const { trajectory, score } of groups.flatMap(({ trajectories }) => trajectories)) {
        const text = trajectory.mode ?? "";
        values = observeDesign(values, text, [score.reward]);
        const ran = population.living.find((design) => design.text === text);
        if (ran !== undefined) population = creditPrompt(population, ran.id, [score.reward]);
      }
      const hopeless = hopelessDesigns(population, values, { keep, curiosity });
      population = archivePrompts(population, ({ id }) => hopeless.has(id));
      return { groups, dropped: new Map(), state: { rm: values, prompts: population } };
    },
    { needs: ["prompts", "rm"] },
  );
}

/**
 * `text-edit` of designs: where the design that the search is at was tried `leastUses` times, a writer is
 * asked for one child of it a component.
 */
export function designEdits(leastUses = 16, curiosity = 1): WritingPart<Designs> {
  return {
    slot: "loss",
    part: "text-edit",
    needs: ["prompts", "rm"],
    asks: true,
    write: async (groups, _, context) => {
      let population = context.state.prompts as PromptPopulation;
      const at = selectDesign(population, context.state.rm as DesignValues, curiosity);
      if (at.uses < leastUses) return { state: { prompts: population }, changes: 0 };
      const attempts = groups
        .flatMap(({ trajectories }) => trajectories)
        .filter(({ trajectory }) => (trajectory.mode ?? "") === at.text)
        .map((scored) => readRollout(scored, context));
      let refused = 0;
      for (const component of DESIGN_COMPONENTS) {
        const request = designRequest(component, at, attempts);
        const answer = await writerOf(context, "text-edit").write(request, context.signal);
        const text = promptAnswer(answer)?.prompt;
        if (text === undefined || !isNewPrompt(population, text)) refused += 1;
        else population = addPrompt(population, text, at.id, true);
      }
      const changes = DESIGN_COMPONENTS.length - refused;
      return { state: { prompts: population }, changes, refused };
    },
  };
}
