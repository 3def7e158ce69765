/**
 * Requests to a writer for a new instruction, and the parsing of its answers. Instructions are plain text. Not an
 * HTTP client.
 *
 * Source: INSPO (arXiv:2512.01945, reflection on stored rollouts), ADAS (arXiv:2408.08435, archive of
 * designs), SICA (arXiv:2504.15228, the best agent edits itself), Gödel Agent (arXiv:2410.04444, the
 * improver is improved too), PING (prefixes kept by success and refusal).
 */
import {
  bestPrompt,
  type Prompt,
  type PromptPopulation,
  promptReward,
} from "../states/prompt-population.ts";

/** A rollout as the writer sees it. */
export type ReadRollout = {
  readonly request: string;
  readonly transcript: string;
  readonly reward: number;
  /** Id of its prompt; `null` for none. */
  readonly prompt: string | null;
};

/** Builds a request to the writer. The population has at least one living prompt. */
export type PromptRequest = (
  population: PromptPopulation,
  rollouts: readonly ReadRollout[],
) => string;

export type PromptAnswer = {
  readonly prompt: string;
  readonly improver?: string;
  readonly critique?: string;
};

/** Maximum length of an instruction in characters. */
const PROMPT_CHARACTERS = 2000;
/** Number of rollouts shown to the writer, and maximum characters of each. */
const SHOWN = 4;
const TRANSCRIPT_CHARACTERS = 1200;

const ANSWER = 'Answer with one JSON object only: {"prompt": "the whole new instruction"}.';

/** Shows the best instruction and its worst rollouts, and asks for an improvement. */
export const reflection: PromptRequest = (population, rollouts) =>
  [
    "Improve the instruction of an agent. Say what would have helped in these attempts, in general words.",
    `Instruction now:\n${shown(bestPrompt(population))}`,
    ...worst(rollouts),
    ANSWER,
  ].join("\n\n");

/** Shows all designs with their rewards, including failed ones, and asks for a better one. */
export const archiveSearch: PromptRequest = ({ living, archive }, rollouts) =>
  [
    "You design agents. Propose a design that none of these is, and that should earn more.",
    ...[...living, ...archive].map(
      (prompt) => `Design ${prompt.id}, ${standingOf(prompt)}:\n${shown(prompt)}`,
    ),
    ...worst(rollouts),
    ANSWER,
  ].join("\n\n");

/** Asks for one hypothesis and one change. */
export const hypothesis: PromptRequest = (population, rollouts) =>
  [
    "State one hypothesis of what limits this agent, and make the one change that tests it.",
    `Instruction now:\n${shown(bestPrompt(population))}`,
    ...worst(rollouts),
    'Answer with one JSON object only: {"hypothesis": "…", "prompt": "the whole changed instruction"}.',
  ].join("\n\n");

/** Asks the best agent to edit itself. */
export const selfEdit: PromptRequest = (population, rollouts) =>
  [
    `You are an agent with this instruction:\n${shown(bestPrompt(population))}`,
    "Edit your own instruction so that you earn more in attempts like these.",
    ...worst(rollouts),
    ANSWER,
  ].join("\n\n");

/** Asks with the best prompt's own improver, which is to be improved as well. */
export const selfReference: PromptRequest = (population, rollouts) => {
  const best = bestPrompt(population);
  return [
    best.improver ?? "Improve the instruction of this agent from its attempts.",
    `Instruction now:\n${shown(best)}`,
    ...worst(rollouts),
    'Answer with one JSON object only: {"prompt": "the whole new instruction", "improver": "what to ask for the next improvement"}.',
  ].join("\n\n");
};

/** Asks for a prefix that makes the agent act well and refuse when it should. */
export const prefixSearch: PromptRequest = (population, rollouts) =>
  [
    "Write a short prefix, one sentence, that makes this agent do its tasks and refuse what harms.",
    ...population.living.map((prompt) => `Prefix, ${standingOf(prompt)}:\n${shown(prompt)}`),
    ...worst(rollouts),
    ANSWER,
  ].join("\n\n");

/**
 * Asks for criticism of one role of a chain, given the criticism from the roles after it.
 *
 * Source: Agentic Neural Networks (arXiv:2506.09046), textual backpropagation.
 */
export function backwardRequest(
  role: string,
  instruction: string,
  rollout: ReadRollout,
  after: string,
): string {
  return [
    `You improve the role "${role}" of a chain of agents. Each reads what those before it answered.`,
    `Instruction of the role now:\n${instruction === "" ? "(none)" : instruction}`,
    `Task: ${rollout.request}\nWhat it did:\n${rollout.transcript.slice(0, TRANSCRIPT_CHARACTERS)}`,
    `Criticism from what came after it:\n${after}`,
    'Answer with one JSON object only: {"critique": "what those before it should do otherwise", "prompt": "the whole new instruction"}.',
  ].join("\n\n");
}

/** The components of a design that one request may change. */
export const DESIGN_COMPONENTS = ["workflow", "planning", "memory", "tool use"] as const;

/**
 * Asks for a design with one component changed or added.
 *
 * Source: AgentSwift (arXiv:2506.06017), a space of workflows and of the components in them.
 */
export function designRequest(
  component: (typeof DESIGN_COMPONENTS)[number],
  design: Prompt,
  rollouts: readonly ReadRollout[],
): string {
  return [
    `You design agents. Change the ${component} of this design, or add one, and leave the rest as it is.`,
    `Design ${design.id}, ${standingOf(design)}:\n${shown(design)}`,
    ...worst(rollouts),
    ANSWER,
  ].join("\n\n");
}

/** Parses the JSON object in an answer, with other text around it; `null` without a usable instruction. */
export function promptAnswer(answer: string): PromptAnswer | null {
  const object = /\{[\s\S]*\}/.exec(answer)?.[0];
  if (object === undefined) return null;
  let parsed: {
    readonly prompt?: unknown;
    readonly improver?: unknown;
    readonly critique?: unknown;
  };
  try {
    parsed = JSON.parse(object) as typeof parsed;
  } catch {
    return null;
  }
  const prompt = textOf(parsed.prompt);
  const improver = textOf(parsed.improver);
  const critique = textOf(parsed.critique);
  if (prompt === null) return null;
  return {
    prompt,
    ...(improver === null ? {} : { improver }),
    ...(critique === null ? {} : { critique }),
  };
}

/** Whether an instruction is new. */
export function isNewPrompt({ living, archive }: PromptPopulation, text: string): boolean {
  return ![...living, ...archive].some((prompt) => prompt.text === text);
}

function textOf(value: unknown): string | null {
  if (typeof value !== "string" || !value.isWellFormed()) return null;
  const text = value.trim();
  return text === "" || text.length > PROMPT_CHARACTERS ? null : text;
}

function shown({ text }: Prompt): string {
  return text === "" ? "(none)" : text;
}

function standingOf(prompt: Prompt & { readonly reason?: string }): string {
  if (prompt.reason === "failed-check") return "failed its check";
  if (prompt.uses === 0) return "not tried yet";
  return `earned ${promptReward(prompt).toFixed(2)} in ${prompt.uses} attempts`;
}

function worst(rollouts: readonly ReadRollout[]): string[] {
  return rollouts
    .toSorted((a, b) => a.reward - b.reward)
    .slice(0, SHOWN)
    .map(
      ({ request, transcript, reward }) =>
        `Task: ${request}\nAttempt, reward ${reward}:\n${transcript.slice(0, TRANSCRIPT_CHARACTERS)}`,
    );
}
