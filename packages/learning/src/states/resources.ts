/** State that the trainer opens: models, judges, documents and stores that parts ask for by name. */
import { option, type PartOption, fixed, definePart } from "../composition/part-options.ts";
import { kept, resource, type StatePart } from "../composition/state.ts";

/** A model of the environment, fitted to logged calls before the stage begins. */
export const worldModel: StatePart<"world-model"> = resource("world-model");

/** The environment's own documents and their index: nothing is opened for them. */
export const ownCorpus: StatePart<"corpus"> = {
  slot: "state",
  part: "corpus",
  initial: () => "environment",
};

/** Parameters that live for one step. */
export const temporary: StatePart<"fast-weights"> = resource("fast-weights");

/** Notes of a rollout; they end with it. */
export const notes: StatePart<"memory-bank"> = resource("memory-bank");

/** The environment's own memory: nothing is opened for it. */
export const ownMemory: StatePart<"memory-bank"> = {
  slot: "state",
  part: "memory-bank",
  initial: () => "environment",
};

/** The environment's own simulator: nothing is opened for it. */
export const ownSimulator: StatePart<"world-model"> = {
  slot: "state",
  part: "world-model",
  initial: () => "environment",
};

/** The policy in another role: nothing is opened for it. */
export const ownModel: StatePart<"world-model"> = {
  slot: "state",
  part: "world-model",
  initial: () => "policy",
};

/** The base itself, frozen. */
export const reference: StatePart<"ref"> = resource("ref");

/** A value head on the policy. */
export const valueHead: StatePart<"critic"> = resource("critic");

/** A stronger policy. */
export const teacher: StatePart<"teacher"> = resource("teacher");

/** An adapter with a value head that a stage of the recipe trains. */
export const rewardModelState: StatePart<"rm"> = resource("rm");

/** An adapter whose log-ratios to the base are process rewards; a stage of the recipe trains it. */
export const processModelState: StatePart<"iprm"> = resource("iprm");

/** What models changed since their common start; the trainer keeps it while it merges. */
export const deltas: StatePart<"delta"> = resource("delta");

/** Teachers that show what to do: how often each of them decides at random; by default one, never. */
export function demonstrators(...mistakes: readonly number[]): StatePart<"teacher"> {
  const each = mistakes.map((share, i): [string, PartOption<number>] => [
    `mistakes${i}`,
    fixed(share),
  ]);
  const options: { readonly [name: string]: PartOption<number> } =
    each.length === 0 ? { mistakes: option(undefined, 0) } : Object.fromEntries(each);
  return definePart(options, (given) => ({
    slot: "state",
    part: "teacher",
    initial: () => Object.values(given),
  }));
}

/** Somebody who scores transcripts. */
export const judgement: StatePart<"judge"> = resource("judge");

/** Where it stands; what sampling begins with. */
export function temperature(start?: number): StatePart<"temperature"> {
  return definePart({ temperatureStart: option(start, 1) }, ({ temperatureStart: start }) =>
    kept("temperature", () => start),
  );
}

/** Groups of which some rollouts are not at their end. */
export const unfinishedGroups: StatePart<"rest-buffer"> = kept("rest-buffer", () => []);
